import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { authjs } from '../migrate.js'
import {
  Browser,
  configWith,
  copyOf,
  errorOf,
  fakeProvider,
  locationOf,
  origin,
} from '../test-support/browser.js'
import { mailProvider, withMail } from '../test-support/email.js'
import type { VerificationRequest } from '../types.js'

const at = 'https://example.com'
const refused = `${at}/auth/signin?error=MissingCSRF`

describe('a form that was open too long', () => {
  const authorize = () => ({ id: 'ada' })
  const password = { id: 'pw', name: 'P', type: 'credentials', credentials: {}, authorize } as const
  const providers = [fakeProvider(), password, mailProvider([])]
  const paths = [
    '/auth/signin/fake',
    '/auth/signin/pw',
    '/auth/signin/email',
    '/auth/callback/pw',
    '/auth/callback/email',
    '/auth/signout',
    '/auth/sessions/revoke',
  ]

  it.each(paths)('keeps its callbackUrl: %s', async (path) => {
    const browser = new Browser(configWith({ providers }), { at })
    const target = `${at}/inbox?a=1&b=2`
    const kept = `${refused.replace('?', `?${new URLSearchParams({ callbackUrl: target })}&`)}`
    expect(locationOf(await browser.post(path, { callbackUrl: '/inbox?a=1&b=2' }))).toBe(kept)
    const query = `?${new URLSearchParams({ callbackUrl: target })}`
    expect(locationOf(await browser.post(path + query, {}))).toBe(kept)
    const elsewhere = { origin: 'https://evil.com' }
    expect(locationOf(await browser.post(path, { callbackUrl: target }, elsewhere))).toBe(kept)
    expect(await (await browser.get(kept.slice(at.length))).text()).toContain(
      `name="callbackUrl" value="${target.replace('&', '&amp;')}"`,
    )
  })

  it.each(paths)('open redirect: keeps no unchecked callbackUrl: %s', async (path) => {
    for (const callbackUrl of [
      'https://evil.com/',
      '//evil.com',
      '/\\evil.com',
      'javascript:alert(1)',
      'https://example.com@evil.com',
      `/${'a'.repeat(3_000)}`,
    ]) {
      const browser = new Browser(configWith({ providers }), { at })
      expect(locationOf(await browser.post(path, { callbackUrl }))).toBe(refused)
      const query = `?${new URLSearchParams({ callbackUrl })}`
      expect(locationOf(await browser.post(path + query, {}))).toBe(refused)
    }
  })

  it('is refused as MissingCSRF, even when the app’s redirect callback throws', async () => {
    const redirect = () => {
      throw new Error('not here')
    }
    const browser = new Browser(configWith({ providers, callbacks: { redirect } }), { at })
    const fields = { callbackUrl: 'nonsense' }
    expect(locationOf(await browser.post('/auth/callback/pw', fields))).toBe(refused)
    const forged = await browser.post('/auth/session', fields, { origin: 'https://evil.com' })
    expect(forged.status).toBe(403)
  })

  it('the app’s redirect callback is called once, and only for a given callbackUrl', async () => {
    const redirect = vi.fn(() => '/chosen')
    const browser = new Browser(configWith({ providers, callbacks: { redirect } }), { at })
    const answer = await browser.post('/auth/callback/pw', { callbackUrl: '/inbox' })
    expect(new URL(locationOf(answer)).searchParams.get('callbackUrl')).toBe(`${at}/chosen`)
    expect(redirect.mock.calls).toEqual([[{ url: '/inbox', baseUrl: at }]])
    await browser.submit('/auth/session', { data: 'x' })
    expect(redirect).toHaveBeenCalledOnce()
    expect(locationOf(await browser.submit('/auth/signout', { callbackUrl: '/bye' }))).toBe(
      `${at}/chosen`,
    )
    expect(redirect).toHaveBeenCalledTimes(2)
  })
})

it.each([[''], [7], [null], [['/evil']], [{ toString: '/evil' }]])(
  'an invalid callbackUrl, %j, does not count: that of the query does',
  async (callbackUrl) => {
    const browser = new Browser(configWith({ providers: [fakeProvider()] }), { at })
    const answer = await browser.send('/auth/signout?callbackUrl=/bye', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ csrfToken: await browser.csrfToken(), callbackUrl }),
    })
    expect(locationOf(answer)).toBe(`${at}/bye`)
  },
)

