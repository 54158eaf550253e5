import { describe, expect, it } from 'vitest'
import { Browser, configWith, fakeProvider } from '../test-support/browser.js'
import { signedIn } from '../test-support/signed-in.js'

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const at = 'https://example.com'
const browser = new Browser(configWith({ providers: [fakeProvider()] }), { at })

describe('an address without a page', () => {
  it.each(['/auth/nothing', '/auth/signin/', '/auth/%73ignin', '/elsewhere', '/'])(
    'leads a person on, who looks at it: %s',
    async (path) => {
      const answer = await browser.get(path, html)
      expect(answer.status).toBe(404)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('private, no-store')
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
      const text = await answer.text()
      expect(text).toContain('<h1>Page not found</h1>')
      expect(text).toContain('<a class="button main" href="/auth/signin">')
      expect(text).not.toContain('/auth/account')
      // The root leads nowhere but to itself.
      expect(text.includes(`href="${at}/"`)).toBe(path !== '/')
      expect(answer.headers.getSetCookie()).toEqual([])
    },
  )

  it('leads a signed-in user to their account, and a user who was signed in to the sign-in', async () => {
    const person = await signedIn()
    const link = async () => {
      const text = await (await person.browser.get('/auth/nothing', html)).text()
      return /<a class="button main" href="([^"]*)"/.exec(text)?.[1]
    }
    expect(await link()).toBe('/auth/account')
    await person.browser.submit('/auth/signout')
    expect(await link()).toBe('/auth/signin')
  })

  it.each([
    ['a script', { accept: 'application/json' }],
    ['without an Accept header', {}],
    ['a client that takes anything', { accept: '*/*' }],
  ])('is plain text for %s', async (_, headers: Record<string, string>) => {
    const answer = await browser.get('/auth/nothing', headers)
    expect([answer.status, await answer.text()]).toEqual([404, 'Not found'])
  })

  it('is plain text for a form that was sent there', async () => {
    const answer = await browser.post('/auth/nothing', {}, html)
    expect([answer.status, await answer.text()]).toEqual([404, 'Not found'])
  })

  it.each([
    ['/auth/signin/fake', 'POST'],
    ['/auth/ways/add', 'POST'],
    ['/auth/account/delete', 'POST'],
  ])('a visit to the target of a form leads on: %s', async (path, allow) => {
    const answer = await browser.get(path, html)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
    expect(await answer.text()).toContain('This page cannot be opened directly')
    const plain = await browser.get(path)
    expect([plain.status, await plain.text()]).toEqual([405, 'Method not allowed'])
  })

  it('open redirect, forged Host: no part of the request is in the page', async () => {
    const answer = await browser.get('/auth/"><script>?callbackUrl=https://evil.com', html)
    const text = await answer.text()
    expect(text).not.toMatch(/evil|<script/)
  })
})
