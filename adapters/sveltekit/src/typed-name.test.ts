import credentials from '@latchkey/worker/providers/credentials'
import { expect, test } from 'vitest'
import { ComponentKitAuth } from './component-kit-auth.js'
import { config, TestApp, testWorker } from './test-app.js'

const providers = [
  credentials({
    credentials: { username: {}, password: { type: 'password' } },
    authorize: () => null,
  }),
]

test.each([
  ['in process', () => ({ ...config, providers })],
  ['forwarded', () => ({ worker: testWorker({ providers }) })],
])('%s, a wrong password on our page keeps the name that was typed', async (_, make) => {
  const app = new TestApp(ComponentKitAuth(make()))
  const { csrfToken } = (await (await app.visit('/auth/csrf')).json()) as { csrfToken: string }
  const body = new URLSearchParams({ csrfToken, username: 'ada+new', password: 'wrong-secret' })
  const sent = { method: 'POST', body }
  const refused = await app.visit('/auth/callback/credentials', undefined, sent)
  const { pathname, search } = new URL(refused.headers.get('location') ?? '')
  expect(search).not.toContain('ada')
  const page = await (await app.visit(pathname + search)).text()
  expect(page).toContain('value="ada+new"')
  expect(page).not.toContain('wrong-secret')
})
