import { describe, expect, it, vi } from 'vitest'
import { Browser, configWith, fakeProvider, locationOf } from '../test-support/browser.js'
import { mailProvider } from '../test-support/email.js'

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
