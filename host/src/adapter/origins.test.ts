import { describe, expect, test } from 'vitest'
import { parseAuthUrl, parseOriginPattern as parsePattern } from '../shared/origin.js'
import { isPublicSuffix } from '../shared/public-suffix.js'
import type { HostRequest } from './host-request.js'
import { type OriginPolicy, Origins } from './origins.js'

const parseOriginPattern = (text: string) => parsePattern(text, isPublicSuffix)

const policy: OriginPolicy = {
  configured: undefined,
  trustHost: undefined,
  trusted: [],
  isDevelopment: true,
  basePath: undefined,
}

interface Connection {
  readonly encrypted?: boolean
  readonly trusts?: boolean
  readonly isProduction?: boolean
  readonly hostIs?: HostRequest['hostIs']
}

function request(headers: Record<string, string>, connection: Connection = {}): HostRequest {
  const { encrypted = false, trusts = false, hostIs } = connection
  return {
    scheme: encrypted ? 'https' : 'http',
    host: headers.host ?? '',
    header: (name: string) => headers[name],
    isFromProxy: trusts,
    hostIs,
  } as Partial<HostRequest> as HostRequest
}

function originOf(
  given: Partial<OriginPolicy>,
  headers: Record<string, string>,
  connection: Connection,
): string {
  const found = new Origins({ ...policy, isDevelopment: !connection.isProduction, ...given }).of(
    request(headers, connection),
  )
  return typeof found === 'string' ? found : found.origin
}

const host = { host: 'a.example:3000' }
const forwarded = { ...host, 'x-forwarded-host': 'b.example, c', 'x-forwarded-proto': 'https,http' }
const trusted = [parseOriginPattern('https://*.b.example'), parseOriginPattern('https://b.example')]

describe('the public origin', () => {
  test.each([
    ['AUTH_URL', { configured: 'https://x.example' }, forwarded, {}, 'https://x.example'],
    ['the Host, on the way to production', {}, forwarded, {}, 'http://a.example:3000'],
    ['the socket', {}, host, { encrypted: true }, 'https://a.example:3000'],
    ['a proxy that Express trusts', {}, forwarded, { trusts: true }, 'https://b.example'],
    [
      'the same in production',
      {},
      forwarded,
      { trusts: true, isProduction: true },
      'https://b.example',
    ],
    ['trustHost', { trustHost: true }, forwarded, {}, 'https://b.example'],
    ['a listed origin', { trusted }, forwarded, { isProduction: true }, 'https://b.example'],
    [
      'a listed origin, though not trusted',
      { trusted, trustHost: false },
      forwarded,
      {},
      'https://b.example',
    ],
    ['no origin in production', {}, forwarded, { isProduction: true }, 'unknown-host'],
    [
      'the platform',
      { trustHost: false },
      forwarded,
      { hostIs: 'routed' as const },
      'http://a.example:3000',
    ],
    ['no origin, by an explicit option', { trustHost: false }, host, {}, 'unknown-host'],
    [
      'no origin, also by a proxy',
      { trustHost: false },
      forwarded,
      { trusts: true },
      'unknown-host',
    ],
    ['this machine', {}, { host: 'LOCALHOST:80' }, { isProduction: true }, 'http://localhost'],
    ['its address', { trustHost: false }, { host: '[::1]:80' }, {}, 'http://[::1]'],
    [
      'a name that only begins so',
      {},
      { host: 'localhost.evil.example' },
      { isProduction: true },
      'unknown-host',
    ],
    ['no Host', {}, {}, {}, 'malformed'],
  ])('by %s', (_name, given, headers, connection, expected) => {
    expect(originOf(given, headers, connection)).toBe(expected)
  })

  test('names the issuer, or any path if that is not known', () => {
    const req = request(host)
    expect(new Origins(policy).of(req)).toMatchObject({ issuer: 'http://a.example:3000/*' })
    const known = new Origins({ ...policy, basePath: '/auth' })
    expect(known.of(req)).toMatchObject({ issuer: 'http://a.example:3000/auth', scheme: 'http' })
    expect(known.of(req)).toBe(known.of(req))
  })
})

test('an invalid origin is refused by name', () => {
  expect(() => parseOriginPattern('https://a.example/path')).toThrow('https://a.example/path')
  expect(() => parseOriginPattern('https://*.com')).toThrow()
  expect(() => parseAuthUrl('ftp://a.example')).toThrow('AUTH_URL')
  expect(parseAuthUrl('https://a.example/x/')).toEqual({
    origin: 'https://a.example',
    basePath: '/x',
  })
})
