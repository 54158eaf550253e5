import { expect, test } from 'vitest'
import { InvalidConfiguration } from '../../errors.js'
import { resolveTurnstile } from './settings.js'

const AUTH_TURNSTILE_SITE_KEY = 'site'
const AUTH_TURNSTILE_SECRET_KEY = 'very-secret'
const keys = { AUTH_TURNSTILE_SITE_KEY, AUTH_TURNSTILE_SECRET_KEY }

test.each([
  {},
  { AUTH_TURNSTILE_SITE_KEY: '', AUTH_TURNSTILE_SECRET_KEY: '' },
  { AUTH_TURNSTILE_VERIFY_URL: 'https://siteverify.example' },
])('%j: it is off', (env) => {
  expect(resolveTurnstile(env)).toBeUndefined()
})

test('with both keys responses are checked at Cloudflare', () => {
  expect(resolveTurnstile(keys)).toEqual({
    siteKey: 'site',
    secretKey: 'very-secret',
    verifyUrl: undefined,
  })
})

test.each<Record<string, unknown>>([
  { AUTH_TURNSTILE_SITE_KEY },
  { AUTH_TURNSTILE_SECRET_KEY },
  { AUTH_TURNSTILE_SITE_KEY, AUTH_TURNSTILE_SECRET_KEY: '' },
  { AUTH_TURNSTILE_SITE_KEY: '', AUTH_TURNSTILE_SECRET_KEY },
  { AUTH_TURNSTILE_SITE_KEY, AUTH_TURNSTILE_SECRET_KEY: { a: 'binding' } },
])('half a configuration does not leave it off: %j is refused, and both names are said', (env) => {
  const resolve = () => resolveTurnstile(env)
  expect(resolve).toThrow(InvalidConfiguration)
  expect(resolve).toThrow(/AUTH_TURNSTILE_SITE_KEY and AUTH_TURNSTILE_SECRET_KEY/)
  expect(resolve).not.toThrow(/very-secret/)
})

test.each([
  'https://siteverify.example/check',
  'http://localhost:8788/siteverify',
  'http://127.0.0.1/',
  'http://[::1]:1/',
])('%s may be asked', (url) => {
  expect(resolveTurnstile({ ...keys, AUTH_TURNSTILE_VERIFY_URL: url })?.verifyUrl).toBe(url)
})

test.each([
  'http://siteverify.example/',
  'http://localhost.example/',
  'http://127.0.0.1.example/',
  'ftp://localhost/',
  'javascript:0',
  '/siteverify',
  'siteverify.example',
  'http://very-secret@siteverify.example/',
])('the secret key goes nowhere in the clear: %s is refused', (url) => {
  const resolve = () => resolveTurnstile({ ...keys, AUTH_TURNSTILE_VERIFY_URL: url })
  expect(resolve).toThrow(InvalidConfiguration)
  expect(resolve).toThrow(/AUTH_TURNSTILE_VERIFY_URL is https, or http on this machine/)
  expect(resolve).not.toThrow(/very-secret/)
})
