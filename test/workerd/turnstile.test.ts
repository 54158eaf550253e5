import { afterEach, expect, inject, test, vi } from 'vitest'
import { Browser, location, service } from './support.ts'

const { env, url } = inject('siteverify')
const ada = { username: 'ada', password: 'open sesame', callbackUrl: '/inbox' }
const PATH = '/auth/callback/credentials'

const issue = async () => ({ 'cf-turnstile-response': await (await fetch(url)).text() })
const withTurnstile = (changed: Record<string, unknown> = {}) =>
  service({}, { ...env, ...changed } as never)

afterEach(() => void vi.restoreAllMocks())

test('in workerd a response counts once, over the network', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const browser = new Browser(withTurnstile())
  const once = await issue()
  expect(location(await browser.post(PATH, { ...ada, ...once })).pathname).toBe('/inbox')
  const again = location(await new Browser(withTurnstile()).post(PATH, { ...ada, ...once }))
  expect([again.pathname, again.search]).toEqual([
    '/auth/error',
    `?callbackUrl=${encodeURIComponent(`${again.origin}/inbox`)}&error=AccessDenied&code=turnstile`,
  ])
})

test('in workerd no user gets through while siteverify cannot be reached, or redirects', async () => {
  const elsewhere = ['http://127.0.0.1:1/', `${url.replace('/siteverify', '/redirect')}`]
  for (const AUTH_TURNSTILE_VERIFY_URL of elsewhere) {
    const unreachable = withTurnstile({ AUTH_TURNSTILE_VERIFY_URL })
    const answer = await new Browser(unreachable).post(PATH, { ...ada, ...(await issue()) })
    expect(answer.status).toBe(503)
    expect(unreachable.errors.map(({ name }) => name)).toEqual(['StoreUnavailable'])
  }
})

test('in workerd the sign-in page allows the widget, and half a configuration serves nothing', async () => {
  const page = await new Browser(withTurnstile()).go('/auth/signin')
  const origin = 'https://challenges.cloudflare.com'
  expect(page.headers.get('content-security-policy')).toContain(
    `script-src ${origin}; frame-src ${origin};`,
  )
  expect(await page.text()).toContain(`data-sitekey="${env.AUTH_TURNSTILE_SITE_KEY}"`)
  const half = await new Browser(withTurnstile({ AUTH_TURNSTILE_SITE_KEY: '' })).go('/auth/signin')
  expect(half.status).toBe(500)
})
