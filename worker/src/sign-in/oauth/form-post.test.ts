import { expect, test } from 'vitest'
import {
  Browser,
  configWith,
  copyOf,
  errorOf,
  locationOf,
  origin,
} from '../../test-support/browser.js'
import { providerAt, type TestIssuer, testIssuer } from '../../test-support/issuer.js'

/** A provider posts its answer from its own site, and browsers then send no `Lax` cookie. */
const fromAnotherSite = {
  cookie: '',
  origin: 'https://issuer.example',
  'sec-fetch-site': 'cross-site',
}

async function started(): Promise<{
  browser: Browser
  fields: Record<string, string>
  it: TestIssuer
}> {
  const it = await testIssuer()
  const authorization = { params: { response_mode: 'form_post' } }
  const browser = new Browser(configWith({ providers: [providerAt(it, { authorization })] }))
  const url = await browser.start('test')
  expect(url.searchParams.get('response_mode')).toBe('form_post')
  const [code, state] = ['nonce', 'state'].map((name) => url.searchParams.get(name) ?? '')
  return { browser, fields: { code, state } as Record<string, string>, it }
}

const pathOf = (url: string) => url.replace(origin, '')

test('a posted answer comes back with the cookie, and no code is in a URL', async () => {
  const { browser, fields } = await started()
  const bounced = await browser.post('/auth/callback/test', fields, fromAnotherSite)
  expect(bounced.status).toBe(303)
  expect(bounced.headers.get('cache-control')).toContain('no-store')
  expect(locationOf(bounced)).not.toContain(fields.code)
  expect(locationOf(bounced)).not.toContain(fields.state)
  const answer = await browser.get(pathOf(locationOf(bounced)))
  expect(locationOf(answer)).toBe(`${origin}/inbox`)
  expect(await browser.session()).not.toBeNull()
})

test('a posted answer that has its cookie is taken at once', async () => {
  const { browser, fields } = await started()
  const answer = await browser.post('/auth/callback/test', fields)
  expect(locationOf(answer)).toBe(`${origin}/inbox`)
})

test('login CSRF: a posted answer signs no user in if their browser did not start the sign-in', async () => {
  const { browser, fields } = await started()
  const bounced = await browser.post('/auth/callback/test', fields, fromAnotherSite)
  const victim = new Browser(configWith(), { answer: browser.answer })
  const answer = await victim.get(pathOf(locationOf(bounced)))
  expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
  expect([...victim.jar.keys()].some((name) => name.includes('session-token'))).toBe(false)
})

test('a posted answer is used once, and by one of two at the same time', async () => {
  const { browser, fields } = await started()
  const bounced = await browser.post('/auth/callback/test', fields, fromAnotherSite)
  const path = pathOf(locationOf(bounced))
  const twin = copyOf(browser, configWith(), { answer: browser.answer })
  const answers = await Promise.all([browser.get(path), twin.get(path)])
  const targets = answers.map(locationOf).filter((url) => url === `${origin}/inbox`)
  expect(targets).toHaveLength(1)
})

test.each([
  ['damaged', 'AAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  ['empty', ''],
])('a sealed answer that is %s is refused', async (_, posted) => {
  const { browser } = await started()
  const answer = await browser.get(`/auth/callback/test?posted=${posted}`)
  expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
})

test('a flow cookie is refused as a sealed answer', async () => {
  const { browser } = await started()
  const flow = [...browser.jar].find(([name]) => name.includes('flow'))?.[1] ?? ''
  const answer = await browser.get(`/auth/callback/test?posted=${flow}`)
  expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
})

test('an answer that is too long for a URL is refused', async () => {
  const { browser, fields } = await started()
  const long = { ...fields, code: 'x'.repeat(20_000) }
  const answer = await browser.post('/auth/callback/test', long, fromAnotherSite)
  expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
})

test('a posted answer of a canceled sign-in has access_denied', async () => {
  const { browser, fields } = await started()
  const cancelled = { state: fields.state ?? '', error: 'access_denied' }
  const bounced = await browser.post('/auth/callback/test', cancelled, fromAnotherSite)
  const answer = await browser.get(pathOf(locationOf(bounced)))
  expect(errorOf(answer)).toBe('/auth/signin OAuthCallbackError access_denied')
})
