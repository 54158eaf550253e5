import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  accessClaims,
  accessJwks,
  bearer,
  closeVerifiers,
  tokenFate,
  tokenVerifier,
} from '../test-support/access.js'
import { seeded } from '../test-support/keys.js'
import { settle, useWorker, worker } from '../test-support/worker.js'
import { API_KEY_BYTES, formatApiKey } from '../token/api-key.js'
import type { RevocationFeed } from './revocations.js'
import { MAX_AT_ONCE } from './turns.js'

const random = seeded(2915)
const { sid = '', pid = '' } = accessClaims
const newKey = () =>
  formatApiKey({
    prefix: 'acme',
    bytes: Uint8Array.from({ length: API_KEY_BYTES }, () => random(256)),
  })
const key = newKey()
/** How often the key was exchanged. */
let exchanges = 0
/** What the service answers; `undefined`: it is silent. */
let status: number | undefined = 200

useWorker()
beforeEach(() => {
  worker.accessJwks = accessJwks
  exchanges = 0
  status = 200
  worker.replaced.set('oauth/token', async () => {
    exchanges++
    if (status === undefined) throw new TypeError('ECONNREFUSED')
    if (status !== 200) return Response.json({ error: 'invalid_grant' }, { status })
    const { now } = worker.clock
    const none = { sid: undefined as never, pid: undefined as never, client_id: 'api-key' }
    const times = { iat: now, exp: now + 300, auth_time: now - 9_000, began: now - 9_000 }
    const token = await bearer({ ...none, ...times, key_pid: pid })
    return Response.json({ access_token: token.slice('Bearer '.length), expires_in: 300 })
  })
})
afterEach(closeVerifiers)

const stale = (entries: NonNullable<RevocationFeed['stale']>) =>
  worker.replaced.set(
    'revocations',
    async () => new Response(await worker.feed({ stale: entries })),
  )

describe('an access token from before a refresh of claims', () => {
  test.each([
    ['the person’s', () => [{ pid, until: worker.clock.now }]],
    ['the session’s', () => [{ sid, until: worker.clock.now }]],
  ])('is invalid_token, and one of a later second is good: %s', async (_, entries) => {
    const verifier = tokenVerifier()
    const old = await bearer({ iat: worker.clock.now })
    expect(await tokenFate(verifier, old)).toBe('live')
    stale(entries())
    worker.clock.now += 15
    await settle()
    expect(await tokenFate(verifier, old)).toBe('stale')
    const { refusal } = await verifier.read(old)
    expect(refusal).toMatchObject({ status: 401, error: 'invalid_token' })
    const fresh = await bearer({ iat: worker.clock.now, exp: worker.clock.now + 300 })
    expect(await tokenFate(verifier, fresh)).toBe('live')
  })

  test('another person’s, and one of another session, count as before', async () => {
    const verifier = tokenVerifier()
    stale([
      { pid: 'BBBBBBBBBBBB', until: worker.clock.now + 60 },
      { sid: 'another-session'.padEnd(22, 'x'), until: worker.clock.now + 60 },
    ])
    expect(await tokenFate(verifier, await bearer())).toBe('live')
  })
})

describe('the token of an API key from before a refresh of its person’s claims', () => {
  const header = `Bearer ${key}`

  test('is exchanged again within the same request, once', async () => {
    const verifier = tokenVerifier()
    expect(await tokenFate(verifier, header)).toBe('live')
    stale([{ pid, until: worker.clock.now }])
    worker.clock.now += 15
    await settle()
    const fates = await Promise.all(Array.from({ length: 20 }, () => tokenFate(verifier, header)))
    expect(new Set(fates)).toEqual(new Set(['live']))
    expect(exchanges).toBe(2)
    expect(await tokenFate(verifier, header)).toBe('live')
    expect(exchanges).toBe(2)
  })

  test('a refresh of one session, and an end to all sessions, touch no key', async () => {
    const verifier = tokenVerifier()
    expect(await tokenFate(verifier, header)).toBe('live')
    const { now } = worker.clock
    worker.replaced.set(
      'revocations',
      async () =>
        new Response(
          await worker.feed({ stale: [{ sid, until: now }], cutoffs: [{ pid, until: now }] }),
        ),
    )
    worker.clock.now += 15
    await settle()
    expect(await tokenFate(verifier, header)).toBe('live')
    expect(exchanges).toBe(1)
  })

  test('the service is silent: the last answer counts until its own end, with few calls', async () => {
    const verifier = tokenVerifier()
    expect(await tokenFate(verifier, header)).toBe('live')
    stale([{ pid, until: worker.clock.now }])
    status = undefined
    worker.clock.now += 15
    await settle()
    for (let read = 0; read < 5; read++) expect(await tokenFate(verifier, header)).toBe('live')
    expect(exchanges).toBe(2)
    status = 200
    worker.clock.now += 5
    expect(await tokenFate(verifier, header)).toBe('live')
    expect(exchanges).toBe(3)
  })

  test('flood: sixty-four of two hundred keys are exchanged at once, and the others wait their turn', async () => {
    const verifier = tokenVerifier()
    const headers = Array.from({ length: 200 }, () => `Bearer ${newKey()}`)
    // Strangers' keys are a hundred in a second.
    for (const [at, header] of headers.entries()) {
      if (at % 100 === 0) worker.clock.now++
      await tokenFate(verifier, header)
    }
    stale([{ pid, until: worker.clock.now }])
    worker.clock.now += 15
    await settle()
    const answer = worker.replaced.get('oauth/token')
    let [underWay, most] = [0, 0]
    const waiting: (() => void)[] = []
    worker.replaced.set('oauth/token', async (url, init) => {
      most = Math.max(most, ++underWay)
      await new Promise<void>((resolve) => waiting.push(resolve))
      underWay--
      return (answer as NonNullable<typeof answer>)(url, init)
    })
    // Two requests of each: they share its call, and its turn.
    const both = [...headers, ...headers]
    const fates = Promise.all(both.map((one) => tokenFate(verifier, one)))
    for (let done = 0; done < 200; ) {
      await settle()
      done += waiting.length
      for (const go of waiting.splice(0)) go()
    }
    expect(new Set(await fates)).toEqual(new Set(['live']))
    expect([most, exchanges]).toEqual([MAX_AT_ONCE, 400])
  })

  test('a key that has ended meanwhile is refused', async () => {
    const verifier = tokenVerifier()
    expect(await tokenFate(verifier, header)).toBe('live')
    stale([{ pid, until: worker.clock.now }])
    status = 400
    worker.clock.now += 15
    await settle()
    expect(await tokenFate(verifier, header)).toBe('api-key')
  })
})

test.each([1, '', 'x', null, {}])('attack: a token with key_pid %j is malformed', async (wrong) => {
  const authorization = await bearer({ key_pid: wrong as never })
  expect(await tokenFate(tokenVerifier(), authorization)).toBe('claims')
})
