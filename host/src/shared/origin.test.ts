import { describe, expect, it, test } from 'vitest'
import { InvalidConfiguration } from './invalid-configuration.js'
import {
  firstOf,
  isListedOrigin,
  isNamedOrigin,
  isTrustedOrigin,
  parseAuthUrl,
  parseClaimedOrigin,
  parseOriginPattern as parsePattern,
} from './origin.js'
import { isPublicSuffix } from './public-suffix.js'

const parseOriginPattern = (text: string) => parsePattern(text, isPublicSuffix)

describe('trusted origins', () => {
  it.each([
    ['https://example.com', 'https://example.com', true],
    ['https://example.com', 'https://example.com:443', true],
    ['https://example.com', 'https://EXAMPLE.com', true],
    ['https://example.com', 'https://evilexample.com', false],
    ['https://example.com', 'https://example.com.evil.com', false],
    ['https://example.com', 'https://app.example.com', false],
    ['https://example.com', 'http://example.com', false],
    ['https://example.com', 'https://example.com:8443', false],
    ['https://example.com', 'https://example.com.', false],
    ['https://example.com', 'null', false],
    ['https://example.com', '', false],
    ['https://*.example.com', 'https://app.example.com', true],
    ['https://*.example.com', 'https://a.b.example.com', true],
    ['https://*.example.com', 'https://example.com', false],
    ['https://*.example.com', 'https://evilexample.com', false],
    ['https://*.example.com', 'https://.example.com', false],
    ['https://*.example.com', 'https://app..example.com', false],
    ['https://*.example.com', 'https://app.example.com.evil.com', false],
    ['https://*.example.com', 'https://evil.com/.example.com', false],
    ['https://*.example.com', 'https://evil.com#.example.com', false],
    ['https://*.example.com', 'https://app.example.com:8443', false],
    ['https://*.example.com', 'http://app.example.com', false],
    ['https://*.example.com:8443', 'https://app.example.com:8443', true],
    ['http://*.example.com', 'http://app.example.com', true],
    ['http://*.example.com', 'https://app.example.com', false],
    ['http://localhost:*', 'http://localhost', true],
    ['http://localhost:*', 'http://localhost:80', true],
    ['http://localhost:*', 'http://localhost:65535', true],
    ['http://127.0.0.1:*', 'http://127.0.0.1:5173', true],
    ['http://localhost:*', 'https://localhost:3000', false],
    ['http://localhost:*', 'http://127.0.0.1:3000', false],
    ['http://127.0.0.1:*', 'http://localhost:3000', false],
    ['http://127.0.0.1:*', 'http://127.0.0.2:3000', false],
    ['http://localhost:*', 'http://[::1]:3000', false],
    ['http://localhost:*', 'http://app.localhost:3000', false],
    ['http://localhost:*', 'http://localhost.:3000', false],
    ['http://localhost:*', 'http://localhost.evil.example:3000', false],
    ['http://localhost:*', 'http://localhost:3000@evil.example', false],
    ['http://localhost:*', 'http://localhost:99999', false],
    ['http://localhost:*', 'http://evil.example:3000', false],
  ])('%s and %s: %s', (pattern, candidate, expected) => {
    expect(isTrustedOrigin(candidate, [parseOriginPattern(pattern)])).toBe(expected)
  })

  it.each([
    'example.com',
    '*',
    'https://*',
    'https://*.com',
    'https://*.*.com',
    'xhttps://*.example.com',
    ' https://*.example.com',
    'https://*.example.com\nx',
    'https://a.*.example.com',
    'https://localhost:*',
    'xhttp://localhost:*',
    ' http://localhost:*',
    'http://localhost:*/',
    'http://localhost:*:*',
    'http://localhost:3*',
    'http://LOCALHOST:*',
    'http://[::1]:*',
    'http://127.0.0.2:*',
    'http://*.localhost:*',
    'http://app.localhost:*',
    'https://example.com:*',
    'https://*.example.com:*',
    'http://*:*',
    'localhost:*',
    'https://app*.example.com',
    'https://example.com/path',
    'https://example.com?x',
    'https://user@example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    'null',
  ])('%s is refused, and named', (pattern) => {
    expect(() => parseOriginPattern(pattern)).toThrow(InvalidConfiguration)
    expect(() => parseOriginPattern(pattern)).toThrow(`"${pattern}"`)
  })
})

describe('attack: a stranger has a site below a wildcard of AUTH_TRUSTED_ORIGINS', () => {
  const isRefused = (host: string) => {
    try {
      parseOriginPattern(`https://*.${host}`)
      return false
    } catch (error) {
      return String(error).includes('any person can have a site there')
    }
  }

  it.each([
    'replit.dev',
    'ngrok-free.dev',
    'framer.app',
    'webflow.io',
    'repl.co',
    'gitbook.io',
    'notion.site',
    'supabase.co',
    'fly.dev',
    'ltd.uk',
    'k12.ca.us',
    'asso.fr',
    'nom.br',
    'any-name.ck',
  ])('at %s', (host) => expect(isRefused(host)).toBe(true))

  it.each([
    'my-project.netlify.app',
    'my-project.framer.app',
    'example.com',
    'example.co.uk',
    'www.ck',
    'city.kobe.jp',
    'preview.example.dev',
  ])('and the project’s own %s is accepted', (host) => expect(isRefused(host)).toBe(false))
})

