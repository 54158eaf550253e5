import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import credentials from '../../providers/credentials.js'
import { prove, type Said as SaidOf } from '../../test-support/app-proof.js'
import { Browser, configWith, everythingIn, secret } from '../../test-support/browser.js'
import type { AuthConfig, Environment } from '../../types.js'
import { readProof } from './app-proof.js'

const { pass } = clock()

const SHOP = 'https://shop.example'
const OTHER = 'https://other.example'
const SHOP_KEY = 'the-key-of-the-shop-0123456789abcdef'
const OTHER_KEY = 'the-key-of-the-other-0123456789abcdef'
const APP_KEYS = `${SHOP}=${SHOP_KEY},${OTHER}=${OTHER_KEY}`
const WORKER = 'https://auth.example'
/** The address of the app's requests, as Cloudflare sees it. */
const APP_ADDRESS = '192.0.2.80'

/** A Worker that counts wrong passwords, and its log. */
function worker(env: Environment = {}, changes: Partial<AuthConfig> = {}) {
  const lines: string[] = []
  const log = (...line: unknown[]) => void lines.push(line.map((it) => everythingIn(it)).join(' '))
  const authorize = ({ password }: { password?: unknown }) =>
    password === 'right' ? { id: 'ann' } : null
  const config = configWith({
    providers: [credentials({ authorize })],
    logger: { error: log, warn: log, debug: log },
    debug: true,
    ...changes,
  })
  const auth = createAuth(config)
  return { lines, send: (request: Request) => auth.fetch(request, env) }
}

/** The lines about proofs in the operator's log. */
const told = ({ lines }: ReturnType<typeof worker>) =>
  lines.filter((line) => line.startsWith('app-proof ')).join('\n')

interface Said extends SaidOf {
  readonly secrets?: readonly string[]
}

/** The proof of an app for a request to the Worker. */
async function proof(path: string, { secrets = [secret], ...said }: Said, method = 'POST') {
  const headers = new Headers()
  await prove(secrets, { url: WORKER + path, method, headers }, said)
  return headers.get('x-auth-proof') ?? ''
}

/** A statement with another address. */
function withClient(statement: string): string {
  const said = { ...JSON.parse(atob(statement)), client: '10.0.0.1' }
  return btoa(JSON.stringify(said)).replaceAll('=', '')
}

const CALLBACK = '/auth/callback/credentials'

/** Tries a password. @param header of the POST: the proof, in the place of a fresh one */
async function tryPassword(
  { send }: ReturnType<typeof worker>,
  said: Said,
  { password = 'wrong', header = undefined as string | undefined } = {},
) {
  const browser = new Browser(configWith(), {
    at: WORKER,
    async answer(request) {
      const { headers, method, url } = request
      headers.set('cf-connecting-ip', APP_ADDRESS)
      headers.set('x-auth-proof', header ?? (await proof(new URL(url).pathname, said, method)))
      return send(request)
    },
  })
  const answer = await browser.submit(CALLBACK, { username: 'ann', password })
  return answer.status
}

async function tries(count: number, ...given: Parameters<typeof tryPassword>) {
  const statuses: number[] = []
  for (let at = 0; at < count; at++) statuses.push(await tryPassword(...given))
  return statuses
}

const stranger = { origin: SHOP, client: '203.0.113.66' }
const owner = { origin: SHOP, client: '198.51.100.7' }

