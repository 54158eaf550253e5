import { ROUTES } from '@latchkey/session/internal'
import { describe, expect, test } from 'vitest'
import { placeOf } from './mount.js'
import type { ExpressRequest } from './types.js'

function request(baseUrl: string, path: string, params: object = {}): ExpressRequest {
  return { baseUrl, path, params } as ExpressRequest
}

describe('the place of a request', () => {
  test.each([
    ['a plain mount', request('/auth', '/signin/github')],
    ['a wildcard of Express 4', request('/auth/signin/github', '/', { 0: 'signin/github' })],
    [
      'a wildcard of Express 5',
      request('/auth/signin/github', '/', { rest: ['signin', 'github'] }),
    ],
    ['a route with a wildcard', request('', '/auth/signin/github', { rest: ['signin', 'github'] })],
    [
      'a parameter beside it',
      request('/auth/signin/github', '/', { id: 'github', 0: 'signin/github' }),
    ],
    ['the root', request('', '/auth/signin/github')],
    ['a wildcard at the root', request('/auth/signin/github', '/', { 0: '/auth/signin/github' })],
  ])('by %s', (_name, req) => {
    const place = { base: '/auth', route: '/signin/github', isRewritten: false }
    expect(placeOf(req, undefined)).toEqual(place)
    expect(placeOf(req, '/auth')).toEqual(place)
  })

  test('is what the configuration says, also where a proxy has taken a part off', () => {
    const place = { base: '/shop/auth', route: '/session', isRewritten: false }
    const rewritten = { ...place, isRewritten: true }
    expect(placeOf(request('/auth', '/session'), '/shop/auth')).toEqual(rewritten)
    expect(placeOf(request('/auth/session', '/', { 0: 'session' }), '/shop/auth')).toEqual(
      rewritten,
    )
    expect(placeOf(request('/shop/auth', '/session'), '/shop/auth')).toEqual(place)
    expect(placeOf(request('', '/shop/auth/session'), '/shop/auth')).toEqual(place)
    expect(placeOf(request('', '/session'), '/shop/auth')).toBeUndefined()
  })

  test.each([
    request('/auth', '/'),
    request('/auth', '/nothing'),
    request('/auth', '/session/'),
    request('/auth/session', '/', { 0: 'session/' }),
    request('/auth/session', '/', { rest: ['session', ''] }),
    request('/auth', '/%73ession'),
    request('/a%20b', '/session'),
    request('/auth', '//session'),
    request('/auth', '/callback/'),
    request('/auth', '/callback/a/b'),
    request('/auth', '/Session'),
    request('', '/other/session'),
  ])('is none of ours: %o', (req) => {
    expect(placeOf(req, undefined)).toBeUndefined()
  })
})

test('the routes are those of the service', async () => {
  const { createAuth } = await import('@latchkey/worker')
  const { memoryStore } = await import('@latchkey/worker/stores/memory')
  const secret = 'a-secret-of-the-tests-0123456789abcdef'
  const quiet = { error() {} }
  const auth = createAuth({
    basePath: '/auth',
    secret,
    providers: [],
    store: memoryStore(),
    logger: quiet,
  })
  for (const route of ROUTES) {
    const { status } = await auth.request(`/auth${route}`, { method: 'PUT' })
    expect([route, status]).toEqual([route, 405])
  }
})