describe('a wildcard below a host where any person can have a site is refused, and named', () => {
  it.each([
    'https://*.pages.dev',
    'https://*.workers.dev',
    'http://*.workers.dev',
    'https://*.PAGES.dev',
    'https://*.pages.dev.',
    'https://*.pages.dev:8443',
    'https://*.ｐages.dev',
    'https://*.vercel.app',
    'https://*.netlify.app',
    'https://*.up.railway.app',
    'https://*.surge.sh',
    'https://*.hf.space',
    'https://*.cloudfront.net',
    'https://*.github.io',
    'https://*.onrender.com',
    'https://*.trycloudflare.com',
    'https://*.ngrok-free.app',
    'https://*.ngrok.io',
    'https://*.eu.ngrok.io',
    'https://*.run.app',
    'https://*.a.run.app',
    'https://*.europe-west1.run.app',
    'https://*.app.github.dev',
    'https://*.westeurope-01.azurewebsites.net',
    'https://*.s3.amazonaws.com',
    'https://*.1.2.3.4.nip.io',
    'https://*.co.uk',
    'https://*.com.au',
    'https://*.go.jp',
  ])('%s', (pattern) => {
    expect(() => parseOriginPattern(pattern)).toThrow(`"${pattern}", and any person`)
  })

  it.each([
    'https://*.my-project.pages.dev',
    'https://*.my-account.workers.dev',
    'https://*.my-account.vercel.app',
    'https://*.example.com',
    'https://*.evilpages.dev',
    'https://*.pages.dev.example',
    'https://*.myrun.app',
    'https://*.go.jp.example',
    'https://*.example.org',
    'https://*.example.co.uk',
    'https://*.go.example',
    'https://pages.dev',
    'https://my-project.pages.dev',
    'https://my-project-git-main.vercel.app',
  ])('%s is one’s own', (pattern) => {
    expect(parseOriginPattern(pattern).scheme).toBe('https:')
  })
})

describe('an origin to which mails may lead', () => {
  const patterns = ['https://example.com', 'https://*.example.org', 'https://other.example:8443']
  const isNamed = (origin: string) => isNamedOrigin(origin, patterns.map(parseOriginPattern))

  it.each([
    'https://example.com',
    'https://EXAMPLE.com:443',
    'https://other.example:8443',
    'http://localhost',
    'http://localhost:8787',
    'https://app.localhost',
    'http://127.0.0.1',
    'http://127.1.2.3:3000',
    'http://127.10.20.30',
    'http://[::1]:3000',
  ])('%s is named, or means this machine', (origin) => {
    expect(isNamed(origin)).toBe(true)
  })

  it.each([
    'http://example.com',
    'https://app.example.com',
    'https://example.com:8443',
    'https://other.example',
    'https://app.example.org',
    'https://example.org',
    'http://evil-localhost',
    'http://localhost.evil.com',
    'http://.localhost',
    'http://127.0.0.1.evil.com',
    'http://x127.0.0.1.evil.com',
    'http://128.0.0.1',
    'http://[::2]',
    'null',
    '',
  ])('%s is not: a wildcard names no origin', (origin) => {
    expect(isNamed(origin)).toBe(false)
  })
})

describe('a header that proxies append to', () => {
  it.each([
    ['https', 'https'],
    [' https ', 'https'],
    ['https, http', 'https'],
    ['a.example , b.example,c.example', 'a.example'],
    [', http', ''],
    ['', ''],
    [undefined, ''],
    [null, ''],
  ])('%j says %j', (value, expected) => {
    expect(firstOf(value)).toBe(expected)
  })
})

describe('AUTH_URL', () => {
  it.each([
    ['https://example.com', 'https://example.com', undefined],
    ['https://example.com/', 'https://example.com', undefined],
    ['https://example.com/auth//', 'https://example.com', '/auth'],
    ['https://example.com:443/sign/in/', 'https://example.com', '/sign/in'],
    ['http://localhost:8787/auth', 'http://localhost:8787', '/auth'],
  ])('%s', (url, expectedOrigin, basePath) => {
    expect(parseAuthUrl(url)).toEqual({ origin: expectedOrigin, basePath })
  })

  it.each([
    'example.com',
    'ftp://example.com',
    'https://',
    'https://u:p@example.com',
    'https://example.com?x=1',
    'https://example.com#x',
    'javascript:alert(1)',
  ])('%s is refused by name', (url) => {
    expect(() => parseAuthUrl(url)).toThrow(/^AUTH_URL must be/)
  })
})

describe('an origin from headers', () => {
  it.each([
    ['https', 'app.example.com', 'https://app.example.com'],
    ['HTTPS', 'App.Example.com:443', 'https://app.example.com'],
    ['http', '[::1]:9000', 'http://[::1]:9000'],
  ])('%s and %s: %s', (scheme, host, expected) => {
    expect(parseClaimedOrigin(scheme, host)?.origin).toBe(expected)
  })

  it.each([
    ['javascript', 'example.com'],
    ['https://evil.example/', 'example.com'],
    ['xhttps', 'example.com'],
    ['httpsx', 'example.com'],
    ['', 'example.com'],
    ['https', ''],
    ['https', 'example.com/evil'],
    ['https', 'user@evil.example'],
    ['https', 'example.com:99999'],
    ['https', 'example.com\\evil'],
    ['https', `${'a'.repeat(300)}.com`],
  ])('%s and %s are not an origin', (scheme, host) => {
    expect(parseClaimedOrigin(scheme, host)).toBeUndefined()
  })
})

test('a wildcard of ports lists no origin: it may be any', () => {
  const patterns = ['http://localhost:*', 'http://127.0.0.1:3000'].map(parseOriginPattern)
  expect(isListedOrigin('http://localhost:3000', patterns)).toBe(false)
  expect(isListedOrigin('http://localhost', patterns)).toBe(false)
  expect(isListedOrigin('http://127.0.0.1:3000', patterns)).toBe(true)
  expect(isListedOrigin('null', patterns)).toBe(false)
})
