import { describe, expect, it } from 'vitest'
import { Browser, configWith, fakeProvider, locationOf, origin } from '../test-support/browser.js'
import { fails } from '../test-support/faulty.js'
import { signedIn } from '../test-support/signed-in.js'
import type { AuthConfig } from '../types.js'

const browserWith = (changes: Partial<AuthConfig> = {}) =>
  new Browser(configWith({ providers: [fakeProvider()], ...changes }))

/** Where the filled button of a page leads. */
async function linkOn(answer: Response): Promise<string> {
  const [, href = ''] = /<a class="button main" href="([^"]*)"/.exec(await answer.text()) ?? []
  return href.replaceAll('&amp;', '&')
}

describe('the page of an error keeps where the person wanted to go', () => {
  it('a person that the app refuses comes to its page, and from there to a sign-in that leads on', async () => {
    const browser = browserWith({ callbacks: { signIn: () => false } })
    const refused = new URL(locationOf(await browser.signIn('fake')))
    expect(refused.pathname).toBe('/auth/error')
    expect(refused.searchParams.get('callbackUrl')).toBe(`${origin}/inbox`)
    const link = await linkOn(await browser.get(refused.pathname + refused.search))
    expect(link).toBe(`/auth/signin?${new URLSearchParams({ callbackUrl: `${origin}/inbox` })}`)
    const again = await (await browser.get(link)).text()
    expect(again).toContain(`name="callbackUrl" value="${origin}/inbox"`)
    // A new sign-in does not show the previous error.
    expect(again).not.toContain('role="alert"')
  })

  it('the needs of the sign-in are kept beside it', async () => {
    const query = new URLSearchParams({ error: 'Configuration', callbackUrl: '/x', maxAge: '300' })
    const link = new URL(await linkOn(await browserWith().get(`/auth/error?${query}`)), origin)
    expect(Object.fromEntries(link.searchParams)).toEqual({
      callbackUrl: `${origin}/x`,
      maxAge: '300',
    })
  })

  it('the page that replaces it while a store does not answer does too', async () => {
    const { browser, faults } = await signedIn()
    faults.set('revoke', fails)
    const answer = await browser.submit(
      '/auth/signout',
      { callbackUrl: '/inbox' },
      { accept: 'text/html' },
    )
    expect(answer.status).toBe(503)
    expect(await linkOn(answer)).toContain(encodeURIComponent(`${origin}/inbox`))
  })

  it('an app with a page of its own gets it too', async () => {
    const browser = browserWith({
      pages: { error: '/oops' },
      callbacks: { signIn: () => false },
    })
    const own = new URL(locationOf(await browser.signIn('fake')))
    expect([own.pathname, own.searchParams.get('callbackUrl')]).toEqual([
      '/oops',
      `${origin}/inbox`,
    ])
    const led = await browser.get('/auth/error?error=AccessDenied&callbackUrl=/inbox')
    expect(new URL(locationOf(led)).searchParams.get('callbackUrl')).toBe(`${origin}/inbox`)
  })
})

describe('open redirect by the address of the page of an error', () => {
  it.each([
    'https://evil.example/',
    '//evil.example',
    'javascript:alert(1)',
    `${origin}@evil.example/`,
  ])('%s is neither kept nor linked to', async (callbackUrl) => {
    const query = new URLSearchParams({ error: 'AccessDenied', callbackUrl })
    const answer = await browserWith().get(`/auth/error?${query}`)
    const text = await answer.clone().text()
    expect(await linkOn(answer)).toBe('/auth/signin')
    expect(text).not.toMatch(/evil|javascript:/)
    const own = browserWith({ pages: { error: '/oops' } })
    expect(locationOf(await own.get(`/auth/error?${query}`))).toBe(
      `${origin}/oops?error=AccessDenied`,
    )
  })

  it('a redirect callback that throws leaves it out, and the page is shown', async () => {
    const broken = () => {
      throw new Error('not today')
    }
    const browser = browserWith({ callbacks: { redirect: broken } })
    const answer = await browser.get('/auth/error?error=AccessDenied&callbackUrl=/inbox')
    expect([answer.status, await linkOn(answer)]).toEqual([403, '/auth/signin'])
  })
})
