import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import type { Stores } from '../stores/ports.js'
import type { Browser } from '../test-support/browser.js'
import { signedIn } from '../test-support/signed-in.js'
import type { AuthConfig, SessionRecord } from '../types.js'

const DAY = 24 * 60 * 60
const cookieName = 'auth.session-token'

const { pass } = clock()

function claimsIn(browser: Browser): { sub: string; sid: string; exp: number; sexp: number } {
  return JSON.parse(atob(browser.jar.get(cookieName)?.split('.')[1] ?? ''))
}

async function recordOf(browser: Browser, { sessions }: Stores) {
  const { sub, sid } = claimsIn(browser)
  return (await sessions.get(sub, sid)) as SessionRecord
}

describe('renewal', () => {
  it('makes a fresh token for the same session', async () => {
    const { browser } = await signedIn()
    const before = claimsIn(browser)
    pass(6 * 60)
    expect(await browser.session()).not.toBeNull()
    expect(claimsIn(browser)).toMatchObject({ sub: before.sub, sid: before.sid, sexp: before.sexp })
    expect(claimsIn(browser).exp).toBeGreaterThan(before.exp)
  })

  it('for a revoked session never happens, although its record is still there', async () => {
    const { browser, store } = await signedIn()
    const record = await recordOf(browser, store)
    await store.ledger.revoke(record.sid, record.expires)
    pass(6 * 60)
    const response = await browser.get('/auth/session')
    expect(await response.json()).toBeNull()
    expect(response.headers.getSetCookie().join()).not.toMatch(/session-token=[^;]/)
    expect(await store.sessions.get(record.sub, record.sid)).toEqual(record)
  })

  it('with the record of another session under its key is refused, and signs no user out', async () => {
    const { browser, store, under } = await signedIn()
    const other = under()
    other.jar.delete(cookieName)
    await other.signIn('fake')
    const [own, foreign] = [await recordOf(browser, store), await recordOf(other, store)]
    await store.sessions.put({ ...own, sealed: foreign.sealed })
    pass(6 * 60)
    const response = await browser.get('/auth/session')
    expect([response.status, await response.json()]).toEqual([200, null])
    expect(browser.jar.has(cookieName)).toBe(true)
    await store.sessions.put(own)
    expect(await browser.session()).not.toBeNull()
  })

  it.each(['', 'garbage', 'AAAA'.repeat(20)])(
    'with the damaged record %j is refused, and signs no user out',
    async (sealed) => {
      const { browser, store } = await signedIn()
      await store.sessions.put({ ...(await recordOf(browser, store)), sealed })
      pass(6 * 60)
      const response = await browser.get('/auth/session')
      expect([response.status, await response.json()]).toEqual([200, null])
      expect(browser.jar.has(cookieName)).toBe(true)
    },
  )

  it('HEAD renews nothing', async () => {
    const { browser } = await signedIn()
    const before = browser.cookie
    pass(6 * 60)
    const response = await browser.send('/auth/session', { method: 'HEAD' })
    expect(response.headers.getSetCookie()).toEqual([])
    expect(browser.cookie).toBe(before)
  })
})

