import { describe, expect, test } from 'vitest'
import {
  endsInServiceRoute,
  isOperatorRoute,
  isServiceRoute,
  parseBasePath,
  ROUTES,
} from './service-routes.js'

test.each(ROUTES)('%s is a route, below any base path too', (route) => {
  const path = route.replace(':provider', 'github')
  expect(isServiceRoute(path)).toBe(true)
  for (const base of ['/auth', '/signin/auth', '/a/b/c']) {
    expect(endsInServiceRoute(base + path)).toBe(true)
  }
})

test.each([
  '/',
  '',
  'session',
  '/nothing',
  '/Session',
  '/session/',
  '/signin/',
  '/callback',
  '/callback/',
  '/sessions/other',
  '/toString',
])('%s is not a route', (route) => {
  expect(isServiceRoute(route)).toBe(false)
  expect(endsInServiceRoute(`/auth${route}`)).toBe(false)
})

test.each(['/account', '/session', '/error'])(
  '%s is an app’s own page: it is below no base path',
  (path) => {
    expect(endsInServiceRoute(path)).toBe(false)
  },
)

test.each(['openid-configuration', 'oauth-authorization-server'])(
  'the metadata may be asked for at the root, as %s with a base path behind it',
  (name) => {
    expect(endsInServiceRoute(`/.well-known/${name}/auth`)).toBe(true)
    expect(endsInServiceRoute(`/.well-known/${name}/shop/auth`)).toBe(true)
    for (const path of [
      `/.well-known/${name}`,
      `/.well-known/${name}/`,
      `/x/.well-known/${name}/auth`,
    ]) {
      expect(endsInServiceRoute(path)).toBe(false)
    }
    expect(endsInServiceRoute('/.well-known/security.txt/auth')).toBe(false)
  },
)

test('a method of the operator API is a route of its own kind, which apps that forward do not have', () => {
  expect(isOperatorRoute('/operator/listWays')).toBe(true)
  expect(isServiceRoute('/operator/listWays')).toBe(false)
  expect(endsInServiceRoute('/auth/operator/listWays')).toBe(true)
  for (const route of [
    '/operator',
    '/operator/',
    '/operator/a/b',
    '/x/operator/a',
    '/operators/a',
  ]) {
    expect(isOperatorRoute(route)).toBe(false)
    expect(endsInServiceRoute(`/auth${route}`)).toBe(route.startsWith('/x'))
  }
  expect(endsInServiceRoute('/operator/listWays')).toBe(false)
})

test('more than one segment is not a provider’s id', () => {
  expect(isServiceRoute('/callback/a/b')).toBe(false)
  expect(isServiceRoute('/callback//b')).toBe(false)
})

test('a path of many slashes is compared quickly', () => {
  const began = performance.now()
  for (const path of ['/'.repeat(1_000_000), '/a'.repeat(500_000)]) {
    expect(endsInServiceRoute(path)).toBe(false)
  }
  expect(performance.now() - began).toBeLessThan(1_000)
})

describe('a base path', () => {
  test.each([
    ['/auth', '/auth'],
    ['/sign/in//', '/sign/in'],
  ])('%s', (text, expected) => {
    expect(parseBasePath(text)).toBe(expected)
  })

  test.each([
    '',
    '/',
    'auth',
    '/a//b',
    '/a b',
    '/%61uth',
    '/auth?x',
    // No request has them: a URL leaves them out.
    '/a/../b',
    '/.',
    '/a/..',
  ])('%j is refused', (text) => {
    expect(() => parseBasePath(text)).toThrow(`The base path "${text}" must look like /auth.`)
  })

  test.each(['/.well-known/auth', '/..auth', '/a..'])('%s is one', (text) => {
    expect(parseBasePath(text)).toBe(text)
  })
})
