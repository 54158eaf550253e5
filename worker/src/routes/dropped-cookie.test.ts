import { describe, expect, it, vi } from 'vitest'
import {
  Browser,
  configWith,
  fakeProvider,
  setsSession,
  withoutReference,
} from '../test-support/browser.js'
import { mailProvider } from '../test-support/email.js'
import type { AuthConfig } from '../types.js'

/** A service with every type of provider, at an origin, with its own cookie settings. */
function serviceAt(at: string, cookies: NonNullable<AuthConfig['cookies']>) {
  const errors: Error[] = []
  const authorize = vi.fn(() => ({ id: 'ada' }))
  const password = { id: 'pw', name: 'P', type: 'credentials', credentials: {}, authorize } as const
  const config = configWith({
    providers: [fakeProvider(), password, mailProvider([])],
    cookies,
    logger: { error: (error) => void errors.push(error) },
  })
  return { browser: new Browser(config, { at }), errors, authorize }
}

describe('a session cookie that browsers would drop (RFC 6265bis, 5.7)', () => {
  it.each([
    ['http://localhost:3000', 'example.com'],
    ['https://example.com', 'exmaple.com'],
    ['https://example.com', 'app.example.com'],
    ['https://evilexample.com', 'example.com'],
    ['https://example.com.evil.com', 'example.com'],
    ['http://127.0.0.1:8787', 'example.com'],
    ['http://[::1]:8787', 'example.com'],
  ])('at %s for %s: no sign-in is started, and the log names both', async (at, domain) => {
    const { browser, errors, authorize } = serviceAt(at, { sessionToken: { options: { domain } } })
    for (const path of ['/signin/fake', '/signin/email', '/signin/pw', '/callback/pw']) {
      const answer = await browser.submit(`/auth${path}`, { email: 'ada@example.com' })
      expect(new URL(withoutReference(answer)).search).toBe('?error=Configuration')
      expect(setsSession(answer)).toBe(false)
      const { name, message } = errors.pop() ?? {}
      expect(name).toBe('InvalidConfiguration')
      expect(message).toContain('AUTH_COOKIE_DOMAIN')
      expect(message).toContain(`"${domain}"`)
      expect(message).toContain(`"${new URL(at).hostname}"`)
    }
    expect(authorize).not.toHaveBeenCalled()
    expect([...browser.jar.keys()].filter((name) => name.includes('flow'))).toEqual([])
  })

  it.each(['__Host-mine', '__secure-mine'])(
    'on http, named %s: no sign-in is started',
    async (name) => {
      const { browser, errors, authorize } = serviceAt('http://localhost:3000', {
        sessionToken: { name },
      })
      expect(setsSession(await browser.submit('/auth/callback/pw'))).toBe(false)
      expect(authorize).not.toHaveBeenCalled()
      expect(errors[0]?.message).toContain(`"${name}" can be set on https only`)
    },
  )

  it('does not break the other routes', async () => {
    const { browser } = serviceAt('http://localhost:3000', {
      sessionToken: { options: { domain: 'example.com' } },
    })
    for (const path of ['/signin', '/session', '/csrf', '/providers', '/jwks.json', '/signout']) {
      expect((await browser.get(`/auth${path}`)).status).toBe(200)
    }
    expect((await browser.submit('/auth/signout')).headers.get('location')).toMatch(/\/$/)
  })
})

describe('a session cookie that browsers keep', () => {
  it.each([
    ['https://example.com', 'example.com'],
    ['https://auth.example.com', 'example.com'],
    ['https://a.b.example.com:8443', 'Example.COM'],
    ['https://auth.example.com', '.example.com'],
    ['http://127.0.0.1:8787', '127.0.0.1'],
  ])('at %s for %s', async (at, domain) => {
    const { browser, errors } = serviceAt(at, { sessionToken: { options: { domain } } })
    expect(setsSession(await browser.submit('/auth/callback/pw'))).toBe(true)
    expect((await browser.submit('/auth/signin/fake')).headers.get('location')).toMatch(/provider/)
    expect(errors).toEqual([])
  })
})
