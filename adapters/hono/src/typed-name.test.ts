import credentials from '@latchkey/worker/providers/credentials'
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { authHandler } from './auth.js'
import { Browser, binding, inProcess } from './test-app.js'

const providers = [
  credentials({
    credentials: { username: {}, password: { type: 'password' } },
    authorize: () => null,
  }),
]

test.each([
  ['in process', () => inProcess({ providers })],
  ['forwarded', () => ({ worker: binding({ providers }) })],
])('%s, a wrong password keeps the name that was typed', async (_, config) => {
  const browser = new Browser(new Hono().all('/auth/*', authHandler(config())))
  const { csrfToken } = (await (await browser.go('/auth/csrf')).json()) as { csrfToken: string }
  const body = new URLSearchParams({ csrfToken, username: 'ada+new', password: 'wrong-secret' })
  const refused = await browser.go('/auth/callback/credentials', { method: 'POST', body })
  const { pathname, search } = new URL(refused.headers.get('location') ?? '')
  expect(search).not.toContain('ada')
  const page = await (await browser.go(pathname + search)).text()
  expect(page).toContain('value="ada+new"')
  expect(page).not.toContain('wrong-secret')
})
