import { describe, expect, it } from 'vitest'
import { skipCSRFCheck } from '../lib/symbols.js'
import { Browser, configWith, fakeProvider, locationOf, origin } from '../test-support/browser.js'

const at = 'https://example.com'
const config = configWith({
  providers: [fakeProvider()],
  trustedOrigins: ['https://friend.example', 'https://*.apps.example'],
})
const refused = `${at}/auth/signin?error=MissingCSRF`
const newBrowser = (own = config) => new Browser(own, { at })

/** Where a sign-out with these fields and headers ends. */
async function submit(browser: Browser, fields: Record<string, string>, headers = {}) {
  return locationOf(await browser.post('/auth/signout', fields, headers))
}

describe('the csrf token', () => {
  it('is the same for a browser until a sign-in or sign-out', async () => {
    const browser = newBrowser()
    const first = await browser.csrfToken()
    expect(await browser.csrfToken()).toBe(first)
    const parts = () => browser.jar.get('__Host-auth.csrf-token')?.split('.') ?? []
    const [, mac, ...more] = parts()
    expect(more).toEqual([])
    await browser.signIn('fake')
    const second = await browser.csrfToken()
    expect(second).not.toBe(first)
    // A form from before is told apart from one of somebody else's by the signature of its token.
    expect(parts().slice(2)).toEqual([mac])
    await browser.submit('/auth/signout')
    expect(await browser.csrfToken()).not.toBe(second)
  })

  it.each([
    ['missing', {}],
    ['empty', { csrfToken: '' }],
    ['made up', { csrfToken: 'a'.repeat(43) }],
    ['the word undefined', { csrfToken: 'undefined' }],
  ])('%s is refused', async (_, fields) => {
    const browser = newBrowser()
    await browser.csrfToken()
    expect(await submit(browser, fields)).toBe(refused)
  })

  it('from another browser is refused', async () => {
    const csrfToken = await newBrowser().csrfToken()
    const victim = newBrowser()
    await victim.csrfToken()
    expect(await submit(victim, { csrfToken })).toBe(refused)
  })

  it('without its cookie is refused', async () => {
    const csrfToken = await newBrowser().csrfToken()
    expect(await submit(newBrowser(), { csrfToken })).toBe(refused)
  })

  it('with a cookie forged for it is refused: a plain double submit would pass', async () => {
    const name = '__Host-auth.csrf-token'
    for (const cookie of [
      'evil',
      'evil.',
      'evil.evil',
      `evil.${'A'.repeat(43)}`,
      '.',
      'evil.evil.evil',
    ]) {
      const browser = newBrowser()
      browser.jar.set(name, cookie)
      expect(await submit(browser, { csrfToken: 'evil' })).toBe(refused)
    }
  })

  it('from a cookie that we did not sign is never handed out', async () => {
    for (const cookie of ['evil', 'evil.', '.', 'evil.evil', `evil.${'A'.repeat(43)}`]) {
      const browser = newBrowser()
      browser.jar.set('__Host-auth.csrf-token', cookie)
      const given = await browser.csrfToken()
      expect(given).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(await submit(browser, { csrfToken: given })).toBe(`${at}/`)
    }
  })

  it('is looked for in four cookies of its name, which a browser never has: each costs a signature', async () => {
    const browser = newBrowser()
    const csrfToken = await browser.csrfToken()
    const behind = (count: number) => ({
      cookie: `${'__Host-auth.csrf-token=tossed.in; '.repeat(count)}${browser.cookie}`,
    })
    expect(await submit(browser, { csrfToken }, behind(4))).toBe(refused)
    expect(await submit(browser, { csrfToken }, behind(3))).toBe(`${at}/`)
  })

  it('from a service with another secret is refused', async () => {
    const foreign = newBrowser(configWith({ secret: 'another-secret-'.repeat(4) }))
    const csrfToken = await foreign.csrfToken()
    const browser = newBrowser()
    for (const [name, value] of foreign.jar) browser.jar.set(name, value)
    expect(await submit(browser, { csrfToken })).toBe(refused)
  })

  it('survives a rotation of the secret', async () => {
    const [older, newer] = ['old-'.repeat(10), 'new-'.repeat(10)]
    const before = newBrowser(configWith({ secret: older }))
    const csrfToken = await before.csrfToken()
    const after = newBrowser(configWith({ secret: [newer, older] }))
    for (const [name, value] of before.jar) after.jar.set(name, value)
    expect(await submit(after, { csrfToken })).toBe(`${at}/`)
  })

  it('is found beside a cookie of the same name that a subdomain has set', async () => {
    const browser = newBrowser()
    const csrfToken = await browser.csrfToken()
    const headers = { cookie: `__Host-auth.csrf-token=tossed.in; ${browser.cookie}` }
    expect(await submit(browser, { csrfToken }, headers)).toBe(`${at}/`)
  })

  it('from http is refused on https, since the cookie has another name there', async () => {
    const browser = newBrowser()
    const csrfToken = await browser.csrfToken()
    const value = browser.jar.get('__Host-auth.csrf-token')
    const headers = { cookie: `auth.csrf-token=${value}` }
    expect(await submit(browser, { csrfToken }, headers)).toBe(refused)
  })

  it('a number or an object as JSON is refused, not a crash', async () => {
    for (const made of [1, null, {}, ['x'], true, (own: string) => [own]]) {
      const browser = newBrowser()
      const own = await browser.csrfToken()
      const csrfToken = typeof made === 'function' ? made(own) : made
      const response = await browser.send('/auth/signout', {
        method: 'POST',
        body: JSON.stringify({ csrfToken }),
        headers: { 'content-type': 'application/json' },
      })
      expect(locationOf(response)).toBe(refused)
    }
  })

  it.each(['/auth/signin/fake', '/auth/signout', '/auth/session'])(
    'POST %s needs it',
    async (path) => {
      const browser = newBrowser()
      const response = await browser.post(path, {}, { 'x-auth-return-redirect': '1' })
      expect(response.status).toBe(403)
      expect(await response.json()).toEqual({ url: refused, error: 'MissingCSRF' })
    },
  )

  it('login CSRF: credentials posted without the victim’s token sign no user in', async () => {
    const authorize = () => ({ id: 'attacker' })
    const provider = {
      id: 'pw',
      name: 'P',
      type: 'credentials',
      credentials: {},
      authorize,
    } as const
    const browser = newBrowser(configWith({ providers: [provider] }))
    await browser.csrfToken()
    const response = await browser.post('/auth/callback/pw', { user: 'attacker' })
    expect(locationOf(response)).toBe(refused)
    expect(await browser.session()).toBeNull()
  })

  it('is not needed if a caller in the process has checked the origin itself', async () => {
    const browser = newBrowser({ ...config, skipCSRFCheck })
    expect(await submit(browser, {}, { origin: 'https://evil.com' })).toBe(`${at}/`)
  })

  it('only the symbol turns it off: any value that JSON could hold is ignored', async () => {
    for (const value of [true, 1, 'latchkey.skip-csrf-check', Symbol('latchkey.skip-csrf-check')]) {
      const browser = newBrowser({ ...config, skipCSRFCheck: value as typeof skipCSRFCheck })
      expect(await submit(browser, {})).toBe(refused)
    }
  })
})

