import { expect, it } from 'vitest'
import { Browser, configWith, fakeProvider, locationOf } from '../../test-support/browser.js'
import type { AuthConfig } from '../../types.js'

const at = 'https://example.com'
const password = {
  id: 'pw',
  name: 'Password',
  type: 'credentials',
  credentials: {},
  authorize: () => ({ id: 'ada', email: 'ada@mail.example', name: 'Ada' }),
} as const

function visit(changes: Partial<AuthConfig> = {}) {
  const lines: string[] = []
  const config = configWith({ providers: [password, fakeProvider()], ...changes })
  const browser = new Browser(config, { at })
  const submit = async (path: string, fields = {}) => {
    const answer = await browser.submit(path, fields)
    const own = answer.headers.getSetCookie().filter((line) => line.includes('last-way'))
    lines.push(...own)
    return answer
  }
  return { browser, lines, submit }
}

it('a browser remembers the provider of the last sign-in, and nothing about the person', async () => {
  const { lines, submit, browser } = visit()
  await submit('/auth/callback/pw')
  const attributes = 'Max-Age=31536000; Path=/; HttpOnly; Secure; SameSite=Lax'
  expect(lines).toEqual([`__Host-auth.last-way=pw; ${attributes}`])
  await submit('/auth/signout')
  expect(lines).toHaveLength(1)
  expect(browser.jar.get('__Host-auth.last-way')).toBe('pw')
})

it('a browser without a sign-in remembers none, and no browser does with only one way', async () => {
  const authorize = () => null
  const refused = visit({ providers: [{ ...password, authorize }, fakeProvider()] })
  await refused.submit('/auth/callback/pw')
  await refused.submit('/auth/signin/fake')
  const alone = visit({ providers: [password] })
  expect(locationOf(await alone.submit('/auth/callback/pw'))).toBe(`${at}/`)
  expect([...refused.lines, ...alone.lines]).toEqual([])
})

it('its name is the configuration’s', async () => {
  const { browser, submit } = visit({ cookies: { lastWay: { name: 'last-way' } } })
  await submit('/auth/callback/pw')
  expect(browser.jar.get('__Host-last-way')).toBe('pw')
})

it('the page marks it, and nothing else of a cookie is in the page', async () => {
  const { browser, submit } = visit()
  await submit('/auth/callback/pw')
  await submit('/auth/signout')
  const look = async () => (await browser.get('/auth/signin')).text()
  expect(await look()).toMatch(/<span>Sign in<\/span>\s*<\/button><span class="here">Last used</)
  for (const value of ['nobody', '%3Cscript%3E', 'fake%00', '__proto__', 'a'.repeat(4_000)]) {
    browser.jar.set('__Host-auth.last-way', value)
    expect(await look()).not.toMatch(/Last used|<script|aaaa|nobody/)
  }
})
