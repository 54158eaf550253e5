import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { getSession, passOn } from './get-session.js'

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

it.each([
  ['none', undefined, 'private, no-store'],
  ['one for shared caches', 'public, max-age=60', 'private, no-store'],
  ['one that keeps a field alone', 'private="set-cookie"', 'private, no-store'],
  ['one of its own for browsers', 'private, max-age=60', 'private, max-age=60'],
])('attack: a shared cache keeps a renewed cookie, of an app with %s', (_, before, after) => {
  const req = requestWith({ host: 'localhost:3000' })
  const res = new ServerResponse(req)
  if (before !== undefined) res.setHeader('Cache-Control', before)
  passOn(['auth.session-token=renewed'], Object.assign(req, { res }))
  expect(res.getHeader('cache-control')).toBe(after)
})
