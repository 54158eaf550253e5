import { expect, it, vi } from 'vitest'
import { Auth } from '../index.js'
import { skipCSRFCheck } from '../lib/symbols.js'
import credentials from '../providers/credentials.js'
import { Browser, configWith, fakeProvider } from '../test-support/browser.js'
import type { AuthConfig } from '../types.js'

const at = 'https://app.example'
const ada = credentials({
  authorize: ({ password }) => (password === 'right' ? { id: 'ada' } : null),
})

function embedded(changes: Partial<AuthConfig> = {}): AuthConfig {
  const cookies = { sessionToken: { options: { sameSite: 'none' } } } as const
  return configWith({ providers: [ada, fakeProvider()], cookies, ...changes })
}

/** Every line that a browser is sent while somebody signs in, and out. */
async function linesOf(config: AuthConfig, origin: string): Promise<string[]> {
  const lines: string[] = []
  const answer = async (request: Request) => {
    const response = await Auth(request, config)
    lines.push(...response.headers.getSetCookie())
    return response
  }
  const browser = new Browser(config, { at: origin, answer })
  await browser.submit('/auth/callback/credentials', { username: 'ada', password: 'right' })
  expect(await browser.session()).not.toBeNull()
  await browser.start('fake')
  await browser.submit('/auth/signout')
  expect(await browser.session()).toBeNull()
  return lines
}

it('with sameSite "none" every cookie on https is for frames of other sites, and for each of them apart', async () => {
  const lines = await linesOf(embedded(), at)
  const kinds = ['csrf-token', 'session-token', 'flow.', 'device']
  for (const kind of kinds) {
    expect(lines.filter((line) => line.startsWith(`__Host-auth.${kind}`))).not.toHaveLength(0)
  }
  expect(lines.filter((line) => line.includes('Max-Age=0'))).not.toHaveLength(0)
  for (const line of lines) {
    expect(line).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=None; Partitioned$/)
  }
})

it.each([
  ['on http, since browsers take no None there', embedded(), 'http://localhost:8787'],
  ['by default', embedded({ cookies: {} }), at],
  [
    'with sameSite "lax"',
    embedded({ cookies: { sessionToken: { options: { sameSite: 'lax' } } } }),
    at,
  ],
])('%s cookies are Lax', async (_, config, origin) => {
  for (const line of await linesOf(config, origin)) {
    expect(line).toMatch(/SameSite=Lax$/)
    expect(line).not.toContain('Partitioned')
  }
})

it('a domain goes with it', async () => {
  const options = { domain: 'app.example', sameSite: 'none' } as const
  const lines = await linesOf(embedded({ cookies: { sessionToken: { options } } }), at)
  expect(lines.find((line) => line.startsWith('__Secure-auth.session-token='))).toMatch(
    /; Domain=app.example; Path=\/; HttpOnly; Secure; SameSite=None; Partitioned$/,
  )
})

it.each(['strict', 'None', true, false, ''])('sameSite %j is refused by name', async (sameSite) => {
  const error = vi.fn()
  const cookies = { sessionToken: { options: { sameSite: sameSite as never } } }
  const answer = await Auth(
    new Request(`${at}/auth/csrf`),
    embedded({ cookies, logger: { error } }),
  )
  expect(answer.status).toBe(500)
  expect(error.mock.lastCall?.[0].message).toContain('cookies.sessionToken.options.sameSite')
})

it('CSRF: the page around the frame has the cookies sent along, and cannot sign in or out, or change anything', async () => {
  const config = embedded()
  const browser = new Browser(config, { at })
  await browser.submit('/auth/callback/credentials', { username: 'ada', password: 'right' })
  const { csrfToken } = (await (await browser.get('/auth/csrf')).json()) as { csrfToken: string }
  const outside = { origin: 'https://portal.example', 'sec-fetch-site': 'cross-site' }
  for (const path of ['/signout', '/sessions/revoke', '/callback/credentials', '/signin/fake']) {
    for (const fields of [{}, { csrfToken }]) {
      const answer = await browser.post(`/auth${path}`, { ...fields, password: 'right' }, outside)
      expect(answer.headers.get('location')).toContain('error=MissingCSRF')
    }
  }
  expect(await browser.session()).not.toBeNull()
  const answer = await browser.get('/auth/session', outside)
  expect(answer.headers.get('access-control-allow-origin')).toBeNull()
})

it('clickjacking: no page of ours is shown in a frame', async () => {
  const browser = new Browser(embedded(), { at })
  for (const path of ['/signin', '/signout', '/error', '/verify-request']) {
    const policy = (await browser.get(`/auth${path}`)).headers.get('content-security-policy')
    expect(policy).toContain("frame-ancestors 'none'")
  }
})

it('CSRF: without the check another site’s page could post what it likes, so both together are refused', async () => {
  const error = vi.fn()
  const answer = await Auth(
    new Request(`${at}/auth/csrf`),
    embedded({ skipCSRFCheck, logger: { error } }),
  )
  expect(answer.status).toBe(500)
  expect(error.mock.lastCall?.[0].message).toContain('skipCSRFCheck')
})
