import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  accessClaims,
  accessToken,
  feedText,
  jwks,
  NOW,
  sessionClaims,
  sessionToken,
  signers,
} from '../../scripts/generate/verifier-vectors.ts'
import { conversationWith, inGo, inPython, type Program } from '../support/verifiers.ts'

const NAME = '__Host-auth.session-token'
const KEY = 'acme_0AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA0yTErL'
const GOOD = 'live'

/** A service on a socket, whose clock and answers the tests set. */
class StandIn {
  now = NOW
  ended: string[] = []
  stale: object[] = []
  isLong = false
  isSilent = false
  keys = jwks.session ?? ''
  /** The claims of the token that an API key is exchanged for; none: the key is refused. */
  exchanged: object | undefined = { client_id: 'api-key', pid: undefined, sid: undefined }
  /** The key that signs the feed. */
  signer = signers.session
  /** Answers to each question about sessions with the same text. */
  replayed: string | undefined
  readonly asked: string[] = []
  readonly #server: Server

  constructor() {
    this.#server = createServer(async (request, response) => {
      const path = request.url?.replace(/^\/auth/, '') ?? ''
      await text(request)
      this.asked.push(path)
      const answer = this.isSilent ? undefined : this.#answer(path)
      response.writeHead(answer === undefined ? 503 : answer === '' ? 400 : 200).end(answer)
    })
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/auth`
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  count(path: string): number {
    return this.asked.filter((one) => one.startsWith(path)).length
  }

  #answer(path: string): string | undefined {
    const url = new URL(path, 'http://service')
    const [of, since] = [url.searchParams.get('of'), Number(url.searchParams.get('since') ?? 0)]
    const entries = { sids: this.ended, stale: this.stale, next: this.now }
    if (path === '/jwks.json') return this.keys
    if (path === '/oauth/jwks.json') return jwks.access
    if (path === '/oauth/token') {
      const times = { iat: this.now, exp: this.now + 300 }
      const token = this.exchanged && accessToken({ ...times, ...this.exchanged })
      return token ? JSON.stringify({ access_token: token }) : ''
    }
    if (of !== null) return this.replayed ?? feedText({ ...entries, of }, this.signer)
    if (!this.isLong) return feedText({ ...entries, since }, this.signer)
    return feedText({
      next: this.now,
      since,
      more: Math.max(since + 1, this.now - 300),
      names: 480,
    })
  }
}

describe.each([
  ['the Python verifier', await inPython()],
  ['the Go verifier', await inGo()],
] as const)('%s', (_, program) => {
  let service: StandIn
  let address: string
  let talk: ReturnType<typeof conversationWith>
  beforeEach(async () => {
    service = new StandIn()
    address = await service.start()
    if (!('why' in program)) talk = conversationWith(program as Program)
  })
  afterEach(() => {
    service.stop()
    talk?.end()
  })

  const session = (token: string) =>
    talk.ask({ kind: 'read-session', address, cookie: `${NAME}=${token}`, now: service.now })
  const access = async (credential: string) => {
    const authorization = `Bearer ${credential}`
    const found = await talk.ask({ kind: 'read-token', address, authorization, now: service.now })
    return Array.isArray(found) ? found[0] : found
  }
  /** More than the time after which the feed is looked at before a read is answered. */
  const pass = (seconds = 9) => {
    service.now += seconds
  }
  const it = test.skipIf('why' in program)

  it('hears the feed once for many reads, and each ending in fifteen seconds', async () => {
    for (let times = 0; times < 20; times++)
      expect(await session(sessionToken())).toBe('user-1 user-1')
    expect(service.asked.toSorted()).toEqual(['/jwks.json', '/revocations?pages=1'])
    service.ended.push(sessionClaims.sid)
    pass()
    expect(await session(sessionToken())).toBe('nobody')
    expect(service.asked.at(-1)).toBe(`/revocations?since=${NOW - 60}&pages=1`)
  })

  it('attack: while the service is silent an ended session does not come back, and a token counts to its end alone', async () => {
    service.ended.push('z'.repeat(22))
    expect(await session(sessionToken())).toBe('user-1 user-1')
    service.isSilent = true
    pass(60)
    expect(await session(sessionToken())).toBe('user-1 user-1')
    expect(await session(sessionToken({ sid: 'z'.repeat(22) }))).toBe('nobody')
    pass(140)
    expect(await session(sessionToken())).toBe('expired')
  })

  it('attack: a process that has heard nothing lets in only who was signed in this moment', async () => {
    service.isSilent = true
    expect(await session(sessionToken())).toBe('unavailable')
    service.isSilent = false
    pass()
    expect(await session(sessionToken())).toBe('user-1 user-1')
  })

  it('takes the tokens of a new key at once, and asks for a key that nobody has once in 30 seconds', async () => {
    expect(await session(sessionToken())).toBe('user-1 user-1')
    pass(31)
    service.keys = JSON.stringify({ keys: [signers.stranger.jwk, signers.session.jwk] })
    expect(await session(sessionToken({}, signers.stranger))).toBe('user-1 user-1')
    expect(service.count('/jwks.json')).toBe(2)
    for (let times = 0; times < 20; times++) {
      expect(await session(sessionToken({}, signers.former))).toBe('nobody')
    }
    expect(service.count('/jwks.json')).toBe(2)
    pass(31)
    expect(await session(sessionToken({}, signers.former))).toBe('nobody')
    expect(service.count('/jwks.json')).toBe(3)
  })

  it('hears a feed that a new key has signed', async () => {
    expect(await session(sessionToken())).toBe('user-1 user-1')
    pass(31)
    service.signer = signers.stranger
    service.keys = JSON.stringify({ keys: [signers.stranger.jwk, signers.session.jwk] })
    service.ended.push(sessionClaims.sid)
    expect(await session(sessionToken())).toBe('nobody')
  })

  it('drops a key that is no longer published, five minutes later', async () => {
    expect(await session(sessionToken({}, signers.former))).toBe('user-1 user-1')
    service.keys = JSON.stringify({ keys: [signers.session.jwk] })
    pass(301)
    const token = sessionToken({ iat: service.now - 20, exp: service.now + 280 }, signers.former)
    expect(await session(token)).toBe('nobody')
  })

  it('asks about each session, if the feed is too long to be read', async () => {
    service.isLong = true
    service.ended.push(sessionClaims.sid)
    expect(await session(sessionToken())).toBe('nobody')
    const other = sessionToken({ sid: 'z'.repeat(22) })
    for (let times = 0; times < 5; times++) expect(await session(other)).toBe('user-1 user-1')
    expect(service.count('/revocations?of=')).toBe(2)
    const [, of = ''] = /of=([\w-]+)/.exec(service.asked.at(-1) ?? '') ?? []
    expect([of.length, of.slice(8)]).toEqual([24, `zzzzzzzz${sessionClaims.pid.slice(0, 8)}`])
    service.ended.push('z'.repeat(22))
    pass()
    expect(await session(other)).toBe('nobody')
    expect(service.count('/revocations?pages=1')).toBe(1)
  })

  it('attack: an answer about sessions that was given before is not taken again', async () => {
    service.isLong = true
    service.replayed = feedText({ of: `AAAAAAAAAAECAwQFvnRoWuVX`, next: NOW })
    expect(await session(sessionToken())).toBe('unavailable')
  })

  it('an answer that does not come leaves a session as it was, and lets nobody new in', async () => {
    service.isLong = true
    expect(await session(sessionToken())).toBe('user-1 user-1')
    service.isSilent = true
    pass()
    expect(await session(sessionToken())).toBe('user-1 user-1')
    expect(await session(sessionToken({ sid: 'z'.repeat(22) }))).toBe('unavailable')
  })

  it('a browser that could not renew its bound session is not known, and nobody without that', async () => {
    const without = { kind: 'read-session', address, cookie: 'other=1', now: service.now }
    const skipped = 'unreachable;session_identifier="lk.1"'
    expect(await talk.ask({ ...without, skipped })).toBe('unavailable')
    expect(await talk.ask({ ...without, skipped: 'unreachable;session_identifier="x"' })).toBe(
      'nobody',
    )
    expect(await talk.ask(without)).toBe('nobody')
    const cookie = `${NAME}=${sessionToken()}`
    expect(await talk.ask({ ...without, cookie, skipped })).toBe('user-1 user-1')
  })

  it('exchanges an API key once in five minutes, whatever the answer', async () => {
    for (let times = 0; times < 10; times++) expect(await access(KEY)).toBe(GOOD)
    expect(service.count('/oauth/token')).toBe(1)
    service.exchanged = undefined
    pass(299)
    expect(await access(KEY)).toBe(GOOD)
    pass(1)
    for (let times = 0; times < 10; times++) expect(await access(KEY)).toBe('api-key')
    expect(service.count('/oauth/token')).toBe(2)
  })

  it('an ended API key is refused before its answer is old', async () => {
    expect(await access(KEY)).toBe(GOOD)
    service.ended.push(accessClaims.grant)
    pass()
    expect(await access(KEY)).toBe('grant-ended')
  })

  it('exchanges an API key again within the request, if the claims of its person were refreshed', async () => {
    service.exchanged = {
      client_id: 'api-key',
      pid: undefined,
      sid: undefined,
      key_pid: 'k'.repeat(12),
    }
    expect(await access(KEY)).toBe(GOOD)
    service.stale.push({ pid: 'k'.repeat(12), until: service.now })
    pass()
    expect(await access(KEY)).toBe(GOOD)
    expect(await access(KEY)).toBe(GOOD)
    expect(service.count('/oauth/token')).toBe(2)
  })

  it('a good API key counts ten seconds longer while the service is silent', async () => {
    expect(await access(KEY)).toBe(GOOD)
    service.isSilent = true
    pass(305)
    expect(await access(KEY)).toBe(GOOD)
    pass(6)
    expect(await access(KEY)).toBe('unavailable')
  })

  it('attack: made-up API keys are asked about a hundred times in a second at most', async () => {
    service.exchanged = undefined
    expect(await access(KEY)).toBe('api-key')
    const answers = new Set<unknown>()
    for (let one = 0; one < 110; one++) answers.add(await access(madeUp(one)))
    expect([...answers]).toEqual(['api-key', 'unavailable'])
    expect(service.count('/oauth/token')).toBe(100)
  })
})

/** An API key with the checksum that everybody can calculate. */
function madeUp(number: number): string {
  const start = `acme_${String(number).padStart(38, '0')}`
  return start + inDigits(crc32(start))
}

function inDigits(number: number): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  let [rest, result] = [number, '']
  for (; result.length < 6; rest = Math.floor(rest / 62)) result = digits[rest % 62] + result
  return result
}
