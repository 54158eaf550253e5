import { runInNewContext } from 'node:vm'
import { describe, expect, it, vi } from 'vitest'
import { InvalidConfiguration, MissingSecret } from '../errors.js'
import { EVERYTHING } from '../features/all.js'
import { Auth, createAuth } from '../index.js'
import credentials from '../providers/credentials.js'
import email from '../providers/email.js'
import { composeService } from '../service/compose-service.js'
import { memoryStore } from '../stores/memory.js'
import {
  Browser,
  configWith,
  errorOf,
  everythingIn,
  fakeProvider,
  origin,
  secret,
  withoutReference,
} from '../test-support/browser.js'
import { signedIn } from '../test-support/signed-in.js'
import type { AuthConfig } from '../types.js'

const env = { AUTH_SECRET: secret }
const resolve = (config: Partial<AuthConfig>, variables: Record<string, unknown> = env) =>
  composeService(
    { providers: [], ...config },
    { env: variables, fallbackStore: memoryStore, builtIn: EVERYTHING },
  )

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key))
  }
  return value
}

describe('the secret', () => {
  it('missing: refused, naming the variable', async () => {
    await expect(resolve({}, {})).rejects.toThrow(MissingSecret)
    await expect(resolve({}, {})).rejects.toThrow('AUTH_SECRET is not set')
    await expect(resolve({}, { AUTH_SECRET: '' })).rejects.toThrow('AUTH_SECRET is not set')
  })

  it('shorter than 32 characters: refused by name, never repeated', async () => {
    const short = 'x'.repeat(31)
    for (const attempt of [
      resolve({}, { AUTH_SECRET: short }),
      resolve({ secret: short }, {}),
      resolve({ secret: [secret, short] }, {}),
      resolve({}, { AUTH_SECRET: secret, AUTH_SECRET_2: short }),
    ]) {
      const error: unknown = await attempt.catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(MissingSecret)
      expect(everythingIn(error)).toMatch(/32 characters/)
      expect(everythingIn(error)).not.toContain(short)
    }
  })

  it('at the route: 500 without a reason, the reason in the log', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const response = await createAuth({ providers: [] }).request('/api/auth/session', {}, {})
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('AUTH_SECRET')
    expect(log.mock.calls.join()).toContain('MissingSecret: AUTH_SECRET is not set')
    log.mockRestore()
  })

  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/html,application/xhtml+xml', 'text/plain; charset=UTF-8'],
  ])('a client that accepts %s gets %s', async (accept, type) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const headers = accept === undefined ? {} : { accept }
    const message = 'Sign-in is not configured correctly. The reason is in the log of the service.'
    const given = { providers: [] }
    for (const response of [
      await createAuth(given).request('/api/auth/session', { headers }, {}),
      await Auth(new Request(`${origin}/api/auth/signin`, { headers }), given),
    ]) {
      expect(response.status).toBe(500)
      expect(response.headers.get('content-type')).toBe(type)
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      const text = await response.text()
      if (type !== 'application/json') {
        const [said, reference] = text.split(' Reference: ')
        expect(said).toBe(message)
        // A person quotes it, and the operator finds the line.
        expect(reference).toMatch(/^[B-Z]{4}-[B-Z]{4}$/)
        expect(log.mock.calls.join()).toContain(`reference=${reference}`)
      } else expect(JSON.parse(text)).toEqual({ error: 'Configuration', message })
    }
    log.mockRestore()
  })

  it('an array rotates: the first signs, all verify, a removed one ends its sessions', async () => {
    const [older, newer] = ['old-'.repeat(10), 'new-'.repeat(10)]
    const store = memoryStore()
    const providers = [fakeProvider()]
    const before = new Browser(configWith({ secret: older, store, providers }))
    await before.signIn('fake')
    const during = new Browser(configWith({ secret: [newer, older], store, providers }))
    for (const [name, value] of before.jar) during.jar.set(name, value)
    expect(await during.session()).not.toBeNull()
    const jwks = (config: AuthConfig) =>
      Auth(new Request(`${origin}/auth/jwks.json`), config).then((answer) => answer.json())
    const { keys } = (await jwks(configWith({ secret: [newer, older] }))) as { keys: object[] }
    const { keys: first } = (await jwks(configWith({ secret: newer }))) as { keys: object[] }
    expect(keys[0]).toEqual(first[0])
    const after = new Browser(configWith({ secret: newer, store, providers }))
    for (const [name, value] of before.jar) after.jar.set(name, value)
    expect(await after.session()).toBeNull()
  })
})

