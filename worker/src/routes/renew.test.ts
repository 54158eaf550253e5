import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { type Browser, claimsIn, locationOf, origin, setsSession } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { fails } from '../test-support/faulty.js'
import { waitedFor } from '../test-support/time.js'

const DAY = 24 * 60 * 60

const { pass, advance, takeTimers } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const inbox = `${origin}/inbox?page=2`
const signInPage = `${origin}/auth/signin?callbackUrl=${encodeURIComponent(inbox)}`
const renew = (browser: Browser, callbackUrl = '/inbox?page=2', headers = {}) =>
  browser.get(`/auth/renew?${new URLSearchParams({ callbackUrl })}`, headers)

describe('GET /renew', () => {
  it.each([
    ['has ended, as it does after five minutes', 6 * 60],
    ['ended weeks ago', 29 * DAY],
    ['is still good', 60],
  ])('a token that %s: a fresh one, and a redirect back', async (_, after) => {
    const { signIn } = deployment()
    const browser = await signIn()
    const before = claimsIn(browser)
    pass(after)
    const answer = await renew(browser)
    expect([answer.status, locationOf(answer)]).toEqual([302, inbox])
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(claimsIn(browser)).toMatchObject({ sid: before.sid, sub: before.sub })
    expect(claimsIn(browser).exp).toBe(Math.floor(Date.now() / 1000) + 300)
  })

  it('no session: a redirect to the sign-in page, which leads back', async () => {
    const { browserAt } = deployment()
    const browser = browserAt()
    const answer = await renew(browser)
    expect([answer.status, locationOf(answer)]).toEqual([302, signInPage])
    const page = await (await browser.get(locationOf(answer).slice(origin.length))).text()
    expect(page).toContain(`name="callbackUrl" value="${inbox}"`)
  })

  it('redirects to the app’s own sign-in page, if it has one', async () => {
    const { browserAt } = deployment({ pages: { signIn: 'https://app.example/login?theme=dark' } })
    const url = new URL(locationOf(await renew(browserAt())))
    expect(url.origin + url.pathname).toBe('https://app.example/login')
    expect([...url.searchParams]).toEqual([
      ['theme', 'dark'],
      ['callbackUrl', inbox],
    ])
  })

  it('a session that is over: its cookie is removed, and a redirect to the sign-in page', async () => {
    const { signIn, isolate, copyAt } = deployment()
    const browser = await signIn()
    const copy = copyAt(browser, isolate('elsewhere'))
    expect(await copy.session()).not.toBeNull()
    await browser.submit('/auth/signout')
    const answer = await renew(copy)
    expect([locationOf(answer), copy.jar.has('auth.session-token')]).toEqual([signInPage, false])
  })

  it.each([
    ['still good: back', 60, inbox],
    ['ended: to sign in, the cookie kept', 360, signInPage],
  ])('KV that does not show the record, a token %s', async (_, after, target) => {
    const { signIn, isolate, copyAt, kv } = deployment()
    const browser = await signIn()
    pass(after)
    kv.damaged.set(`session:${claimsIn(browser).sub}:${claimsIn(browser).sid}`, 'null')
    const elsewhere = copyAt(browser, isolate('elsewhere'))
    expect(locationOf(await renew(elsewhere))).toBe(target)
    expect(elsewhere.jar.has('auth.session-token')).toBe(true)
  })

  it.each(['get', 'standing'] as const)('%s fails: 503, and the cookie is kept', async (name) => {
    const { signIn, kv, ledgers } = deployment()
    const browser = await signIn()
    if (name === 'get') kv.before.set(name, fails)
    else ledgers.before.set(name, fails)
    pass(360)
    const answer = await renew(browser, '/', { accept: 'text/html' })
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([503, []])
    expect(answer.headers.get('content-type')).toContain('text/html')
  })

  it.each(['https://evil.example/', '//evil.example', 'javascript:alert(1)', '/\\evil.example'])(
    'never redirects to %s',
    async (callbackUrl) => {
      const { signIn, browserAt } = deployment()
      expect(locationOf(await renew(await signIn(), callbackUrl))).toBe(`${origin}/`)
      const url = new URL(locationOf(await renew(browserAt(), callbackUrl)))
      expect(url.searchParams.get('callbackUrl')).toBe(`${origin}/`)
    },
  )

  it('HEAD renews nothing, and a script gets the URL as JSON', async () => {
    const { signIn } = deployment()
    const browser = await signIn()
    pass(360)
    const head = await browser.send('/auth/renew', { method: 'HEAD' })
    expect([head.status, head.headers.getSetCookie()]).toEqual([200, []])
    const answer = await renew(browser, '/inbox', { 'x-auth-return-redirect': '1' })
    expect([answer.status, await answer.json()]).toEqual([200, { url: `${origin}/inbox` }])
  })
})

describe('many at once', () => {
  const places = Array.from({ length: 20 }, (_, at) => `place-${at % 5}`)

  it('twenty renewals after a day: one write, twenty fresh tokens', async () => {
    const { signIn, isolate, copyAt, kv } = deployment()
    const browser = await signIn()
    pass(DAY + 60)
    kv.calls.length = 0
    const copies = places.map((place) => copyAt(browser, isolate(place)))
    const answers = await Promise.all(copies.map((copy) => renew(copy)))
    expect(answers.map(locationOf)).toEqual(places.map(() => inbox))
    expect(answers.map(setsSession)).toEqual(places.map(() => true))
    expect(kv.count('put')).toBe(1)
  })

  it.each<['ledger' | 'KV', string, number]>([
    ['ledger', 'standing', 1],
    ['ledger', 'standing', 20],
    ['ledger', 'isRevoked', 1],
    ['ledger', 'consume', 1],
    ['KV', 'get', 1],
    ['KV', 'get', 20],
    ['KV', 'put', 1],
  ])(
    'twenty extensions, and a sign-out at the %s’s %s number %i, never restore a session',
    async (where, method, number) => {
      takeTimers()
      const { signIn, isolate, copyAt, kv, ledgers, settled } = deployment()
      const browser = await signIn()
      const { cookie } = browser
      await advance((DAY + 60) * 1000)
      const csrfToken = await browser.csrfToken()
      let count = 0
      const hooks = where === 'KV' ? kv.before : ledgers.before
      hooks.set(method as never, async () => {
        if (++count === number) await browser.post('/auth/signout', { csrfToken })
      })
      const copies = places.map((place) => copyAt(browser, isolate(place)))
      await waitedFor(Promise.all(copies.map((copy) => renew(copy))))
      expect(browser.jar.has('auth.session-token')).toBe(false)
      await waitedFor(settled())
      await advance(5_000)
      const reader = isolate('another place')
      for (const held of new Set([cookie, ...copies.map((copy) => copy.cookie)])) {
        const answer = await copyAt(browser, reader).get('/auth/session', { cookie: held })
        expect([await answer.json(), setsSession(answer)]).toEqual([null, false])
      }
      await advance(400_000)
      const late = await copyAt(browser, isolate('late')).get('/auth/session', { cookie })
      expect(await late.json()).toBeNull()
      expect(kv.keys).toEqual([])
    },
  )
})
