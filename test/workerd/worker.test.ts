import { exports } from 'cloudflare:workers'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { signedIn } from './support.ts'

const worker = (exports as unknown as { default: Fetcher }).default

function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return worker.fetch(`http://localhost:8787${path}`, { redirect: 'manual', ...init })
}

describe('the Worker that is deployed', () => {
  test.each(['', '/', '/?from=mail', '/#top'])(
    'its root %j leads to the sign-in page',
    async (root) => {
      const answer = await ask(root)
      expect(answer.status).toBe(302)
      expect(answer.headers.get('location')).toMatch(/\/auth\/signin$/)
      await answer.body?.cancel()
    },
  )

  test.each(['//', '/x', '/x?/', '/auth'])('%j is not its root, and not found', async (path) => {
    const answer = await ask(path)
    expect(answer.status).toBe(404)
    await answer.body?.cancel()
  })

  test('its sign-in page is HTML that runs no script and is not cached', async () => {
    const answer = await ask('/auth/signin')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/)
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(await answer.text()).not.toContain('<script')
  })

  test('its sessions can be verified with its public keys and plain jose', async () => {
    const { browser } = await signedIn()
    const published = await ask('/auth/jwks.json')
    expect(published.headers.get('cache-control')).toContain('public')
    const keys = createLocalJWKSet(await published.json())
    const { payload, protectedHeader } = await jwtVerify(browser.sessionToken, keys, {
      algorithms: ['EdDSA'],
      typ: 'session+jwt',
      issuer: 'http://localhost:8787/auth',
    })
    expect(payload.session).toMatchObject({ user: { name: 'Vic Placeholder' } })
    expect(Object.keys(protectedHeader).sort()).toEqual(['alg', 'kid', 'typ'])
    const headers = { cookie: browser.cookieHeader }
    const answer = await ask('/auth/session', { headers })
    expect(await answer.json()).toMatchObject({
      user: { id: payload.sub, name: 'Vic Placeholder' },
    })
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  test('it answers with a csrf token and the matching cookie', async () => {
    const answer = await ask('/auth/csrf')
    const { csrfToken } = await answer.json<{ csrfToken: string }>()
    const [cookie = ''] = answer.headers.getSetCookie()
    expect(cookie).toMatch(/^auth\.csrf-token=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/)
    expect(cookie).toContain(csrfToken)
  })

  test.for([
    ['PUT', '/auth/session', 'GET, HEAD, POST'],
    ['DELETE', '/auth/signout', 'GET, HEAD, POST'],
    ['POST', '/auth/csrf', 'GET, HEAD'],
    ['GET', '/auth/signin/videoapp', 'POST'],
  ])('%s %s is not allowed', async ([method, path, allow]) => {
    const answer = await ask(path as string, { method: method as string })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe(allow)
    await answer.body?.cancel()
  })

  test.for([
    '/auth',
    '/auth/',
    '/auth/nothing',
    '/auth/session/x',
    '/auth/%73ession',
    '/authx/session',
    '/else',
    '//auth/session',
  ])('%s does not exist', async (path) => {
    const answer = await ask(path)
    expect(answer.status).toBe(404)
    await answer.body?.cancel()
  })
})