describe('a missing binding', () => {
  it('is named in an error, and routes that store nothing still work', async () => {
    const error = vi.fn()
    const auth = createAuth(() => ({ providers: [], logger: { error } }))
    const response = await auth.request('/api/auth/providers', {}, env)
    expect(response.status).toBe(200)
    // On Node, no wrangler.toml helps.
    const said = everythingIn(error.mock.calls)
    expect(said).toContain('createAuth does not read AUTH_STORE. Set config.store')
    expect(said).not.toContain('wrangler')
  })

  it('beside another one is one of a Worker', async () => {
    const error = vi.fn()
    const auth = createAuth(() => ({ providers: [], logger: { error } }))
    await auth.request('/api/auth/providers', {}, { ...env, SESSIONS: { get() {} } })
    expect(everythingIn(error.mock.calls)).toContain(
      'The Worker has no binding LEDGER (Durable Object): add it to wrangler.toml',
    )
  })

  it('a sign-in that could not be finished is not started', async () => {
    const auth = createAuth(() => ({
      basePath: '/auth',
      providers: [fakeProvider()],
      logger: { error: () => {} },
    }))
    const browser = new Browser(configWith(), { answer: (request) => auth.fetch(request, env) })
    const started = await browser.submit('/auth/signin/fake')
    expect(withoutReference(started)).toBe(`${origin}/auth/error?error=Configuration`)
    expect([...browser.jar.keys()]).toEqual(['auth.csrf-token'])
  })
})

describe('plain variables named like bindings, on Node', () => {
  const variables = { ...env, RATE_LIMIT: '100', SESSIONS: 'a', LEDGER: 'b', EMAIL: 'c' }

  it('do not break a sign-in', async () => {
    const config = configWith({ providers: [credentials({ authorize: () => ({ id: 'ada' }) })] })
    const auth = createAuth(() => config)
    const answer = (request: Request) => Promise.resolve(auth.fetch(request, variables))
    const browser = new Browser(config, { answer })
    const response = await browser.submit('/auth/callback/credentials', { username: 'ada' })
    expect(errorOf(response)).toBe('/')
    expect((await browser.session())?.user?.id).toBeDefined()
  })

  it('are missing bindings: the log says what to add', async () => {
    const error = vi.fn()
    const auth = createAuth(() => ({ providers: [], logger: { error } }))
    await auth.request('/api/auth/providers', {}, variables)
    expect(everythingIn(error.mock.calls)).toContain('Set config.store')
  })

  it('EMAIL is nothing to send with', async () => {
    const error = vi.fn()
    const config = configWith({ providers: [email({ from: 'a@example.com' })], logger: { error } })
    await createAuth(() => config).request('/auth/providers', {}, variables)
    expect(everythingIn(error.mock.calls)).toContain('bind EMAIL')
  })
})

