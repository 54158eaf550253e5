import type { MiddlewareAuthConfig } from '@latchkey/express'
import { mintSession } from '@latchkey/session/testing'
import type { Express } from 'express5'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { inProcess, type Running, SECRET, signIn, startApp, versions } from '../express/support.ts'

/** The app's own origin, behind proxies and with headers that a client forges. */
const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const stop of stops.splice(0)) await stop()
})

describe.each(versions)('$name', ({ express, wildcard }) => {
  const start = (config: MiddlewareAuthConfig, build?: (app: Express) => void) =>
    startApp({ express, wildcard }, config, build, stops)

  const overTls = { 'x-forwarded-proto': 'https', host: 'app.example.com' }
  const trustProxy = (app: Express) => void app.set('trust proxy', 'loopback')

  async function callbackUrl(app: Running, headers: Record<string, string>): Promise<string> {
    const { status, text } = await app.ask('/auth/providers', { headers })
    return status === 200 ? JSON.parse(text).credentials.callbackUrl : String(status)
  }

  test('behind a TLS proxy the routes and the reader agree on the cookie', async () => {
    const app = await start(inProcess(), trustProxy)
    const { cookie, answer } = await signIn(app, { headers: overTls })
    expect(cookie).toContain('__Host-auth.session-token=')
    expect(answer.cookies.every((line) => /; Secure/.test(line))).toBe(true)
    const me = await app.ask('/me', { headers: { ...overTls, cookie } })
    expect(JSON.parse(me.text).user.name).toBe('ann')
  })

  test('an http cookie on https, and an https cookie on http, do not sign in', async () => {
    const app = await start(inProcess(), trustProxy)
    const issuer = 'https://app.example.com/auth'
    const { cookie } = await mintSession({ secret: SECRET, issuer, user: { id: 'bo' } })
    const bare = cookie.replace('__Host-', '')
    const headers = (sent: string) => ({ headers: { ...overTls, cookie: sent } })
    expect((await app.ask('/me', headers(cookie))).text).toContain('bo')
    expect((await app.ask('/me', headers(bare))).text).toBe('null')
    const plain = { host: 'app.example.com', cookie: bare }
    expect((await app.ask('/me', { headers: plain })).text).toBe('null')
  })

  test('a forwarded header is not believed without trust', async () => {
    const app = await start(inProcess())
    const spoofed = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const expected = `${app.url}/auth/callback/credentials`
    expect(await callbackUrl(app, spoofed)).toBe(expected)
    expect(await callbackUrl(app, { forwarded: 'host=evil.example;proto=https' })).toBe(expected)
    expect(await callbackUrl(app, { 'x-original-host': 'evil.example' })).toBe(expected)
  })

  test('a Host that the client made up is refused in production', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const warnings: string[] = []
    const logger = { error() {}, warn: (code: string) => void warnings.push(code) }
    const app = await start(inProcess({ logger }))
    const evil = { host: 'evil.example' }
    expect(await callbackUrl(app, evil)).toBe('400')
    expect(await callbackUrl(app, evil)).toBe('400')
    expect(warnings.filter((code) => code !== 'memory-store')).toEqual(['untrusted-host'])
    const { cookie } = await mintSession({ secret: SECRET, issuer: 'http://evil.example/auth' })
    expect((await app.ask('/me', { headers: { ...evil, cookie } })).text).toBe('null')
    expect(await callbackUrl(app, {})).toBe(`${app.url}/auth/callback/credentials`)
    const listed = await start(inProcess({ trustedOrigins: ['https://*.example.com'] }))
    const forwarded = { 'x-forwarded-host': 'a.example.com', 'x-forwarded-proto': 'https' }
    expect(await callbackUrl(listed, forwarded)).toContain('https://a.example.com/auth/')
    expect(
      await callbackUrl(listed, { ...forwarded, 'x-forwarded-host': 'aexample.com' }),
    ).toContain(listed.url)
  })

  test('an untrusted TLS proxy is warned of once, and a trusted one is not', async () => {
    const codes: string[] = []
    const logger = { error() {}, warn: (code: string) => void codes.push(code) }
    const proxied = { ...overTls, host: 'localhost:3000' }
    const believing = [
      await start(inProcess({ logger, trustHost: true })),
      await start(inProcess({ logger }), trustProxy),
    ]
    for (const app of believing) {
      expect(await callbackUrl(app, proxied)).toContain('https://localhost:3000/')
    }
    const app = await start(inProcess({ logger }))
    await callbackUrl(app, { host: 'localhost:3000' })
    expect(codes).toEqual([])
    for (let count = 0; count < 2; count++) {
      expect(await callbackUrl(app, proxied)).toContain('http://localhost:3000/')
      expect(codes).toEqual(['untrusted-proxy'])
    }
  })

  test('AUTH_URL wins over every header', async () => {
    vi.stubEnv('AUTH_URL', 'https://app.example.com')
    const app = await start(inProcess({ trustHost: true }), trustProxy)
    const spoofed = { host: 'evil.example', 'x-forwarded-host': 'worse.example' }
    expect(await callbackUrl(app, spoofed)).toBe(
      'https://app.example.com/auth/callback/credentials',
    )
    const issuer = 'https://app.example.com/auth'
    const { cookie } = await mintSession({ secret: SECRET, issuer, user: { id: 'bo' } })
    expect((await app.ask('/me', { headers: { ...spoofed, cookie } })).text).toContain('bo')
  })

  test('AUTH_URL gives the base path, even when a proxy strips a part of it', async () => {
    vi.stubEnv('AUTH_URL', 'https://example.com/shop/auth')
    const app = await start(inProcess())
    expect(await callbackUrl(app, {})).toBe('https://example.com/shop/auth/callback/credentials')
  })

  test('a warning says once that the forms post to another path than the mount', async () => {
    const said: string[] = []
    const logger = {
      error() {},
      warn: (code: string, text = '') => void said.push(`${code}: ${text}`),
    }
    await callbackUrl(await start(inProcess({ logger, basePath: '/auth' })), {})
    expect(said).toEqual([])
    vi.stubEnv('AUTH_URL', 'http://localhost:3000/api/auth')
    const app = await start(inProcess({ logger }))
    for (let count = 0; count < 2; count++) {
      expect((await app.ask('/auth/signin')).text).toContain('/api/auth/callback/credentials')
    }
    expect(said).toEqual([expect.stringMatching(/^base-path: .*Mount it at \/api\/auth,/)])
  })

  test.each([
    { host: 'a b' },
    { host: 'a@b' },
    { host: 'a/b' },
    { host: 'a:99999' },
    { host: '[::1' },
    { 'x-forwarded-host': 'a/../b' },
    { 'x-forwarded-proto': 'javascript' },
    { 'x-forwarded-host': 'é' },
  ])('a malformed header is a 400, and never a 500: %o', async (headers) => {
    const app = await start(inProcess({ trustHost: true }))
    expect((await app.ask('/auth/csrf', { headers })).status).toBe(400)
    const { cookie } = await mintSession({ secret: SECRET, issuer: `${app.url}/auth` })
    const me = await app.ask('/me', { headers: { ...headers, cookie } })
    expect([me.status, me.text]).toEqual([200, 'null'])
  })
})
