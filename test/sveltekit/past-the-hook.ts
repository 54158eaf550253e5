import type { Browser } from 'playwright-core'
import { expect, test } from 'vitest'
import { form } from '../express/support.ts'
import { endedToken } from '../support/ended-token.ts'
import { type Example, SECRET } from './example.ts'
import { cookiesOf, openPage, signInWithVideoApp } from './person.ts'

const NOTEBOOK = '/authenticated/notebook'
/** Other spellings of the notebook's path, each of which some router treats as the same path. */
const SPELLINGS = [
  '/%61uthenticated/notebook',
  '/authenticate%64/notebook',
  '/%2561uthenticated/notebook',
  '/authenticated%2Fnotebook',
  '/authenticated%2fnotebook',
  '/authenticated%5Cnotebook',
  '/authenticated\\notebook',
  '//authenticated/notebook',
  '/authenticated//notebook',
  '/./authenticated/notebook',
  '/%2e/authenticated/notebook',
  '/about/../authenticated/notebook',
  '/about/%2e%2e/authenticated/notebook',
  '/about/..%2Fauthenticated/notebook',
  '/AUTHENTICATED/notebook',
  '/Authenticated/notebook',
  '/authenticated/notebook/',
  '/authenticated;x/notebook',
  '/authenticated%00/notebook',
  '/%ff/authenticated/notebook',
  '/authenticated/notebook?callbackUrl=/about',
  '/authenticated/notebook#/about',
]
/**
 * A text that a request without a session must never get, in a page, in its data or from its
 * action.
 */
const PROTECTED = /note to yourself|"notes"|Written by the owner/

/** Requests without a session, or with a token that has ended. */
export function testPastTheHook(example: () => Example, browser: () => Browser): void {
  async function signedIn(): Promise<string> {
    const page = await openPage(browser())
    await page.goto(`${example().url}/signin?callbackUrl=${NOTEBOOK}`)
    await signInWithVideoApp(page, example())
    return cookiesOf(page)
  }

  test('a signed-in person gets the protected page, its data and its action', async () => {
    const headers = { cookie: await signedIn() }
    const page = await example().ask(NOTEBOOK, { headers })
    expect([page.status, PROTECTED.test(page.text)]).toEqual([200, true])
    expect(page.headers['cache-control']).toBe('private, no-store')
    const data = await example().ask(`${NOTEBOOK}/__data.json`, { headers })
    expect([data.status, PROTECTED.test(data.text)]).toEqual([200, true])
    const sent = form({ note: 'Written by the owner' })
    const added = await example().ask(`${NOTEBOOK}?/add`, {
      ...sent,
      headers: { ...sent.headers, ...headers, origin: example().url, accept: 'text/html' },
    })
    expect([added.status, PROTECTED.test(added.text)]).toEqual([200, true])
    const decoded = await example().ask('/%61uthenticated/notebook?a=b', { headers })
    expect([decoded.status, decoded.headers.location]).toEqual([308, `${NOTEBOOK}?a=b`])
  })

  test.each(SPELLINGS)('the hook refuses requests without a session: %s', async (path) => {
    const [pathname = '', query = ''] = path.split(/(?=[?#])/)
    const sent = form({ note: 'Written by a stranger' })
    const post = { ...sent.headers, origin: example().url }
    for (const [target, options] of [
      [path, {}],
      [path, { method: 'HEAD' }],
      [`${pathname}/__data.json${query}`, {}],
      [`${pathname}/__data.json?x-sveltekit-invalidated=11`, {}],
      [`${pathname}?/add`, { ...sent, headers: post }],
      [`${pathname}?/add`, { ...sent, headers: { ...post, 'x-sveltekit-action': 'true' } }],
      [`${pathname}?/add`, { ...sent, headers: { ...post, accept: 'application/json' } }],
    ] as const) {
      const answer = await example().ask(target, options)
      expect([target, answer.text]).not.toEqual([target, expect.stringMatching(PROTECTED)])
      // A page is redirected, refused or not found; data and actions carry the redirect in JSON,
      // with a 200.
      if (answer.status === 200) expect(answer.text).toMatch(/^\{"type":"redirect"/)
      else expect([308, 307, 303, 302, 400, 404, 405]).toContain(answer.status)
      // A 400 of the action itself would mean that the hook has let the request through.
      expect(answer.text).not.toContain('"failure"')
    }
  })

  test('a sign-in that comes from another site is refused', async () => {
    const sent = form({ providerId: 'videoapp', redirectTo: '/members' })
    for (const origin of ['https://evil.example', 'null', undefined]) {
      const headers = { ...sent.headers, ...(origin === undefined ? {} : { origin }) }
      const answer = await example().ask('/signin', { ...sent, headers })
      expect([origin, answer.status, answer.cookies]).toEqual([origin, 403, []])
    }
  })

  test('a cookie that was copied before the sign-out is refused after it', async () => {
    const page = await openPage(browser())
    await page.goto(`${example().url}/signin?callbackUrl=/signout`)
    await signInWithVideoApp(page, example())
    const headers = { cookie: await cookiesOf(page) }
    expect((await example().ask('/members', { headers })).status).toBe(200)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Nobody is signed in').waitFor()
    for (const path of ['/members', NOTEBOOK]) {
      expect([path, (await example().ask(path, { headers })).status]).toEqual([path, 303])
    }
  })

  test('a page view renews a token that has ended, with one cookie, and a forged one is not renewed', async () => {
    const cookie = await signedIn()
    const ended = async (secret: string) =>
      example().ask('/members', { headers: { cookie: await endedToken(cookie, secret) } })
    const renewed = await ended(SECRET)
    expect([renewed.status, renewed.text.includes('swordfish')]).toEqual([200, true])
    expect(renewed.cookies).toEqual([expect.stringMatching(/^auth\.session-token=[^;]/)])
    expect(renewed.headers['cache-control']).toBe('private, no-store')
    const fresh = renewed.cookies[0]?.split(';')[0] ?? ''
    const next = await example().ask('/members', { headers: { cookie: fresh } })
    expect([next.status, next.cookies]).toEqual([200, []])
    const stranger = await ended('a-secret-of-somebody-else-0123456789abc')
    expect([stranger.status, stranger.text.includes('swordfish')]).toEqual([303, false])
  })
}
