import { createHash, createHmac } from 'node:crypto'
import { createVerifier, type SessionClaims } from '@latchkey/session'
import { deriveSessionKeys, type RevocationFeed, signSessionToken } from '@latchkey/session/issue'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { digest } from '../lib/base64url.js'
import { type Browser, claimsIn, origin, secret } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { withMail } from '../test-support/email.js'

/** Ending all sessions waits for the end of the second. */
const start = Date.UTC(2026, 10, 1) + 990

const { pass } = clock({ start })

/** What anybody reads, without a key. */
async function textOfFeed(browser: Browser, query = ''): Promise<string> {
  const answer = await browser.get(`/auth/revocations${query}`, { cookie: '' })
  return Buffer.from((await answer.text()).split('.')[1] ?? '', 'base64url').toString()
}

const feedOf = async (browser: Browser): Promise<RevocationFeed> =>
  JSON.parse(await textOfFeed(browser))

const everywhere = (browser: Browser, session = 'others') =>
  browser.submit('/auth/sessions/revoke', { session })

describe('a stranger with an address and the feed', () => {
  const address = 'ada@example.com'

  /** Somebody who has signed in by mail in two browsers, and signed out of the second everywhere. */
  async function signedOutByMail(changes = {}) {
    const mail = withMail({}, changes)
    const [one, two] = [await mail.ask(address), await mail.ask(address)]
    void one
    await two.browser.get(two.path)
    await everywhere(two.browser)
    return { ...mail, browser: two.browser }
  }

  it('cannot tell whether its owner has signed out everywhere: every unkeyed hash of it is absent', async () => {
    const { browser } = await signedOutByMail()
    const text = await textOfFeed(browser)
    const { sub, sid } = claimsIn(browser)
    // The address alone gives the subject (docs/decisions/people.md).
    expect(await digest(['latchkey/sub/v1', 'email', address], 16)).toBe(sub)
    const known = [address, sub, 'email', `email:${address}`, JSON.stringify([address])]
    const hashes = known.flatMap((name) => [
      name,
      ...['sha256', 'sha512', 'sha1', 'md5'].flatMap((algorithm) => [
        createHash(algorithm).update(name),
        createHmac(algorithm, '').update(name),
        createHmac(algorithm, 'latchkey/pid/hmac-sha256/v1').update(name),
      ]),
    ])
    for (const hash of hashes) {
      const value = typeof hash === 'string' ? hash : hash.digest('base64url').slice(0, 8)
      expect(text).not.toContain(value)
    }
    // The feed has times, the issuer, handles of sessions and the name, and nothing else.
    const { iss, since, next, window, cutoffs, sids, users } = JSON.parse(text)
    expect(Object.keys(JSON.parse(text))).toHaveLength(7)
    expect([iss, since, typeof next, window, users]).toEqual([
      `${origin}/auth`,
      0,
      'number',
      300,
      [],
    ])
    for (const one of sids) expect(one).toMatch(/^[\w-]{22}$/)
    const { pid } = claimsIn(browser)
    expect(cutoffs).toEqual([{ pid, until: expect.any(Number), except: sid }])
  })

  it('does not learn that from another service, where the same person has another name', async () => {
    const { browser: here } = await signedOutByMail()
    const { browser: there } = await signedOutByMail({
      secret: 'another-secret-0123456789abcdef-0',
    })
    expect(claimsIn(here).sub).toBe(claimsIn(there).sub)
    expect(claimsIn(here).pid).not.toBe(claimsIn(there).pid)
    expect(await textOfFeed(there)).not.toContain(claimsIn(here).pid)
  })

  it('finds it in a token of the person, as an app does', async () => {
    const { browser } = await signedOutByMail()
    expect(claimsIn(browser).pid).toMatch(/^[\w-]{12}$/)
    expect((await feedOf(browser)).cutoffs?.[0]?.pid).toBe(claimsIn(browser).pid)
  })

  it('does not show it in the session', async () => {
    const { browser } = await signedOutByMail()
    const text = await (await browser.get('/auth/session')).text()
    expect(text).toContain('ada@example.com')
    expect(text).not.toContain(claimsIn(browser).pid)
    expect(text).not.toContain('pid')
  })
})

describe('a rotation of the secret loses no cut-off', () => {
  it('it is listed under the name in tokens of every secret, and a renewed token has the new one', async () => {
    const [older, newer] = ['old-'.repeat(10), 'new-'.repeat(10)]
    const { browserAt, isolate, signIn, copyAt } = deployment({ secret: older })
    const kept = await signIn()
    const early = await signIn()
    const rotated = isolate('here', { secret: [newer, older] })
    const late = await signIn('ada', rotated)
    const names = [early, late].map((browser) => claimsIn(browser).pid)
    expect(new Set(names).size).toBe(2)
    await everywhere(kept)
    const { cutoffs = [] } = await feedOf(browserAt(rotated))
    expect(cutoffs.map(({ pid }) => pid).sort()).toEqual(names.sort())
    for (const { except } of cutoffs) expect(except).toBe(claimsIn(kept).sid)
    pass(300)
    const renewed = copyAt(kept, rotated)
    await renewed.session()
    expect(claimsIn(renewed).pid).toBe(claimsIn(late).pid)
  })
})