describe('options', () => {
  it('the input is never written to', async () => {
    const config = deepFreeze({
      providers: [fakeProvider()],
      basePath: '/auth/',
      secret: [secret],
      trustedOrigins: ['https://*.example.com'],
      session: { maxAge: 100 },
      callbacks: { signIn: () => true },
      events: {},
      pages: {},
      logger: { error: () => {} },
      theme: {},
      cookies: { sessionToken: { name: 'sid' } },
    })
    const store = memoryStore()
    const browser = new Browser({ ...config, store })
    await browser.signIn('fake')
    await expect(
      composeService(config, {
        env: deepFreeze({ ...env }),
        fallbackStore: () => store,
        builtIn: EVERYTHING,
      }),
    ).resolves.toBeDefined()
    expect(browser.jar.has('sid')).toBe(true)
  })

  it('the result is frozen', async () => {
    expect(Object.isFrozen(await resolve({}))).toBe(true)
  })

  it.each<[string, Partial<AuthConfig>, string]>([
    ['maxAge of 0', { session: { maxAge: 0 } }, 'session.maxAge'],
    ['negative maxAge', { session: { maxAge: -1 } }, 'session.maxAge'],
    ['NaN', { session: { updateAge: Number.NaN } }, 'session.updateAge'],
    ['Infinity', { session: { tokenMaxAge: Number.POSITIVE_INFINITY } }, 'session.tokenMaxAge'],
    ['tokens of more than a day', { session: { tokenMaxAge: 86_401 } }, 'session.tokenMaxAge'],
    ['a fraction', { session: { absoluteMaxAge: 1.5 } }, 'session.absoluteMaxAge'],
    ['a base path without slash', { basePath: 'auth' }, '"auth"'],
    ['the root as base path', { basePath: '/' }, '"/"'],
    ['a base path with a query', { basePath: '/auth?x' }, '"/auth?x"'],
    ['an encoded base path', { basePath: '/%61uth' }, '"/%61uth"'],
    ['a cookie name with a separator', { cookies: { flow: { name: 'a; b' } } }, '"a; b"'],
    ['an empty cookie name', { cookies: { csrfToken: { name: '' } } }, '""'],
    [
      'a cookie domain that adds attributes',
      { cookies: { sessionToken: { options: { domain: 'example.com; Path=/x' } } } },
      'Path=/x',
    ],
    [
      '__Host- with a domain',
      { cookies: { sessionToken: { name: '__Host-s', options: { domain: 'example.com' } } } },
      '__Host-',
    ],
    [
      'the same in capitals, which browsers know too',
      { cookies: { sessionToken: { name: '__HOST-s', options: { domain: 'example.com' } } } },
      '__Host-',
    ],
    ['a trusted origin with a path', { trustedOrigins: ['https://a.example/x'] }, 'a.example/x'],
  ])('%s is refused, and named', async (_, config, named) => {
    const error: unknown = await resolve(config).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InvalidConfiguration)
    expect((error as Error).message).toContain(named)
  })

  it.each([
    ['true', true],
    ['1', true],
    ['TRUE', true],
    ['false', false],
    ['0', false],
    ['', false],
    [true, true],
    [undefined, false],
  ])('AUTH_TRUST_HOST=%s: %s', async (value, expected) => {
    const { config } = await resolve({}, { ...env, AUTH_TRUST_HOST: value })
    expect(config.origin.trustHost).toBe(expected)
  })

  it.each(['yes', 'on', ' true', 'true,false', '2', {}])(
    'AUTH_TRUST_HOST=%s is neither yes nor no: nothing is served',
    async (value) => {
      const refused = expect(resolve({}, { ...env, AUTH_TRUST_HOST: value })).rejects
      await refused.toThrow('AUTH_TRUST_HOST must be true, 1, false or 0.')
      await refused.toBeInstanceOf(InvalidConfiguration)
    },
  )

  it('AUTH_TRUSTED_ORIGINS is a comma-separated list, with or without spaces and empty entries', async () => {
    const list = { ...env, AUTH_TRUSTED_ORIGINS: ' https://a.example ,,https://*.b.example, ' }
    expect((await resolve({}, list)).config.origin.trusted.map(({ host }) => host)).toEqual([
      'a.example',
      'b.example',
    ])
  })

  it('a session that lives for years is kept in a cookie, though browsers end it sooner', async () => {
    const session = { maxAge: 10 * 365 * 24 * 60 * 60 }
    const { browser } = await signedIn({ session })
    expect(await browser.session()).not.toBeNull()
  })

  it('a session cookie with a domain is __Secure-, the others stay __Host-', async () => {
    const cookies = { sessionToken: { options: { domain: 'example.com' } } }
    const config = configWith({ cookies, providers: [fakeProvider()] })
    const browser = new Browser(config, { at: 'https://example.com' })
    const response = await browser.signIn('fake')
    const names = [...browser.jar.keys()].sort()
    expect(names).toEqual(['__Host-auth.csrf-token', '__Secure-auth.session-token'])
    const line = response.headers.getSetCookie().find((cookie) => cookie.startsWith('__Secure'))
    expect(line).toContain('Domain=example.com')
    expect(line).toMatch(/Path=\/; .*HttpOnly; Secure; SameSite=Lax/)
  })
})

