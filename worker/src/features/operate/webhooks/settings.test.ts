import { expect, test } from 'vitest'
import { InvalidConfiguration } from '../../../errors.js'
import { readWebhook } from './settings.js'

/** A secret of so many bytes. */
const secretOf = (bytes: number) => `whsec_${btoa('\xab'.repeat(bytes))}`

const AUTH_WEBHOOK_URL = 'https://hooks.example/latchkey?tenant=1'
const AUTH_WEBHOOK_SECRET = secretOf(24)
const both = { AUTH_WEBHOOK_URL, AUTH_WEBHOOK_SECRET }

test.each<Record<string, unknown>>([
  {},
  { AUTH_WEBHOOK_URL: '', AUTH_WEBHOOK_SECRET: '' },
  { AUTH_WEBHOOK_EVENTS: 'sign-in' },
])('%j: webhooks are off', (env) => {
  expect(readWebhook(env)).toBeUndefined()
})

test('a URL and a secret turn them on, for all events', () => {
  expect(readWebhook(both)).toEqual({
    url: AUTH_WEBHOOK_URL,
    secrets: [new Uint8Array(24).fill(0xab)],
    events: undefined,
  })
})

test.each([
  'http://localhost:8788/hook',
  'http://127.0.0.1/',
  'http://[::1]:1/',
  'https://10.0.0.1/',
])('messages may go to %s', (url) => {
  expect(readWebhook({ ...both, AUTH_WEBHOOK_URL: url })?.url).toBe(url)
})

test.each([
  'http://hooks.example/very-secret',
  'http://localhost.example/very-secret',
  'https://very-secret@hooks.example/',
  'https://user:very-secret@hooks.example/',
  'http://very-secret@127.0.0.1/',
  'ftp://localhost/very-secret',
  'javascript:very-secret',
  '/very-secret',
  'very-secret.example',
])('a URL %s is refused, and the message does not repeat it', (url) => {
  const read = () => readWebhook({ ...both, AUTH_WEBHOOK_URL: url })
  expect(read).toThrow(InvalidConfiguration)
  expect(read).toThrow(/^AUTH_WEBHOOK_URL is /)
  expect(read).not.toThrow(/very-secret/)
})

test.each<Record<string, unknown>>([
  { AUTH_WEBHOOK_URL },
  { AUTH_WEBHOOK_SECRET },
  { AUTH_WEBHOOK_URL, AUTH_WEBHOOK_SECRET: '' },
  { AUTH_WEBHOOK_URL, AUTH_WEBHOOK_SECRET: { a: 'binding' } },
])('half a configuration does not leave webhooks off: %j is refused', (env) => {
  expect(() => readWebhook(env)).toThrow(InvalidConfiguration)
  expect(() => readWebhook(env)).toThrow(/AUTH_WEBHOOK_URL and AUTH_WEBHOOK_SECRET/)
  expect(() => readWebhook(env)).not.toThrow(AUTH_WEBHOOK_SECRET)
})

test('two secrets, while one is replaced', () => {
  const secrets = `${secretOf(24)}, ${secretOf(64)}`
  const settings = readWebhook({ ...both, AUTH_WEBHOOK_SECRET: secrets })
  expect(settings?.secrets.map(({ length }) => length)).toEqual([24, 64])
})

test.each([
  ['too short', secretOf(23)],
  ['too long', secretOf(65)],
  ['without its prefix', secretOf(24).slice('whsec_'.length)],
  ['with the prefix of another scheme', secretOf(24).replace('whsec_', 'whsk_')],
  ['in base64url', `whsec_${'-_'.repeat(16)}`],
  ['without its padding', secretOf(25).replace(/=+$/, '')],
  ['with bits that no byte has', `whsec_${'A'.repeat(34)}B=`],
  ['with a space inside', secretOf(24).replace('q', ' ')],
  ['three of them', [secretOf(24), secretOf(25), secretOf(26)].join()],
  ['an empty one beside it', `${secretOf(24)},`],
])('a secret %s is refused, and the message does not repeat it', (_, secret) => {
  const read = () => readWebhook({ ...both, AUTH_WEBHOOK_SECRET: secret })
  expect(read).toThrow(InvalidConfiguration)
  expect(read).toThrow(/^AUTH_WEBHOOK_SECRET /)
  expect(read).not.toThrow(/q6ur|AAAA|-_-_/)
})

test('events are named, with commas', () => {
  const AUTH_WEBHOOK_EVENTS = 'sign-in, person-blocked,events-omitted'
  expect(readWebhook({ ...both, AUTH_WEBHOOK_EVENTS })?.events).toEqual(
    new Set(['sign-in', 'person-blocked', 'events-omitted']),
  )
})

test.each([
  'very-secret',
  'sign-in,very-secret',
  'Sign-In',
  'sign-in,',
  ' , ',
  '__proto__',
  'constructor',
])('an event %j is refused, and the message does not repeat it', (AUTH_WEBHOOK_EVENTS) => {
  const read = () => readWebhook({ ...both, AUTH_WEBHOOK_EVENTS })
  expect(read).toThrow(InvalidConfiguration)
  expect(read).toThrow(/^AUTH_WEBHOOK_EVENTS /)
  expect(read).not.toThrow(/very-secret|Sign-In|__proto__|constructor/)
})
