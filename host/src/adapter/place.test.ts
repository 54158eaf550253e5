import { describe, expect, test } from 'vitest'
import { placeOf } from './place.js'

/** A path, and the part of it at which the auth routes are mounted. */
function at(mount: string, rest: string) {
  return { path: mount + rest, mount }
}

describe('the place of a request', () => {
  test.each([
    ['a mount', at('/auth', '/signin/github')],
    ['the root', at('', '/auth/signin/github')],
  ])('by %s', (_name, request) => {
    const place = { base: '/auth', route: '/signin/github', isRewritten: false }
    expect(placeOf(request, undefined)).toEqual(place)
    expect(placeOf(request, '/auth')).toEqual(place)
  })

  test('is the configured one, also if a proxy has stripped a part', () => {
    const place = { base: '/shop/auth', route: '/session', isRewritten: false }
    const rewritten = { ...place, isRewritten: true }
    expect(placeOf(at('/auth', '/session'), '/shop/auth')).toEqual(rewritten)
    expect(placeOf(at('/shop/auth', '/session'), '/shop/auth')).toEqual(place)
    expect(placeOf(at('', '/shop/auth/session'), '/shop/auth')).toEqual(place)
    expect(placeOf(at('', '/session'), '/shop/auth')).toBeUndefined()
  })

  test.each(['openid-configuration', 'oauth-authorization-server'])(
    'is that of the metadata for %s at the root, by the base path behind it',
    (name) => {
      const place = (base: string) => ({
        ...{ base, route: '/.well-known/openid-configuration', isRewritten: false },
      })
      const path = `/.well-known/${name}`
      expect(placeOf(at('', `${path}/auth`), undefined)).toEqual(place('/auth'))
      expect(placeOf(at('', `${path}/shop/auth`), '/shop/auth')).toEqual(place('/shop/auth'))
      expect(placeOf(at('', `${path}/api/auth`), undefined, '/api/auth')).toEqual(
        place('/api/auth'),
      )
      const mounted = at('/.well-known', `/${name}/auth`)
      expect(placeOf(mounted, '/auth')).toEqual(place('/auth'))
      // Without `basePath` the mount does not say which service is meant.
      expect(placeOf(mounted, undefined)).toBeUndefined()
      expect(placeOf(at('', `${path}/auth`), '/shop/auth')).toBeUndefined()
      expect(placeOf(at('', `${path}/other`), undefined)).toBeUndefined()
      expect(placeOf(at('', path), undefined)).toBeUndefined()
      expect(placeOf(at('', `${path}/auth/`), '/auth')).toBeUndefined()
      expect(placeOf(at('', `${path}/%61uth`), '/auth')).toBeUndefined()
      expect(placeOf(at('', `/x${path}/auth`), '/auth')).toBeUndefined()
    },
  )

  test('is that of a method of the operator API only where the service itself runs', () => {
    for (const request of [at('/auth', '/operator/listWays'), at('', '/auth/operator/listWays')]) {
      const place = { base: '/auth', route: '/operator/listWays', isRewritten: false }
      expect(placeOf(request, '/auth', '/auth', true)).toEqual(place)
      expect(placeOf(request, '/auth', '/auth', false)).toBeUndefined()
      expect(placeOf(request, '/auth')).toBeUndefined()
    }
  })

  test('is the metadata alone if the handler is mounted for it', () => {
    for (const route of ['/session', '/signin/github', '/.well-known/openid-configuration']) {
      expect(placeOf(at('/.well-known', route), '/auth')).toBeUndefined()
    }
  })

  test.each([
    at('/auth', ''),
    at('/auth', '/nothing'),
    at('/auth', '/session/'),
    { path: '/auth/session/', mount: '' },
    at('/auth', '/%73ession'),
    at('/a%20b', '/session'),
    at('/auth', '//session'),
    at('/auth', '/callback/'),
    at('/auth', '/callback/a/b'),
    at('/auth', '/Session'),
    at('', '/other/session'),
  ])('is undefined: %o', (request) => {
    expect(placeOf(request, undefined)).toBeUndefined()
  })
})
