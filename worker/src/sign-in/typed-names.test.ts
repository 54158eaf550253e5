import { describe, expect, it } from 'vitest'
import credentials from '../providers/credentials.js'
import { Browser, configWith, copyOf, fakeProvider, locationOf } from '../test-support/browser.js'
import { mailProvider } from '../test-support/email.js'
import type { AuthConfig } from '../types.js'

const passwords = (id: string, field: string) =>
  credentials({
    id,
    credentials: {
      [field]: { type: 'email' },
      otp: { type: 'text' },
      secret: { type: 'password', autocomplete: 'username' },
    },
    authorize: ({ secret }) => (secret === 'right' ? { id: 'ada' } : null),
  })

function deployment(changes: Partial<AuthConfig> = {}) {
  const lines: unknown[] = []
  const note = (...line: unknown[]) => void lines.push(line.map(String).join(' '))
  const config = configWith({
    providers: [passwords('one', 'mail'), passwords('two', 'mail'), mailProvider([])],
    logger: { error: note, warn: note, info: note, debug: note },
    debug: true,
    ...changes,
  })
  return { browser: new Browser(config), config, lines }
}

const TYPED = { mail: 'ada+new@example.com', otp: '424242', secret: 'wrong-secret' }

/** The values of the page's fields, by the provider of their form. */
async function shownAt(browser: Browser, path: string): Promise<Record<string, string[]>> {
  const html = await (await browser.get(path)).text()
  const forms = html.split('<form ').slice(1)
  return Object.fromEntries(
    forms.map((form) => {
      const [, provider = ''] = /(?:signin|callback)\/(\w+)"/.exec(form) ?? []
      const values = form.matchAll(/<input id="[^"]*"[^>]* value="([^"]*)"/g)
      return [provider, [...values].map(([, value = '']) => value)]
    }),
  )
}

const flows = ({ jar }: Browser) => [...jar.keys()].filter((name) => name.includes('auth.flow.'))

describe('a wrong password', () => {
  it('leaves the address in its own form, once, and neither the password nor any other field', async () => {
    const { browser, lines } = deployment()
    const answer = await browser.submit('/auth/callback/one', { ...TYPED, callbackUrl: '/inbox' })
    const to = locationOf(answer)
    expect(answer.status).toBe(302)
    expect(to).toMatch(/error=CredentialsSignin/)
    expect(to).not.toContain('ada')
    const path = to.slice(to.indexOf('/auth'))
    expect(await shownAt(browser, path)).toMatchObject({
      one: [TYPED.mail],
      two: [],
      email: [],
    })
    expect(flows(browser)).toEqual([])
    expect(await shownAt(browser, path)).toMatchObject({ one: [], two: [] })
    const cookies = answer.headers.getSetCookie().join()
    expect(cookies).not.toMatch(/ada|424242|wrong-secret/)
    expect(cookies).toMatch(/auth\.flow\.\S+; Max-Age=60; Path=\/; HttpOnly; SameSite=Lax/)
    expect(lines.join()).not.toMatch(/ada\+new|424242|wrong-secret/)
  })

  it('is not told to the next person at the computer, after a sign-in or a sign-out', async () => {
    const path = '/auth/signin?error=CredentialsSignin'
    const { browser, config } = deployment()
    await browser.submit('/auth/callback/one', TYPED)
    await browser.submit('/auth/callback/one', { ...TYPED, secret: 'right' })
    const before = copyOf(browser, config)
    expect(await shownAt(before, path)).toMatchObject({ one: [] })
    await browser.submit('/auth/signout')
    expect(flows(browser)).toHaveLength(1)
    expect(await shownAt(browser, path)).toMatchObject({ one: [] })
  })

  it.each(['漢'.repeat(254), '\u0001'.repeat(254)])(
    'beside a name of many bytes begins no cookie that a browser drops',
    async (name) => {
      const { browser } = deployment()
      const answer = await browser.submit('/auth/callback/one', { ...TYPED, mail: name })
      expect(answer.status).toBe(302)
      expect(flows(browser)).toEqual([])
    },
  )

  it('ten times over keeps one cookie', async () => {
    const { browser } = deployment()
    for (let times = 0; times < 10; times++) await browser.submit('/auth/callback/one', TYPED)
    expect(flows(browser)).toHaveLength(1)
  })

  it('too often: the page that says so has the address, and sets no cookie for it', async () => {
    const { browser } = deployment()
    let answer = await browser.submit('/auth/callback/one', TYPED)
    for (let times = 0; times < 20 && answer.status !== 429; times++) {
      answer = await browser.submit('/auth/callback/one', TYPED)
    }
    expect(answer.status).toBe(429)
    expect(await answer.text()).toContain(`value="${TYPED.mail}"`)
    expect(answer.headers.getSetCookie().filter((line) => line.includes('auth.flow'))).toEqual([])
  })

  it('is not shown to another person of the browser, who opens the page by themselves', async () => {
    const { browser } = deployment()
    await browser.submit('/auth/callback/one', TYPED)
    expect(await shownAt(browser, '/auth/signin')).toMatchObject({ one: [] })
  })

  it('a prefetch of the browser does not use the name up', async () => {
    const { browser } = deployment()
    const to = locationOf(await browser.submit('/auth/callback/one', TYPED))
    const path = to.slice(to.indexOf('/auth'))
    await browser.get(path, { 'sec-purpose': 'prefetch' })
    expect(await shownAt(browser, path)).toMatchObject({ one: [TYPED.mail] })
  })

  it.each([
    ['a script, which gets JSON', {}, { 'x-auth-return-redirect': '1' }],
    ['an app with a page of its own', { pages: { signIn: '/login' } }, {}],
  ])('keeps nothing for %s', async (_, changes, headers) => {
    const { browser } = deployment(changes)
    await browser.submit('/auth/callback/one', TYPED, headers)
    expect(flows(browser)).toEqual([])
  })

  it.each([
    ['longer than any address', { mail: `${'a'.repeat(250)}@b.example` }],
    ['an object', { mail: { at: 'example.com' } }],
  ])('keeps no name that is %s', async (_, fields) => {
    const { browser } = deployment()
    const body = JSON.stringify({ ...TYPED, ...fields, csrfToken: await browser.csrfToken() })
    const headers = { 'content-type': 'application/json' }
    await browser.send('/auth/callback/one', { method: 'POST', body, headers })
    expect(flows(browser)).toEqual([])
  })
})

describe('the address of a mail that cannot be sent', () => {
  it('is left in its field, if it is invalid', async () => {
    const { browser } = deployment()
    const answer = await browser.submit('/auth/signin/email', { email: 'ada@example' })
    const to = locationOf(answer)
    expect(to).toContain('invalid_address')
    expect(await shownAt(browser, to.slice(to.indexOf('/auth')))).toMatchObject({
      email: ['ada@example'],
      one: [],
    })
  })
})

describe('an attack by the name that is kept', () => {
  it('a form of another site fills no field: without the csrf token nothing is kept', async () => {
    const { browser } = deployment()
    const forged = { ...TYPED, mail: 'eve@evil.example', csrfToken: 'forged' }
    for (const path of ['/auth/callback/one', '/auth/signin/email']) {
      await browser.post(path, { ...forged, email: 'eve@evil.example' })
    }
    expect(flows(browser)).toEqual([])
    const path = '/auth/signin?error=MissingCSRF'
    expect(await shownAt(browser, path)).toMatchObject({ one: [], email: [] })
  })

  it('markup in a name stays text', async () => {
    const { browser } = deployment()
    const mail = '"><script>alert(1)</script>'
    const to = locationOf(await browser.submit('/auth/callback/one', { ...TYPED, mail }))
    const html = await (await browser.get(to.slice(to.indexOf('/auth')))).text()
    expect(html).toContain('value="&quot;&gt;&lt;script&gt;')
    expect(html).not.toContain('<script>alert')
  })

  it('the cookie of a name finishes no sign-in, also at a provider of its path', async () => {
    const { browser, config } = deployment({
      providers: [passwords('one', 'mail'), fakeProvider()],
    })
    await browser.submit('/auth/callback/one', TYPED)
    const id = flows(browser)[0]?.replace(/.*auth\.flow\./, '')
    const other = copyOf(browser, config)
    const answer = await other.get(`/auth/callback/fake?code=x&state=${id}.${'a'.repeat(43)}`)
    expect(locationOf(answer)).toContain('error=InvalidCheck')
  })
})
