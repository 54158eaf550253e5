import { expect, it } from 'vitest'
import { createAuth } from '../../index.js'
import credentials from '../../providers/credentials.js'
import { memoryStore } from '../../stores/memory.js'

const SECRET = 'a-secret-of-the-tests-0123456789abcdef'
const authorize = () => null

async function shown(fields?: Record<string, object>, language = 'en') {
  const warned: string[] = []
  const logger = { error() {}, debug() {}, warn: (code: string) => void warned.push(code) }
  const auth = createAuth({
    secret: SECRET,
    store: memoryStore(),
    logger,
    providers: [credentials({ authorize, ...(fields && { credentials: fields }) })],
  })
  const headers = { 'accept-language': language }
  const answer = await auth.fetch(new Request('https://a.test/api/auth/signin', { headers }), {})
  return { page: await answer.text(), warned }
}

it('a form without declared fields has a user name and a password', async () => {
  const { page, warned } = await shown()
  expect(page).toMatch(
    /<label for="form-0-0">User name<\/label>\s*<input[^>]*name="username"[^>]*required/,
  )
  expect(page).toMatch(/<label for="form-0-1">Password<\/label>\s*<input[^>]*type="password"/)
  expect(page).toContain('autocomplete="username"')
  expect(warned).not.toContain('credentials-without-fields')
})

it('a user signs in by the form without declared fields, and not with a wrong password', async () => {
  const auth = createAuth({
    secret: SECRET,
    store: memoryStore(),
    providers: [
      credentials({
        authorize: ({ username, password }) =>
          username === 'ada' && password === 'right' ? { id: 'ada', name: 'Ada' } : null,
      }),
    ],
  })
  const at = 'https://a.test/api/auth'
  const csrf = await auth.fetch(new Request(`${at}/csrf`), {})
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const cookie = csrf.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const post = async (password: string) => {
    const answer = await auth.fetch(
      new Request(`${at}/callback/credentials`, {
        method: 'POST',
        headers: {
          cookie,
          origin: 'https://a.test',
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: new URLSearchParams({ csrfToken, username: 'ada', password }),
      }),
      {},
    )
    return answer.headers.getSetCookie().some((one) => /session-token=[^;]/.test(one))
  }
  expect(await post('wrong')).toBe(false)
  expect(await post('right')).toBe(true)
})

it('declared fields keep their own labels', async () => {
  const { page } = await shown({ username: {}, pin: { label: 'PIN' } })
  expect(page).toContain('>username</label>')
  expect(page).toContain('>PIN</label>')
})

it('a form that is declared without fields is logged', async () => {
  expect((await shown({})).warned).toContain('credentials-without-fields')
})