describe('the end of a session', () => {
  it('slides while it is used, at most once a day', async () => {
    const { browser } = await signedIn()
    const first = claimsIn(browser).sexp
    pass(DAY / 2)
    await browser.session()
    expect(claimsIn(browser).sexp).toBe(first)
    pass(DAY)
    await browser.session()
    expect(claimsIn(browser).sexp).toBe(first + 1.5 * DAY)
  })

  it('is at maxAge without use', async () => {
    const { browser } = await signedIn()
    pass(30 * DAY + 1)
    expect(await browser.session()).toBeNull()
  })

  it('is never later than absoluteMaxAge, however much it is used', async () => {
    const { browser } = await signedIn({ session: { absoluteMaxAge: 10 * DAY } })
    for (let day = 0; day < 9; day++) {
      pass(DAY)
      expect(await browser.session()).not.toBeNull()
    }
    pass(DAY + 61)
    expect(await browser.session()).toBeNull()
  })

  it('never comes later than 90 days after the sign-in, unless the configuration says otherwise', async () => {
    const use = async (session: AuthConfig['session']) => {
      const { browser } = await signedIn({ session: { ...session } })
      for (let day = 0; day < 88; day += 22) {
        pass(22 * DAY)
        expect(await browser.session()).not.toBeNull()
      }
      pass(2 * DAY + 61)
      return browser.session()
    }
    expect(await use({})).toBeNull()
    expect(await use({ maxAge: 365 * DAY })).toBeNull()
    expect(await use({ absoluteMaxAge: 91 * DAY })).not.toBeNull()
  })

  it('sends it as it comes, also for a session that was to last longer before', async () => {
    const { browser, under } = await signedIn({ session: { absoluteMaxAge: 365 * DAY } })
    const { sexp: first } = claimsIn(browser)
    for (let day = 0; day < 80; day += 20) {
      pass(20 * DAY)
      expect(await browser.session()).not.toBeNull()
    }
    expect(claimsIn(browser).sexp).toBe(first + 80 * DAY)
    const limited = under({ session: {} })
    pass(6 * 60)
    expect(await limited.session()).not.toBeNull()
    expect(claimsIn(limited).sexp).toBe(first + 60 * DAY)
  })

  it.each<[string, AuthConfig['session']]>([
    ['absoluteMaxAge', { absoluteMaxAge: DAY }],
    ['maxAge', { maxAge: DAY }],
  ])('a %s that was shortened applies to renewal and to an update', async (_, session) => {
    const { under } = await signedIn()
    pass(2 * DAY)
    const renewing = under({ session: session ?? {} })
    expect(await renewing.session()).toBeNull()
    const updating = under({ session: session ?? {} })
    const response = await updating.submit('/auth/session', { data: 'x' })
    expect(await response.json()).toBeNull()
    expect(response.headers.getSetCookie().join()).not.toMatch(/session-token=[^;]/)
  })

  it('a token never outlives its session', async () => {
    const { browser } = await signedIn({ session: { maxAge: 60, tokenMaxAge: 300 } })
    const { exp, sexp } = claimsIn(browser)
    expect(exp).toBe(sexp)
  })
})

describe('cookies that are not the session', () => {
  it.each([
    ['a stray cookie that shares its prefix', 'auth.session-token-old=x'],
    ['a stray chunk', 'auth.session-token.7=x'],
    ['a chunk with a name for an index', 'auth.session-token.evil=x'],
    ['a tossed cookie of the same name', 'auth.session-token=tossed'],
    ['a tossed first chunk', 'auth.session-token.0=tossed'],
    ['garbage', '%%%; =; ;;=x; \u00ff'],
    ['an empty one', 'auth.session-token='],
  ])('%s: breaks no session and signs no user out', async (_, stray) => {
    const { browser } = await signedIn()
    for (const cookie of [`${stray}; ${browser.cookie}`, `${browser.cookie}; ${stray}`]) {
      const response = await browser.get('/auth/session', { cookie })
      expect(response.status).toBe(200)
      expect(await response.json()).not.toBeNull()
    }
  })

  it('a flood of large cookies is answered, and signs no user in', async () => {
    const { browser } = await signedIn()
    browser.jar.delete(cookieName)
    const flood = Array.from(
      { length: 2_000 },
      (_, at) => `auth.session-token${at % 2 ? `.${at}` : ''}=${'x.'.repeat(50)}`,
    )
    const response = await browser.get('/auth/session', { cookie: flood.join('; ') })
    expect(await response.json()).toBeNull()
  })

  it('a session of another base path or origin is refused', async () => {
    const { browser, under } = await signedIn()
    const elsewhere = under({ basePath: '/other' })
    expect(await (await elsewhere.get('/other/session')).json()).toBeNull()
    const host = await browser.get('/auth/session')
    expect(await host.json()).not.toBeNull()
  })

  it('a flow cookie or a csrf token under the session’s name signs no user in', async () => {
    const { browser } = await signedIn()
    await browser.start('fake')
    for (const [name, value] of browser.jar) {
      if (name === cookieName) continue
      const cookie = `${cookieName}=${value}`
      expect(await (await browser.get('/auth/session', { cookie })).json()).toBeNull()
    }
  })

  it('a session in chunks is read, and shrinks without leaving chunks behind', async () => {
    let long = true
    const { browser } = await signedIn({
      callbacks: {
        session: ({ session }) => ({ ...session, pad: long ? 'x'.repeat(7_000) : '' }) as never,
      },
    })
    const names = () => [...browser.jar.keys()].filter((name) => name.startsWith(cookieName)).sort()
    expect(names().length).toBeGreaterThan(2)
    expect(names()).not.toContain(cookieName)
    expect(await browser.session()).toMatchObject({ pad: 'x'.repeat(7_000) })
    long = false
    pass(6 * 60)
    expect(await browser.session()).toMatchObject({ pad: '' })
    expect(names()).toEqual([cookieName])
    await browser.submit('/auth/signout')
    expect(names()).toEqual([])
  })
})