describe('no part of one request is visible to another', () => {
  it('a function config is read for each request, from that request’s bindings', async () => {
    const auth = createAuth<{ AUTH_SECRET: string; NAME: string }>((env) => ({
      providers: [fakeProvider({}, { id: env.NAME })],
      store: memoryStore(),
    }))
    const ids = await Promise.all(
      ['one', 'two', 'three'].map(async (NAME) => {
        const answer = await auth.request('/api/auth/providers', {}, { ...env, NAME })
        return Object.keys((await answer.json()) as object)
      }),
    )
    expect(ids).toEqual([['one'], ['two'], ['three']])
  })

  it('the same config with other bindings uses the other secret', async () => {
    const config = { providers: [], store: memoryStore() }
    const auth = createAuth(() => config)
    const key = async (AUTH_SECRET: string) =>
      (await auth.request('/api/auth/jwks.json', {}, { AUTH_SECRET })).text()
    expect(await key(secret)).not.toBe(await key(`another-${secret}`))
  })

  it('a config function may return a promise that is not of this realm’s class', async () => {
    const config = configWith()
    const Foreign: PromiseConstructor = runInNewContext('Promise')
    const auth = createAuth(() => Foreign.resolve(config))
    expect((await auth.request('/auth/csrf', {}, env)).status).toBe(200)
  })

  it('a config function that throws answers 500, and the reason is only in the log', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const auth = createAuth(() => {
      throw new Error('the vault is closed')
    })
    const response = await auth.request('/api/auth/session', {}, env)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('vault')
    expect(log.mock.calls.join()).toContain('the vault is closed')
    log.mockRestore()
  })

  it.each(['__Host-csrf', '__secure-csrf'])(
    '%s is refused on http, since browsers would drop it',
    async (name) => {
      const error = vi.fn()
      const config = configWith({ cookies: { csrfToken: { name } }, logger: { error } })
      const response = await Auth(new Request('http://localhost/auth/csrf'), config)
      expect(response.status).toBe(500)
      expect(response.headers.getSetCookie()).toEqual([])
      expect(error.mock.lastCall?.[0].message).toContain(`"${name}"`)
      const secure = await Auth(new Request('https://localhost/auth/csrf'), config)
      expect(secure.headers.getSetCookie()[0]).toContain(`${name}=`)
    },
  )
})

describe('pages that would lead to themselves forever', () => {
  it.each([
    ['signIn', '/auth/signin'],
    ['signIn', 'auth/signin?x=1#y'],
    ['signIn', '/x/../auth/signin'],
    ['signIn', '/auth/account'],
    ['signIn', '/auth/account/ways'],
    ['signIn', '/auth/renew'],
    ['signIn', `${origin}/auth/signin`],
    ['signOut', '/auth/signout'],
    ['signOut', '/./auth/signout'],
    ['verifyRequest', '/auth/verify-request?a=b'],
  ])('pages.%s that is %s is refused at the start, by name', async (name, page) => {
    const variables = { ...env, AUTH_URL: `${origin}/auth` }
    const made = resolve({ pages: { [name]: page } }, variables)
    await expect(made).rejects.toThrow(InvalidConfiguration)
    await expect(resolve({ pages: { [name]: page } }, variables)).rejects.toThrow(`pages.${name}`)
  })

  it('one below a longer base path is refused, with or without the slash before it', async () => {
    for (const signIn of ['/sign/in/signin', 'sign/in/signin']) {
      const made = resolve({ basePath: '/sign/in', pages: { signIn } })
      await expect(made).rejects.toThrow('pages.signIn')
    }
  })

  it('two that lead to each other are refused', async () => {
    const pages = { signIn: '/auth/signout', signOut: '/auth/signin' }
    await expect(resolve({ basePath: '/auth', pages })).rejects.toThrow('pages.signIn')
    const byError = { signIn: '/auth/error', error: '/auth/signin' }
    await expect(resolve({ basePath: '/auth', pages: byError })).rejects.toThrow('pages.signIn')
  })

  it.each([
    { signIn: '/signin', signOut: '/signout', verifyRequest: '/check' },
    { signIn: '/auth/login', signOut: '/authors/signout' },
    { signIn: 'https://app.example/auth/signin' },
    { error: '/auth/signin' },
    { error: '/auth/error' },
    { signIn: '/auth/error', error: '/auth/error' },
    { signOut: '/auth/account' },
    {},
  ])('%o is accepted', async (pages) => {
    await expect(resolve({ basePath: '/auth', pages })).resolves.toBeDefined()
  })

  it.each([
    ['signIn', '/signin'],
    ['signOut', '/signout'],
    ['verifyRequest', '/verify-request'],
  ])(
    'pages.%s with our own host, which was unknown at the start, is an error',
    async (name, route) => {
      const error = vi.fn()
      const pages = { [name]: `${origin}/auth${route}` }
      const browser = new Browser(configWith({ pages, logger: { error } }))
      const answer = await browser.get(`/auth${route}`)
      expect(errorOf(answer)).toBe('/auth/error Configuration')
      expect(everythingIn(error.mock.calls)).toContain(`pages.${name}`)
    },
  )
})