describe('a form that is sent twice', () => {
  const authorize = ({ username }: Partial<Record<string, unknown>>) => {
    const name = String(username)
    return { id: name, name }
  }
  const password = {
    id: 'pw',
    name: 'P',
    type: 'credentials',
    credentials: { username: {} },
    authorize,
  } as const
  const setUp = (changes = {}) => {
    const mails: VerificationRequest[] = []
    const providers = [fakeProvider(), password, mailProvider(mails)]
    return { browser: new Browser(configWith({ providers, ...changes }), { at }), mails }
  }
  const ada = { username: 'Ada' }
  /** Signs in. @returns the csrf token that the browser had before */
  const signIn = async (browser: Browser) => {
    const csrfToken = await browser.csrfToken()
    await browser.post('/auth/callback/pw', { csrfToken, ...ada })
    return csrfToken
  }

  it('sign-out: a second click ends where the first did, without a session', async () => {
    const { browser } = setUp()
    await browser.submit('/auth/callback/pw', ada)
    const csrfToken = await browser.csrfToken()
    for (const callbackUrl of ['/bye', '/bye', 'https://evil.com/']) {
      const answer = await browser.post('/auth/signout', { csrfToken, callbackUrl })
      expect(locationOf(answer)).toBe(callbackUrl === '/bye' ? `${at}/bye` : `${at}/`)
      expect(await browser.session()).toBeNull()
    }
    const json = { 'x-auth-return-redirect': '1' }
    const asJson = await browser.post('/auth/signout', { csrfToken, callbackUrl: '/bye' }, json)
    expect([asJson.status, await asJson.json()]).toEqual([200, { url: `${at}/bye` }])
  })

  it('csrf: a stale sign-out of a signed-in user is refused, and one from another site is too', async () => {
    const { browser } = setUp()
    const first = await signIn(browser)
    expect(locationOf(await browser.post('/auth/signout', { csrfToken: first }))).toBe(refused)
    expect(await browser.session()).toMatchObject({ user: { name: 'Ada' } })
    const csrfToken = await browser.csrfToken()
    await browser.submit('/auth/signout')
    const elsewhere = { origin: 'https://evil.com' }
    const foreign = await browser.post('/auth/signout', { csrfToken }, elsewhere)
    expect(locationOf(foreign)).toBe(refused)
    // Only the token before the last one is known.
    const oldest = await browser.post('/auth/signout', { csrfToken: first })
    expect(locationOf(oldest)).toBe(refused)
  })

  it('a stale sign-out does not say that a session of another library is over', async () => {
    const old = 'another-secret-of-the-tests-0123456789'
    const migrateFrom = [authjs({ secret: old, until: new Date(Date.now() + 86_400_000) })]
    const { browser } = setUp({ migrateFrom })
    const csrfToken = await browser.csrfToken()
    await browser.submit('/auth/signout')
    browser.jar.set('__Secure-authjs.session-token', 'x')
    expect(locationOf(await browser.post('/auth/signout', { csrfToken }))).toBe(refused)
    browser.jar.delete('__Secure-authjs.session-token')
    expect(locationOf(await browser.post('/auth/signout', { csrfToken }))).toBe(`${at}/`)
  })

  it.each(['/auth/callback/pw', '/auth/signin/fake', '/auth/signin/email', '/auth/callback/email'])(
    'sign-in: who is signed in meanwhile is offered to go on, and stays who they are: %s',
    async (path) => {
      const { browser, mails } = setUp()
      const csrfToken = await signIn(browser)
      const jar = new Map(browser.jar)
      const fields = {
        csrfToken,
        callbackUrl: '/inbox',
        username: 'Eve',
        email: 'eve@mail.example',
      }
      const answer = await browser.post(path, fields)
      const page = `${at}/auth/signin?${new URLSearchParams({ callbackUrl: `${at}/inbox` })}`
      expect(locationOf(answer)).toBe(page)
      expect(new Map(browser.jar)).toEqual(jar)
      expect(mails).toEqual([])
      const text = await (await browser.get(page.slice(at.length))).text()
      expect(text).toContain('Ada')
      expect(text).not.toContain('role="alert"')
      expect(await browser.session()).toMatchObject({ user: { name: 'Ada' } })
    },
  )

  it('login csrf: a stale sign-in without a session, of a script, or from another site signs no user in', async () => {
    const { browser } = setUp()
    let csrfToken = await browser.csrfToken()
    await browser.submit('/auth/signout')
    const post = (headers = {}) =>
      browser.post('/auth/callback/pw', { csrfToken, username: 'Eve' }, headers)
    expect(locationOf(await post())).toBe(refused)
    expect(await browser.session()).toBeNull()
    csrfToken = await signIn(browser)
    expect(locationOf(await post({ origin: 'https://evil.com' }))).toBe(refused)
    const asJson = await post({ 'x-auth-return-redirect': '1' })
    expect([asJson.status, await asJson.json()]).toEqual([
      403,
      { url: refused, error: 'MissingCSRF' },
    ])
    expect(await browser.session()).toMatchObject({ user: { name: 'Ada' } })
  })

  it('a stale proof of the signed-in user proves nothing: it is asked for again', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { browser } = setUp()
    const csrfToken = await signIn(browser)
    vi.setSystemTime(Date.now() + 100_000)
    const fields = { csrfToken, maxAge: '60', callbackUrl: '/inbox', username: 'Ada' }
    const page = locationOf(await browser.post('/auth/callback/pw', fields))
    expect(page).toBe(
      `${at}/auth/signin?maxAge=60&callbackUrl=${encodeURIComponent(`${at}/inbox`)}`,
    )
    expect((await browser.get(page.slice(at.length))).status).toBe(200)
  })

  it('if the app has a sign-in page of its own, a signed-in user goes on', async () => {
    const { browser } = setUp({ pages: { signIn: '/login' } })
    const csrfToken = await signIn(browser)
    const answer = await browser.post('/auth/callback/pw', { csrfToken, callbackUrl: '/inbox' })
    expect(locationOf(answer)).toBe(`${at}/inbox`)
  })

  it.each([{ maxAge: '60' }, { acr: '2' }])(
    'also there a proof that is asked for, %j, is asked for again',
    async (asked) => {
      const { browser } = setUp({ pages: { signIn: '/login' } })
      const csrfToken = await signIn(browser)
      const fields = { csrfToken, callbackUrl: '/inbox', ...asked }
      const query = new URLSearchParams({ ...asked, callbackUrl: `${at}/inbox` })
      const answer = await browser.post('/auth/callback/pw', fields)
      expect(locationOf(answer)).toBe(`${at}/auth/signin?${query}`)
    },
  )

  it('any other form that is stale is refused, and changes nothing', async () => {
    const { browser } = setUp()
    const csrfToken = await signIn(browser)
    for (const path of ['/auth/sessions/revoke', '/auth/session']) {
      const answer = await browser.post(path, { csrfToken, session: 'all', data: '{}' })
      expect([answer.status, answer.headers.get('location') ?? refused]).toEqual([
        path === '/auth/session' ? 403 : 302,
        refused,
      ])
    }
    expect(await browser.session()).toMatchObject({ user: { name: 'Ada' } })
  })

  it('a mail’s code that is sent twice before the first answer comes ends at the sign-in of the first', async () => {
    const { ask } = withMail()
    const { browser, flow, code } = await ask()
    const fields = { csrfToken: await browser.csrfToken(), flow, code }
    const second = copyOf(browser, configWith(), { answer: browser.answer })
    expect(locationOf(await browser.post('/auth/callback/email', fields))).toBe(`${origin}/inbox`)
    const answer = await second.post('/auth/callback/email', fields)
    expect(errorOf(answer)).toBe('/auth/verify-request Verification wrong_code')
    const page = locationOf(answer).slice(origin.length)
    expect(locationOf(await browser.get(page))).toBe(`${origin}/auth/signin`)
    // In another browser it says what it says to anybody.
    expect((await second.get(page)).status).toBe(403)
  })
})