describe('limits by network behind an app that proves itself', () => {
  it.each<[string, Environment, readonly string[]]>([
    ['by the shared secret', {}, [secret]],
    ['by a key of its own', { AUTH_APP_KEYS: APP_KEYS }, [SHOP_KEY]],
  ])('%s: a stranger’s ten wrong tries keep the owner from nothing', async (_, env, secrets) => {
    const service = worker(env)
    expect(await tries(11, service, { ...stranger, secrets })).toEqual([
      ...Array(10).fill(302),
      429,
    ])
    expect(await tryPassword(service, { ...owner, secrets }, { password: 'right' })).toBe(302)
    expect(told(service)).toBe('')
  })

  it('also if AUTH_URL says the origin', async () => {
    const service = worker({ AUTH_URL: `${WORKER}/auth` })
    expect((await tries(11, service, stranger)).at(-1)).toBe(429)
    expect(await tryPassword(service, owner, { password: 'right' })).toBe(302)
  })

  it('the addresses of one /64 are one network', async () => {
    const service = worker()
    for (let at = 0; at < 10; at++) {
      await tryPassword(service, { ...stranger, client: `2001:db8:1:2::${at + 1}` })
    }
    const neighbour = { ...owner, client: '2001:db8:1:2:ffff::1' }
    expect(await tryPassword(service, neighbour, { password: 'right' })).toBe(429)
  })

  it.each([
    ['none', undefined],
    ['no address', 'unknown'],
    ['a list of two', '198.51.100.7, 203.0.113.66'],
    ['a name', 'localhost'],
  ])('an app that names %s is one network itself', async (_, client) => {
    const service = worker()
    await tries(10, service, { origin: SHOP, client })
    expect(await tryPassword(service, { origin: SHOP, client }, { password: 'right' })).toBe(429)
    expect(await tryPassword(service, owner, { password: 'right' })).toBe(302)
  })

  it('any secret of a rotation counts, on either side first', async () => {
    const newer = 'the-newer-secret-0123456789abcdefghij'
    const rotations = [
      { app: [newer, secret], service: [secret] },
      { app: [secret], service: [newer, secret] },
      { app: [newer, secret], service: [newer] },
    ]
    for (const { app, service } of rotations) {
      const rotated = worker({}, { secret: service })
      await tries(10, rotated, { ...stranger, secrets: app })
      const own = { ...owner, secrets: app }
      expect(await tryPassword(rotated, own, { password: 'right' })).toBe(302)
    }
  })
})

