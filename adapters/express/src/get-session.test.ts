import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { getSession } from './get-session.js'

function requestWith(headers: Record<string, string>): IncomingMessage {
  return Object.assign(new IncomingMessage(new Socket()), { headers })
}

it.each([
  ['without a cookie', { host: 'localhost:3000' }],
  ['with a cookie', { host: 'localhost:3000', cookie: 'auth.session-token=a.b.c' }],
])('a configuration without a key is an error for a request %s', async (_, headers) => {
  await expect(getSession(requestWith(headers), { providers: [] })).rejects.toThrow('AUTH_SECRET')
})

it('a request without a cookie has no session', async () => {
  const config = { providers: [], secret: 'a-secret-of-the-tests-0123456789abcdef' }
  expect(await getSession(requestWith({ host: 'localhost:3000' }), config)).toBeNull()
})
