import credentials from '@latchkey/worker/providers/credentials'
import { afterAll, expect, test } from 'vitest'
import { cookieOf, form, SECRET, startApp, versions } from '../../../test/express/support.js'

const stops: (() => Promise<void>)[] = []
afterAll(() => Promise.all(stops.map((stop) => stop())))

const providers = [
  credentials({
    credentials: { username: {}, password: { type: 'password' } },
    authorize: () => null,
  }),
]

test.each(versions)('$name: a wrong password keeps the name that was typed', async (version) => {
  const logger = { error() {}, warn() {} }
  const app = await startApp(version, { providers, secret: SECRET, logger }, undefined, stops)
  const first = await app.ask('/auth/csrf')
  const { csrfToken } = JSON.parse(first.text) as { csrfToken: string }
  const sent = form({ csrfToken, username: 'ada+new', password: 'wrong-secret' })
  const headers = { ...sent.headers, cookie: cookieOf(first) }
  const refused = await app.ask('/auth/callback/credentials', { ...sent, headers })
  const { pathname, search } = new URL(String(refused.headers.location))
  expect(search).not.toContain('ada')
  const cookie = cookieOf(first, refused)
  const page = await app.ask(pathname + search, { headers: { cookie } })
  expect(page.text).toContain('value="ada+new"')
  expect(page.text).not.toContain('wrong-secret')
})