/** An app with a verifier of its own, which counts what it asks the service. */
function appOf({ answer }: { answer: (request: Request) => Promise<Response> }) {
  const asked: string[] = []
  const verifier = createVerifier({
    worker: `${origin}/auth`,
    fetch: async (input, init) => {
      const request = new Request(String(input), init)
      asked.push(request.url.slice(`${origin}/auth`.length))
      return answer(request)
    },
    onError: (error) => {
      throw error
    },
  })
  onTestFinished(() => verifier.close())
  const read = async ({ cookie }: Browser) => (await verifier.read(cookie)).session
  return { verifier, read, asked }
}

/** The browser's token as a Worker of version 0.1 signed it. */
async function withoutName(browser: Browser, changes: Partial<SessionClaims> = {}) {
  const { pid, ...claims } = claimsIn(browser)
  const { signing } = await deriveSessionKeys([secret])
  browser.jar.set('auth.session-token', await signSessionToken({ ...claims, ...changes }, signing))
}

describe('an app', () => {
  it('refuses a session that KV did not list when its person signed out everywhere', async () => {
    const { signIn, isolate } = deployment()
    const thief = await signIn('ada', isolate('elsewhere'))
    const [owner, stranger] = [await signIn(), await signIn('grace')]
    const app = appOf(isolate('third'))
    for (const browser of [thief, owner, stranger]) expect(await app.read(browser)).not.toBeNull()
    await everywhere(owner)
    pass(10)
    await app.read(owner)
    pass(10)
    const readings = await Promise.all([thief, owner, stranger].map(app.read))
    expect(readings.map((session) => session?.user?.name)).toEqual([undefined, 'ada', 'grace'])
    expect(app.asked.filter((path) => path.startsWith('/session'))).toEqual([])
  })

  describe('with tokens from before they had a name in the feed', () => {
    /** Three people's sessions, whose tokens have none; one of them has signed out everywhere. */
    async function early() {
      const set = deployment()
      const thief = await set.signIn('ada', set.isolate('elsewhere'))
      const [owner, stranger] = [await set.signIn(), await set.signIn('grace')]
      for (const browser of [thief, owner, stranger]) await withoutName(browser)
      const app = appOf(set.isolate('third'))
      for (const browser of [thief, owner, stranger]) expect(await app.read(browser)).not.toBeNull()
      return { ...set, thief, owner, stranger, app }
    }

    it('asks the service about them after a user has signed out everywhere, and only then', async () => {
      const { thief, owner, stranger, app, settled } = await early()
      pass(10)
      for (const browser of [thief, owner, stranger]) await app.read(browser)
      expect(app.asked.filter((path) => path.startsWith('/session'))).toEqual([])
      await everywhere(owner)
      await settled()
      pass(10)
      await app.read(stranger)
      pass(10)
      const readings = await Promise.all([thief, owner, stranger].map(app.read))
      expect(readings.map((session) => session?.user?.name)).toEqual([undefined, 'ada', 'grace'])
      expect(app.asked.filter((path) => path.startsWith('/session')).length).toBeGreaterThan(0)
    })

    it('has them renewed with a name, and stops asking', async () => {
      const { owner, stranger, app } = await early()
      await everywhere(owner)
      pass(10)
      await app.read(stranger)
      pass(60)
      const { session, setCookie } = await app.verifier.read(stranger.cookie)
      expect(session?.user?.name).toBe('grace')
      const [line = ''] = setCookie
      stranger.jar.set('auth.session-token', line.split(/[=;]/)[1] ?? '')
      expect(claimsIn(stranger).pid).toMatch(/^[\w-]{12}$/)
      app.asked.length = 0
      expect((await app.read(stranger))?.user?.name).toBe('grace')
      expect(app.asked.filter((path) => path.startsWith('/session'))).toEqual([])
    })

    it('keeps one that was made by hand, of which the service has no record', async () => {
      const { owner, stranger, app } = await early()
      await withoutName(stranger, { sub: 'by-hand', sid: 'h'.repeat(22) })
      await everywhere(owner)
      pass(10)
      await app.read(owner)
      pass(10)
      expect((await app.read(stranger))?.user?.name).toBe('grace')
      expect(app.asked).toContain('/session?online=1')
    })

    it('takes one that was signed a minute after the cut-off as the ledger’s word', async () => {
      const { owner, stranger, app } = await early()
      await everywhere(owner)
      const iat = Math.floor(Date.now() / 1000) + 61
      await withoutName(stranger, { iat, exp: iat + 300 })
      pass(70)
      await app.read(owner)
      app.asked.length = 0
      expect((await app.read(stranger))?.user?.name).toBe('grace')
      expect(app.asked.filter((path) => path.startsWith('/session'))).toEqual([])
    })
  })
})

describe('the feed for an app of version 0.1', () => {
  it('is sessions by their handles, listed ones of a sign-out everywhere too, and no cut-off', async () => {
    const { signIn, browserAt, settled } = deployment()
    const other = await signIn()
    pass(61)
    const owner = await signIn()
    await everywhere(owner)
    await settled()
    pass(5)
    const { sids, users } = await feedOf(browserAt())
    expect([sids, users]).toEqual([[claimsIn(other).sid], []])
  })
})
