import { expect, test } from 'vitest'
import { endToEndHeaders, endToEndResponse, isNamedBy } from './end-to-end.js'

/** RFC 9110, 7.6.1, 10.1.4 and 11.7; RFC 9113, 8.2.2; RFC 7540, 3.2.1. */
const OF_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]

test.each(OF_CONNECTION)('%s is handed on neither to the service nor to the browser', (name) => {
  const given = { [name]: 'x', 'x-app': 'kept' }
  expect([...endToEndHeaders(Object.entries(given))]).toEqual([['x-app', 'kept']])
  const answer = new Response('{}', { headers: { ...given, 'content-type': 'text/plain' } })
  expect([...endToEndResponse(answer).headers.keys()]).toEqual(['content-type', 'x-app'])
})

const LISTS = ['x-secret', 'close, X-Secret', 'close ,\tx-secret,', ', ,x-SECRET , keep-alive']

test.each(LISTS)('hop-by-hop abuse: what "Connection: %s" names is not handed on', (connection) => {
  const given = { 'x-secret': '1', connection, 'x-secret-2': 'kept' }
  expect([...endToEndHeaders(Object.entries(given))]).toEqual([['x-secret-2', 'kept']])
  const { headers } = endToEndResponse(new Response(null, { headers: given }))
  expect([...headers]).toEqual([['x-secret-2', 'kept']])
  expect(isNamedBy(connection, 'x-secret')).toBe(true)
  expect(isNamedBy(connection, 'secret')).toBe(false)
})

test('Connection headers that come apart name together', () => {
  const given = [
    ['connection', 'x-one'],
    ['x-one', '1'],
    ['connection', 'x-two'],
    ['x-two', '2'],
    ['x-three', '3'],
  ] as const
  expect([...endToEndHeaders(given)]).toEqual([['x-three', '3']])
})

test('each cookie of an answer stays a line of its own', () => {
  const headers = new Headers({ connection: 'x-inner', 'x-inner': '1' })
  for (const line of ['a=1; Path=/', 'b=2; Expires=Wed, 21 Oct 2026 07:28:00 GMT']) {
    headers.append('set-cookie', line)
  }
  const answer = endToEndResponse(new Response('text', { status: 201, headers }))
  expect(answer.status).toBe(201)
  expect(answer.headers.getSetCookie()).toEqual(headers.getSetCookie())
  expect(answer.headers.has('x-inner')).toBe(false)
})