describe('the log names the remedy', () => {
  async function saidOf(fields: Record<string, string>, headers = {}) {
    const errors: Error[] = []
    const logger = { error: (error: Error) => void errors.push(error) }
    const browser = newBrowser({ ...config, logger })
    await submit(browser, { csrfToken: await browser.csrfToken(), ...fields }, headers)
    return { text: errors[0]?.message ?? '', cause: errors[0]?.cause }
  }

  it('about an app that forwards without being trusted, or a proxy that renames', async () => {
    const { text, cause } = await saidOf({}, { origin: 'https://app.example' })
    expect(cause).toEqual({ origin: 'https://app.example', expected: at })
    expect(text).toContain('AUTH_TRUSTED_ORIGINS')
    expect(text).toContain('AUTH_URL')
  })

  it('about an app on another subdomain', async () => {
    const headers = { origin: 'https://app.example.com', 'sec-fetch-site': 'same-site' }
    const { text, cause } = await saidOf({}, headers)
    expect(cause).toMatchObject({ origin: 'https://app.example.com', site: 'same-site' })
    expect(text).toContain('AUTH_TRUSTED_ORIGINS')
  })

  it('about a form of the app’s own without the token, and repeats no token', async () => {
    expect((await saidOf({ csrfToken: '' })).text).toContain('csrfToken, from GET /auth/csrf')
    expect((await saidOf({ csrfToken: 'made-up' })).text).not.toContain('made-up')
  })
})

describe('the origin of a POST', () => {
  const matrix: [Record<string, string>, boolean][] = [
    [{}, true],
    [{ origin: at }, true],
    [{ origin: at, 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ origin: 'null' }, false],
    [{ origin: 'null', 'sec-fetch-site': 'same-origin' }, false],
    [{ origin: '' }, false],
    [{ origin: 'https://evil.com' }, false],
    [{ origin: 'https://evil.com', 'sec-fetch-site': 'same-origin' }, false],
    [{ origin: 'http://example.com' }, false],
    // A proxy that ends TLS re-spelled it; the browser still says that it was its own page.
    [{ origin: 'http://example.com', 'sec-fetch-site': 'same-origin' }, true],
    [{ origin: 'http://example.com', 'sec-fetch-site': 'none' }, false],
    [{ origin: 'http://example.com:8443', 'sec-fetch-site': 'same-origin' }, false],
    [{ origin: 'http://example.com.evil.com', 'sec-fetch-site': 'same-origin' }, false],
    [{ origin: 'https://example.com:8443' }, false],
    [{ origin: 'https://sub.example.com', 'sec-fetch-site': 'same-site' }, false],
    [{ origin: 'https://example.com.evil.com' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'anything' }, false],
    [{ origin: at, 'sec-fetch-site': 'cross-site' }, false],
    [{ origin: 'https://friend.example' }, true],
    [{ origin: 'https://friend.example', 'sec-fetch-site': 'cross-site' }, true],
    [{ origin: 'https://one.apps.example', 'sec-fetch-site': 'cross-site' }, true],
    [{ origin: 'https://apps.example' }, false],
    [{ origin: 'https://evilapps.example' }, false],
    [{ origin: 'http://friend.example' }, false],
  ]

  it.each(matrix)('%j: %s', async (headers, allowed) => {
    const browser = newBrowser()
    const csrfToken = await browser.csrfToken()
    expect(await submit(browser, { csrfToken }, headers)).toBe(allowed ? `${at}/` : refused)
  })

  it('an allow-listed origin still needs the token', async () => {
    expect(await submit(newBrowser(), {}, { origin: 'https://friend.example' })).toBe(refused)
  })

  it('on http the Origin is compared with its port', async () => {
    const browser = new Browser(configWith())
    const csrfToken = await browser.csrfToken()
    const other = { origin: 'http://localhost:3000' }
    expect(await submit(browser, { csrfToken }, other)).toBe(
      `${origin}/auth/signin?error=MissingCSRF`,
    )
    expect(await submit(browser, { csrfToken }, { origin })).toBe(`${origin}/`)
  })
})
