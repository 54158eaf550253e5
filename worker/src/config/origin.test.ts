import { isPublicSuffix, parseOriginPattern } from '@latchkey/host/shared'
import { describe, expect, it } from 'vitest'
import { Auth, createAuth } from '../index.js'
import { configWith, secret } from '../test-support/browser.js'
import { resolveOrigin } from './origin.js'

const request = (headers: Record<string, string>, url = 'http://internal:8787/auth/session') =>
  new Request(url, { headers })
const policy = (trustHost: boolean, trusted: string[] = [], configured?: string) => ({
  configured,
  trustHost,
  trusted: trusted.map((text) => parseOriginPattern(text, isPublicSuffix)),
  isHostKnown: true,
})

describe('the public origin', () => {
  it('AUTH_URL wins over every header, also if headers are trusted', () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const own = policy(true, ['https://evil.example'], 'https://example.com')
    expect(resolveOrigin(request(headers), own)).toBe('https://example.com')
  })

  it('AUTH_URL is not disturbed by malformed headers', () => {
    const own = policy(true, [], 'https://example.com')
    expect(resolveOrigin(request({ host: '<script>' }), own)).toBe('https://example.com')
  })

  it('without trust a forged Host or X-Forwarded header changes nothing', () => {
    const forged = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example;proto=https',
    }
    expect(resolveOrigin(request(forged), policy(false))).toBe('http://internal:8787')
  })

  it('without trust a malformed header is ignored', () => {
    expect(resolveOrigin(request({ host: 'a b' }), policy(false))).toBe('http://internal:8787')
  })

  it.each([
    [{ host: 'app.example.com' }, 'http://app.example.com'],
    [{ host: 'app.example.com', 'x-forwarded-proto': 'https' }, 'https://app.example.com'],
    [{ host: 'inner', 'x-forwarded-host': 'App.Example.com' }, 'http://app.example.com'],
    [
      { 'x-forwarded-host': 'app.example.com, inner.local', 'x-forwarded-proto': 'https,http' },
      'https://app.example.com',
    ],
    [
      { 'x-forwarded-host': 'app.example.com:443', 'x-forwarded-proto': 'HTTPS' },
      'https://app.example.com',
    ],
    [{ 'x-forwarded-host': '[::1]:9000' }, 'http://[::1]:9000'],
    [{ 'x-forwarded-host': '', host: 'app.example.com' }, 'http://app.example.com'],
  ])('trusted headers %j mean %s', (headers, expected) => {
    expect(resolveOrigin(request(headers as Record<string, string>), policy(true))).toBe(expected)
  })

  it.each([
    ['a path', { host: 'example.com/evil' }],
    ['user info', { host: 'user@evil.example' }],
    ['a space', { host: 'exa mple.com' }],
    ['a fragment', { 'x-forwarded-host': 'example.com#' }],
    ['a backslash', { 'x-forwarded-host': 'example.com\\evil' }],
    ['a port too high', { host: 'example.com:99999' }],
    ['an unclosed bracket', { host: '[::1' }],
    ['markup', { 'x-forwarded-host': '"><script>' }],
    ['a length of 300', { host: `${'a'.repeat(300)}.com` }],
    ['an unknown scheme', { 'x-forwarded-proto': 'javascript' }],
    ['a scheme with a host', { 'x-forwarded-proto': 'https://evil.example/' }],
  ])('a trusted header with %s is answered with 400, never 500', async (_, headers) => {
    const config = configWith({ trustHost: true })
    const response = await Auth(request(headers as Record<string, string>), config)
    expect(response.status).toBe(400)
    expect(await response.text()).toBe('Malformed Host or X-Forwarded header.')
  })

  it('an untrusted origin in forwarded headers falls back to the platform’s own URL', () => {
    const headers = { 'x-forwarded-host': 'evilexample.com', 'x-forwarded-proto': 'https' }
    const allowed = policy(false, ['https://example.com'])
    expect(resolveOrigin(request(headers), allowed)).toBe('http://internal:8787')
  })

  it('a trusted origin in forwarded headers is taken, and only with its own scheme', () => {
    const allowed = policy(false, ['https://example.com'])
    const headers = { 'x-forwarded-host': 'example.com', 'x-forwarded-proto': 'https' }
    expect(resolveOrigin(request(headers), allowed)).toBe('https://example.com')
    const plain = { ...headers, 'x-forwarded-proto': 'http' }
    expect(resolveOrigin(request(plain), allowed)).toBe('http://internal:8787')
  })

  it('behind a tunnel, the public https origin names the cookies and the callback URL', async () => {
    const headers = { host: 'x.trycloudflare.com', 'x-forwarded-proto': 'https' }
    const response = await Auth(
      request(headers, 'http://localhost:8787/auth/csrf'),
      configWith({ trustHost: true }),
    )
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-auth\.csrf-token=.*; Secure/)
  })
})

describe('AUTH_URL', () => {
  it('brings its base path, unless the config has its own', async () => {
    const env = { AUTH_URL: 'https://example.com/from-url', AUTH_SECRET: secret }
    const store = configWith().store
    const base = { providers: [], ...(store ? { store } : {}) }
    const byUrl = createAuth(() => base)
    const byConfig = createAuth(() => ({ ...base, basePath: '/own' }))
    expect((await byUrl.request('/from-url/csrf', {}, env)).status).toBe(200)
    expect((await byConfig.request('/own/csrf', {}, env)).status).toBe(200)
    expect((await byConfig.request('/from-url/csrf', {}, env)).status).toBe(404)
  })
})
