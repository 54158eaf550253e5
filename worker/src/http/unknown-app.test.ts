import { APP_HEADER } from '@latchkey/host/shared'
import { describe, expect, test } from 'vitest'
import { createAuth } from '../index.js'
import { memoryStore } from '../stores/memory.js'
import type { AuthConfig } from '../types.js'

const APP = 'https://app.example.com'

/** Asks as an app does that forwards, of the Worker at its own address. */
function ask(more: Partial<AuthConfig>, headers: Record<string, string> = {}, env = {}) {
  const auth = createAuth({
    basePath: '/auth',
    providers: [],
    secret: 'a-secret-of-the-unknown-app-tests-0123456789',
    store: memoryStore(),
    logger: { error() {}, warn() {} },
    ...more,
  })
  const forwarded = { 'x-forwarded-host': 'app.example.com', 'x-forwarded-proto': 'https' }
  return auth.request(
    'https://auth.example/auth/session',
    { headers: { ...forwarded, [APP_HEADER]: '?', ...headers } },
    env,
  )
}

describe('an app that forwards and asks learns that its origin is not known', () => {
  test.each<[string, Partial<AuthConfig>, env: object, told: string | null]>([
    ['if nothing names it', {}, {}, 'unknown'],
    ['if another one is named', { trustedOrigins: ['https://b.example.com'] }, {}, 'unknown'],
    ['if the Worker has another AUTH_URL', {}, { AUTH_URL: 'https://auth.example' }, 'unknown'],
    ['and not if it is named', { trustedOrigins: [APP] }, {}, null],
    ['if only a wildcard covers it', { trustedOrigins: ['https://*.example.com'] }, {}, 'unknown'],
    ['nor if AUTH_URL is its own', {}, { AUTH_URL: APP }, null],
    ['nor if every proxy is trusted', { trustHost: true }, {}, null],
    [
      'nor if it is named beside AUTH_URL',
      { trustedOrigins: [APP] },
      { AUTH_URL: 'https://auth.example' },
      null,
    ],
  ])('%s', async (_, more, env, told) => {
    const answer = await ask(more, {}, env)
    expect([answer.status, answer.headers.get(APP_HEADER)]).toEqual([200, told])
    expect(await answer.json()).toBeNull()
  })

  test('no oracle: a client that asks by its own address, or without the question, learns nothing', async () => {
    const bare = { 'x-forwarded-host': '', 'x-forwarded-proto': '' }
    expect((await ask({}, bare)).headers.has(APP_HEADER)).toBe(false)
    const auth = createAuth({
      providers: [],
      secret: 'a-secret-of-the-unknown-app-tests-0123456789',
      store: memoryStore(),
    })
    const headers = { 'x-forwarded-host': 'app.example.com', 'x-forwarded-proto': 'https' }
    const answer = await auth.request('https://auth.example/api/auth/session', { headers })
    expect(answer.headers.has(APP_HEADER)).toBe(false)
  })

  test('no oracle: what the answer says of an origin, a callbackUrl of it says too', async () => {
    for (const trustedOrigins of [[], [APP]]) {
      const answer = await ask({ trustedOrigins })
      const auth = createAuth({
        basePath: '/auth',
        providers: [],
        secret: 'a-secret-of-the-unknown-app-tests-0123456789',
        store: memoryStore(),
        trustedOrigins,
      })
      const led = await auth.request(`https://auth.example/auth/renew?callbackUrl=${APP}/`)
      const back = new URL(led.headers.get('location') ?? '').searchParams.get('callbackUrl')
      expect(answer.headers.has(APP_HEADER)).toBe(!back?.startsWith(APP))
    }
  })

  test('cache poisoning: no cache keeps the answer for a stranger for an app that proves itself', async () => {
    const auth = createAuth({
      basePath: '/auth',
      providers: [],
      secret: 'a-secret-of-the-unknown-app-tests-0123456789',
      store: memoryStore(),
    })
    const forwarded = { 'x-forwarded-host': 'app.example.com', 'x-forwarded-proto': 'https' }
    const keys = (headers = {}) =>
      auth.request('https://auth.example/auth/jwks.json', { headers: { ...forwarded, ...headers } })
    expect((await keys()).headers.get('cache-control')).toContain('public')
    const told = await keys({ [APP_HEADER]: '?' })
    expect(told.headers.get(APP_HEADER)).toBe('unknown')
    expect(told.headers.get('cache-control')).toBe('private, no-store')
  })

  test.each(['a b', 'evil.example:99999', '[::1', '"', 'x'.repeat(3000)])(
    'a malformed host, %j, is answered as without the question',
    async (host) => {
      const answer = await ask({}, { 'x-forwarded-host': host })
      expect(answer.status).toBe(200)
    },
  )
})
