import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { steps } from '../../../test/support/steps.js'
import { canonicalPath } from './canonical-path.js'
import { ComponentKitAuth } from './component-kit-auth.js'
import { config, ORIGIN, TestApp } from './test-app.js'

/** Kit's own functions that find a route by its path, which are not public. */
const kit = join(import.meta.dirname, '../../../node_modules/@sveltejs/kit/src/utils')
const { parse_route_id } = (await import(/* @vite-ignore */ `${kit}/routing.js`)) as {
  parse_route_id: (id: string) => { pattern: RegExp }
}
const { decode_pathname } = (await import(/* @vite-ignore */ `${kit}/url.js`)) as {
  decode_pathname: (pathname: string) => string
}

/** Does Kit serve this path by the route? */
function isServedBy(route: string, pathname: string): boolean {
  try {
    return parse_route_id(route).pattern.test(decode_pathname(pathname))
  } catch {
    return false
  }
}

const pathOf = (path: string) => new URL(`http://a.example${path}`).pathname
const everyByte = Array.from({ length: 256 }, (_, byte) => `%${byte.toString(16).padStart(2, '0')}`)

describe('the one spelling of a path', () => {
  test.each([
    ['/%61dmin', '/admin'],
    ['/%41%5A%7a%30%39%2D%2e%5f%7E', '/AZz09-._~'],
    ['/a%21%27%28%29%2a', "/a!'()*"],
    ['/%c3%a9', '/%C3%A9'],
    ['/a%2fb%3f%23%25', '/a%2Fb%3F%23%25'],
    ['/%2561dmin', '/%2561dmin'],
    ['/a%5cb', '/a%5Cb'],
    ['/[x]|^', '/%5Bx%5D%7C%5E'],
    ['/caf%C3%A9%20/x:y@z&a=b+c$,;', '/caf%C3%A9%20/x:y@z&a=b+c$,;'],
    ['/%zz', '/%zz'],
  ])('a path %s becomes %s', (path, canonical) => {
    expect(canonicalPath(path)).toBe(canonical)
  })

  test('leaves what encodeURIComponent makes unchanged', () => {
    const text = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('')
    const path = `/${encodeURIComponent(text)}`
    expect(canonicalPath(path)).toBe(path)
  })

  test('is unchanged by the URL parser and by a second run: a redirect happens once', () => {
    for (const encoded of [...everyByte, ...everyByte.map((text) => text.toUpperCase())]) {
      for (const path of [`/x${encoded}`, `/${encoded}x/`, `/x/.${encoded}y`]) {
        const canonical = canonicalPath(pathOf(path))
        expect([path, canonicalPath(canonical)]).toEqual([path, canonical])
        expect([path, pathOf(canonical)]).toEqual([path, canonical])
      }
    }
  })

  test('is matched by Kit with the same route as the spelling before', () => {
    const routes = ['/admin', '/[name]', '/[...rest]', '/a[x+2f]b', '/caf[u+e9]', '/(group)/x y']
    const paths = ['/%61dmin', '/%c3%a9', '/a%2fb', '/caf%c3%a9', '/x%20y', '/[x]', '/%5bx%5D']
    for (const path of [...paths, ...everyByte.map((byte) => `/x${byte}`)]) {
      for (const route of routes) {
        const before = isServedBy(route, pathOf(path))
        expect([route, path, isServedBy(route, canonicalPath(pathOf(path)))]).toEqual([
          route,
          path,
          before,
        ])
      }
    }
  })
})

/** A path that Kit serves by `/admin`, and a hook that looks for `/admin` does not see. */
const SPELLINGS = ['/%61dmin', '/%61%64%6D%69%6e', '/admi%6E', '/%41dmin', '/ad%6Din/']

describe('an authorization hook that looks at the path', () => {
  const visit = async (path: string, options = {}, init: RequestInit = {}) => {
    const app = new TestApp(ComponentKitAuth(config))
    const response = await app.visit(path, undefined, init, options)
    return { response, wasResolved: app.wasResolved }
  }

  test.each(SPELLINGS)('cannot be passed by %s: path confusion', async (path) => {
    const { response, wasResolved } = await visit(`${path}?/named&x=%61`)
    expect([response.status, wasResolved]).toEqual([308, false])
    expect(response.headers.get('location')).toBe(`${decodeURIComponent(path)}?/named&x=%61`)
  })

  test('cannot be passed by a form or by a request for data either', async () => {
    const post = { method: 'POST', body: new URLSearchParams({ a: 'b' }) }
    expect((await visit('/%61dmin?/named', {}, post)).response.status).toBe(308)
    // Kit turns the redirect into the JSON that its client expects.
    const { response } = await visit('/%61dmin', { isDataRequest: true })
    expect([response.status, response.headers.get('location')]).toEqual([308, '/admin'])
  })

  test('cannot be passed by a path that looks like one of the build', async () => {
    for (const path of [
      '/%61dmin/[fallback]',
      '/%61dmin/x/[fallback]',
      '//[fallback]',
      '/x/[fallback]',
    ]) {
      for (const isDataRequest of [false, true]) {
        const { response, wasResolved } = await visit(path, { isDataRequest })
        expect([path, response.status, wasResolved]).toEqual([path, 308, false])
      }
    }
  })

  test('sees every path that Kit serves by the route it looks for', async () => {
    const odd = [
      '//admin',
      '/./admin',
      '/x/../admin',
      '/%2e/admin',
      '/admin%2f',
      '/admin%5c',
      '/\\admin',
    ]
    for (const path of [
      ...odd,
      '/ADMIN',
      '/admin;x',
      '/.admin',
      '/admin//',
      '/%00admin',
      '/admin%00',
    ]) {
      const pathname = pathOf(path)
      const isHidden = isServedBy('/admin', pathname) && !pathname.startsWith('/admin')
      expect([path, isHidden]).toEqual([path, false])
    }
  })

  test.each(['/admin/%', '/admin/%zz', '/admin/%ff', '/admin/%c0%af', '/admin/%25%'])(
    'is not called for %s, which cannot be decoded: its redirect would end the process',
    async (path) => {
      for (const options of [{}, { isDataRequest: true }, { isRemoteRequest: true }]) {
        const { response, wasResolved } = await visit(path, options)
        expect([response.status, wasResolved]).toEqual([400, false])
      }
      expect((await visit('/admin/%25')).wasResolved).toBe(true)
    },
  )

  test('does not redirect to another site by two slashes: an open redirect', async () => {
    for (const path of ['//evil.example/%61', '/\\evil.example/%61', '///evil.example/%61']) {
      const location = (await visit(path)).response.headers.get('location') ?? ''
      expect([path, new URL(location, ORIGIN).origin]).toEqual([path, ORIGIN])
    }
  })

  test('ignores the path that a remote function’s client claims', async () => {
    const { response, wasResolved } = await visit('/%61dmin', { isRemoteRequest: true })
    expect([response.status, wasResolved]).toEqual([200, true])
  })

  test('leaves canonical paths alone', async () => {
    for (const path of ['/', '/admin', '/caf%C3%A9', '/a%2Fb', '/%25', '/a:b@c', '/x?y=%61%zz']) {
      expect([path, (await visit(path)).wasResolved]).toEqual([path, true])
    }
  })
})

test('a path of many escapes costs as much as it is long', () => {
  const cost = (size: number) => steps(() => canonicalPath('/%61%2f'.repeat(size)))
  expect(cost(3_000)).toBeLessThan(12 * cost(300))
})
