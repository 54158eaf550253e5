import { ROUTES } from '@latchkey/host/shared'
import { describe, expect, test } from 'vitest'
import { mountOf } from './mount.js'
import type { ExpressRequest } from './types.js'

function request(baseUrl: string, path: string, params: object = {}): ExpressRequest {
  return { baseUrl, path, params } as ExpressRequest
}

describe('the mount of a request', () => {
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
  ])('by %s', (_name, req) => {
    expect(mountOf(req)).toEqual({ path: '/auth/signin/github', mount: '/auth' })
  })

  test.each([
    ['the root', request('', '/auth/signin/github')],
    ['a wildcard at the root', request('/auth/signin/github', '/', { 0: '/auth/signin/github' })],
  ])('by %s', (_name, req) => {
    expect(mountOf(req)).toEqual({ path: '/auth/signin/github', mount: '' })
  })

  test.each([
    [request('/auth/session', '/', { 0: 'session/' }), '/auth/session/'],
    [request('/auth/session', '/', { rest: ['session', ''] }), '/auth/session/'],
    [request('/auth', '/session/'), '/auth/session/'],
    [request('/auth', '/'), '/auth'],
    [request('/auth', '/%73ession'), '/auth/%73ession'],
    [request('/auth', '//session'), '/auth//session'],
  ])('leaves the path of other routes unchanged: %o', (req, path) => {
    expect(mountOf(req).path).toBe(path)
  })
})

test('the routes are those of the service', async () => {
  const { createAuth } = await import('@latchkey/worker')
  const { authorizationServer } = await import('@latchkey/worker/features/authorization-server')
  const { companies } = await import('@latchkey/worker/features/companies')
  const { passwords } = await import('@latchkey/worker/features/passwords')
  const { default: email } = await import('@latchkey/worker/providers/email')
  const { default: password } = await import('@latchkey/worker/providers/password')
  const { default: passkey } = await import('@latchkey/worker/providers/passkey')
  const { memoryStore } = await import('@latchkey/worker/stores/memory')
  const secret = 'a-secret-of-the-tests-0123456789abcdef'
  const quiet = { error() {} }
  const auth = createAuth({
    basePath: '/auth',
    secret,
    // The sections of passkeys and passwords are there with them alone.
    providers: [
      passkey({ rpName: 'Tests' }),
      email({ from: 'sign-in@mail.example', sendVerificationRequest: () => {} }),
      password(),
    ],
    features: [
      passwords,
      companies(),
      authorizationServer({ apps: { tv: { device: true } }, keys: { prefix: 'lk' } }),
    ],
    boundSessions: true,
    store: memoryStore(),
    logger: quiet,
  })
  // The route of imports is there for a few days alone.
  const env = {
    AUTH_IMPORT_UNTIL: new Date(Date.now() + 86_400_000).toISOString(),
    AUTH_COMPANY_ACME_DOMAINS: 'acme.example',
    AUTH_COMPANY_ACME_ISSUER: 'https://id.acme.example',
    AUTH_COMPANY_ACME_ID: 'client',
  }
  for (const route of ROUTES) {
    // Some routes of a provider are there for companies alone.
    const path = route.replace(':provider', 'company-acme')
    const { status } = await auth.request(`/auth${path}`, { method: 'PUT' }, env)
    expect([route, status]).toEqual([route, 405])
  }
})