describe('a proof that does not count', () => {
  /** The network of the app has ten tries; does a request with this header have more? */
  async function counts(header: string, service = worker()) {
    await tries(10, service, {}, { header: '' })
    const status = await tryPassword(service, {}, { header, password: 'right' })
    return { isCounted: status === 302, service }
  }

  it('a fresh one counts, so the refusals below have their cause in the change', async () => {
    expect((await counts(await proof(CALLBACK, owner))).isCounted).toBe(true)
  })

  it('replay: a header that was seen once does not name a network again', async () => {
    const service = worker()
    const seen = await proof(CALLBACK, stranger)
    // A thief of it tries on: the first try counts for the visitor, the others for the thief.
    expect((await tries(12, service, {}, { header: seen })).at(-1)).toBe(429)
    expect(told(service)).toContain('was sent before')
    expect(await tryPassword(service, stranger, { password: 'right' })).toBe(302)
  })

  it('replay: many at once are not taken for more than one', async () => {
    const service = worker()
    const header = await proof(CALLBACK, owner)
    const all = await Promise.all(
      Array.from({ length: 20 }, () => tryPassword(service, {}, { header })),
    )
    expect(all.filter((status) => status === 302)).toHaveLength(11)
  })

  it.each([
    ['another path', '/auth/signin/email', 'POST'],
    ['another method', CALLBACK, 'PUT'],
  ])('replay: a header for %s', async (_, path, method) => {
    const { isCounted, service } = await counts(await proof(path, owner, method))
    expect(isCounted).toBe(false)
    expect(told(service)).toContain('signed for another request')
  })

  it.each([
    ['a minute and a second ago', 61, false],
    ['a minute ago', 60, true],
    ['a minute ahead', -60, true],
    ['a minute and a second ahead', -61, false],
  ])('a stale clock: signed %s', async (_, seconds, isGood) => {
    const service = worker()
    const header = await proof(CALLBACK, owner)
    pass(seconds)
    const { isCounted } = await counts(header, service)
    expect(isCounted).toBe(isGood)
    expect(told(service).includes('clock')).toBe(!isGood)
  })

  it('another app’s header: a key of its own proves its own origin alone', async () => {
    const service = worker({ AUTH_APP_KEYS: APP_KEYS })
    const header = await proof(CALLBACK, { ...owner, secrets: [OTHER_KEY] })
    expect((await counts(header, service)).isCounted).toBe(false)
    expect(told(service)).toContain('another origin')
    expect(told(service)).not.toContain(SHOP)
  })

  it('a key that is no longer listed', async () => {
    const service = worker({ AUTH_APP_KEYS: `${SHOP}=${SHOP_KEY}` })
    const header = await proof(CALLBACK, { origin: OTHER, secrets: [OTHER_KEY] })
    expect((await counts(header, service)).isCounted).toBe(false)
    expect(told(service)).toContain('AUTH_APP_KEYS')
  })

  interface Parts {
    readonly good: string
    readonly statement: string
    readonly id: string
    readonly mac: string
  }

  it.each<[string, (parts: Parts) => string]>([
    ['a forged address', ({ statement, id, mac }) => `${withClient(statement)}.${id}.${mac}`],
    ['another signature', ({ statement, id }) => `${statement}.${id}.${'A'.repeat(43)}`],
    ['a signature cut short', ({ good }) => good.slice(0, -1)],
    ['an unknown key', ({ statement, mac }) => `${statement}.AAAAAAAA.${mac}`],
    ['no signature', ({ statement, id }) => `${statement}.${id}`],
    ['a statement alone', ({ statement }) => statement],
    ['five keys', ({ statement, id, mac }) => statement + `.${id}.${mac}`.repeat(5)],
    ['an oversized statement', ({ id, mac }) => `${'A'.repeat(601)}.${id}.${mac}`],
    ['an oversized header', ({ good }) => good + '.'.repeat(1_024)],
    ['a megabyte', () => 'A'.repeat(1 << 20)],
    ['two in one header', ({ good }) => `${good}, ${good}`],
    ['nothing', () => ''],
    ['a name of every object', ({ statement, mac }) => `${statement}.__proto_.${mac}`],
  ])('%s: the request is answered as without it, and logged once', async (_, damaged) => {
    const good = await proof(CALLBACK, owner)
    const [statement = '', id = '', mac = ''] = good.split('.')
    const header = damaged({ good, statement, id, mac })
    const { isCounted, service } = await counts(header)
    expect(isCounted).toBe(false)
    expect(told(service)).not.toBe('')
    const before = told(service)
    await tryPassword(service, {}, { header })
    expect(told(service)).toBe(before)
    for (const text of [statement, mac, '198.51.100.7']) {
      expect(service.lines.join('\n')).not.toContain(text)
    }
  })

  it('a statement that an app’s own key signs is checked all the same', async () => {
    const parts = {
      config: { appKeys: [{ origin: SHOP, key: SHOP_KEY }], now: Date.now },
      keys: { proofKeys: async () => [] },
    }
    const fault = async (said: Record<string, unknown>) => {
      const header = await proof(CALLBACK, { ...said, secrets: [SHOP_KEY] } as Said)
      const headers = new Headers({ 'x-auth-proof': header })
      return readProof({ method: 'POST', headers }, CALLBACK, parts)
    }
    expect(await fault({ origin: 1 })).toBe('malformed')
    expect(await fault({ client: {} })).toBe('malformed')
    expect(await fault({ origin: `${SHOP}/path` })).toBe('malformed')
    expect(await fault({ origin: 'javascript:alert(1)' })).toBe('malformed')
    expect(await fault({ origin: SHOP.toUpperCase() })).toBe('malformed')
    expect(await fault({ origin: 'https://shop.example.evil.example' })).toBe('another-origin')
    expect(await fault({ client: 'x'.repeat(10) })).toMatchObject({ client: 'x'.repeat(10) })
    expect(await fault({ client: 'x'.repeat(600) })).toBe('malformed')
  })

  it('a header of a stranger costs no signature: its key is looked up first', async () => {
    const derive = vi.fn(async () => [])
    const parts = { config: { appKeys: [], now: Date.now }, keys: { proofKeys: derive } }
    const good = await proof(CALLBACK, owner)
    const ask = (header: string) =>
      readProof(
        { method: 'POST', headers: new Headers({ 'x-auth-proof': header }) },
        CALLBACK,
        parts,
      )
    expect(await ask('A'.repeat(5_000))).toBe('malformed')
    expect(derive).not.toHaveBeenCalled()
    for (let count = 0; count < 5; count++) expect(await ask(good)).toBe('unknown-key')
    expect(derive).toHaveBeenCalledOnce()
  })
})

describe('AUTH_APP_KEYS', () => {
  it.each([
    ['no key', SHOP],
    ['an empty key', `${SHOP}=`],
    ['a short key', `${SHOP}=short`],
    ['a key that is easy to guess', `${SHOP}=${'a'.repeat(40)}`],
    ['a wildcard', `https://*.shop.example=${SHOP_KEY}`],
    ['a path', `${SHOP}/x=${SHOP_KEY}`],
    ['no scheme', `shop.example=${SHOP_KEY}`],
  ])('with %s is refused by name, without the key', async (_, AUTH_APP_KEYS) => {
    const service = worker({ AUTH_APP_KEYS })
    const answer = await service.send(new Request(`${WORKER}/auth/csrf`))
    expect(answer.status).toBe(500)
    expect(service.lines.join('\n')).toContain('AUTH_APP_KEYS')
    expect(service.lines.join('\n')).not.toContain(SHOP_KEY)
  })
})
