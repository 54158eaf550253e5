import { standing } from '@latchkey/host/shared'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { createAuth } from '../index.js'
import credentials from '../providers/credentials.js'
import { prove } from '../test-support/app-proof.js'
import { Browser, configWith, fakeProvider, locationOf, secret } from '../test-support/browser.js'
import { mailProvider } from '../test-support/email.js'
import type { AuthConfig, Environment, VerificationRequest } from '../types.js'

const { pass } = clock()
afterEach(() => void vi.unstubAllEnvs())

const OWN = 'https://auth.app.test'
const WILDCARD = { AUTH_TRUSTED_ORIGINS: 'https://*.app.test' }
const forwarded = (host: string) => ({ 'x-forwarded-host': host, 'x-forwarded-proto': 'https' })
const evil = forwarded('evil.app.test')
const PORTS = { AUTH_TRUSTED_ORIGINS: 'http://localhost:*' }
const port = { 'x-forwarded-host': 'localhost:9', 'x-forwarded-proto': 'http' }

interface Setting {
  readonly env?: Environment
  /** Where the requests go, as the platform sees it. */
  readonly at?: string
  readonly headers?: Record<string, string>
  readonly changes?: Partial<AuthConfig>
  readonly change?: (request: Request) => Request | Promise<Request>
}

/** A service with a browser whose every request has the headers. */
function visit({ env = {}, at = OWN, headers = {}, changes, change = (it) => it }: Setting) {
  const mails: VerificationRequest[] = []
  const errors: Error[] = []
  const config = configWith({
    providers: [
      mailProvider(mails),
      credentials({ authorize: () => ({ id: 'ann' }) }),
      fakeProvider(),
    ],
    logger: { error: (error) => void errors.push(error) },
    ...changes,
  })
  const auth = createAuth(config)
  const browser = new Browser(config, {
    at,
    async answer(request) {
      for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
      return auth.fetch(await change(request), env)
    },
  })
  const mail = () => browser.submit('/auth/signin/email', { email: 'ada@example.com' })
  const signIn = async () => {
    const answer = await browser.submit('/auth/callback/credentials', { username: 'ann' })
    return answer
  }
  return { mails, errors, config, browser, mail, signIn }
}

/** The issuer of the session in a browser's cookie. */
function issuerIn({ jar }: Browser): string | undefined {
  const token = jar.get('__Host-auth.session-token') ?? jar.get('auth.session-token')
  return token === undefined ? undefined : JSON.parse(atob(token.split('.')[1] ?? '')).iss
}

describe('a mailed link', () => {
  it.each<[string, Setting]>([
    ['X-Forwarded-Host under a wildcard', { env: WILDCARD, headers: evil }],
    ['X-Forwarded-Host under a wildcard of ports', { env: PORTS, headers: port }],
    ['a Host under a wildcard', { env: WILDCARD, at: 'https://evil.app.test' }],
    ['a Host, with no setting', { at: 'https://evil.test' }],
    ['a Host on plain http', { at: 'http://evil.test' }],
    ['a Host beside a listed one', { env: { AUTH_TRUSTED_ORIGINS: OWN }, at: 'https://evil.test' }],
    ['a host that begins like this machine', { at: 'http://localhost.evil.test' }],
    ['an address of a local network', { at: 'http://192.0.2.7:3000' }],
  ])('never leads where %s says: no mail is sent, and the log names AUTH_URL', async (_, given) => {
    const { mail, mails, errors } = visit(given)
    const answer = await mail()
    expect(mails).toEqual([])
    expect(locationOf(answer)).toContain('error=Configuration')
    expect(errors.map(({ message }) => message).join()).toContain('AUTH_URL')
    expect(errors.map(({ message }) => message).join()).not.toContain('evil')
    expect(answer.headers.getSetCookie().join()).not.toContain('auth.flow')
  })

  it.each<[string, Setting, string]>([
    ['AUTH_URL', { env: { AUTH_URL: OWN, ...WILDCARD }, headers: evil }, OWN],
    [
      'an exact origin, in forwarded headers',
      {
        env: { AUTH_TRUSTED_ORIGINS: 'https://shop.app.test' },
        headers: forwarded('shop.app.test'),
      },
      'https://shop.app.test',
    ],
    ['an exact origin, by the Host', { env: { AUTH_TRUSTED_ORIGINS: OWN } }, OWN],
    [
      'an exact origin, whatever else is claimed',
      { env: { AUTH_TRUSTED_ORIGINS: OWN }, headers: forwarded('evil.test') },
      OWN,
    ],
    [
      'an exact origin beside a wildcard',
      {
        env: { AUTH_TRUSTED_ORIGINS: 'https://*.app.test,https://shop.app.test' },
        headers: forwarded('shop.app.test'),
      },
      'https://shop.app.test',
    ],
    ['AUTH_TRUST_HOST', { env: { AUTH_TRUST_HOST: 'true' } }, OWN],
    ['this machine, with nothing set', { at: 'http://localhost:8787' }, 'http://localhost:8787'],
    [
      'this machine, under a wildcard of ports',
      { env: PORTS, at: 'http://localhost:8787' },
      'http://localhost:8787',
    ],
    ['its address', { at: 'http://127.0.0.1:3000' }, 'http://127.0.0.1:3000'],
    ['its address of version 6', { at: 'http://[::1]:3000' }, 'http://[::1]:3000'],
  ])('leads where %s says', async (_, given, expected) => {
    const { mail, mails } = visit(given)
    await mail()
    expect(mails.map(({ url }) => new URL(url).origin)).toEqual([expected])
  })

  it('leads to an app that has proved itself, though no list has it', async () => {
    const SHOP = 'https://shop.example'
    const key = 'the-key-of-the-shop-0123456789abcdef'
    const proven = (secrets: string[], claimed: string) => async (request: Request) => {
      await prove(secrets, request, { origin: claimed })
      return request
    }
    const env = { ...WILDCARD, AUTH_APP_KEYS: `${SHOP}=${key}` }
    for (const secrets of [[secret], [key]]) {
      const { mail, mails } = visit({ env, headers: evil, change: proven(secrets, SHOP) })
      await mail()
      expect(mails.map(({ url }) => new URL(url).origin)).toEqual([SHOP])
    }
    const other = visit({ env, headers: evil, change: proven([key], 'https://bank.example') })
    await other.mail()
    expect(other.mails).toEqual([])
  })
})

describe('the issuer of a session', () => {
  it.each<[string, Setting]>([
    ['X-Forwarded-Host under a wildcard', { env: WILDCARD, headers: evil }],
    ['X-Forwarded-Host under a wildcard of ports', { env: PORTS, headers: port }],
    [
      'X-Forwarded-Host under a wildcard, on this machine',
      { env: WILDCARD, headers: evil, at: 'http://localhost:8787' },
    ],
  ])('is never what %s says', async (_, given) => {
    const { browser, signIn, errors } = visit(given)
    const answer = await signIn()
    expect(issuerIn(browser)).toBeUndefined()
    expect(locationOf(answer)).toContain('error=Configuration')
    expect(errors.at(-1)?.message).toMatch(/AUTH_URL.*AUTH_TRUSTED_ORIGINS.*wildcard.*AUTH_APP_KEY/)
    const started = await browser.submit('/auth/signin/fake')
    expect(locationOf(started)).toContain('error=Configuration')
  })

  it('is never a Host that any client may have sent to a Node process in production', async () => {
    const at = 'https://evil.test'
    const inProduction = { NODE_ENV: 'production' }
    expect(locationOf(await visit({ at, env: inProduction }).signIn())).toContain('Configuration')
    vi.stubEnv('NODE_ENV', 'production')
    expect(locationOf(await visit({ at }).signIn())).toContain('Configuration')
    const named = visit({ at: OWN, env: { AUTH_URL: OWN } })
    await named.signIn()
    expect(issuerIn(named.browser)).toBe(`${OWN}/auth`)
    const local = visit({ at: 'http://localhost:3000' })
    await local.signIn()
    expect(issuerIn(local.browser)).toBe('http://localhost:3000/auth')
  })

  it('is the address of the request if that is routed, or in development', async () => {
    for (const env of [{}, WILDCARD]) {
      const { browser, signIn } = visit({ env })
      await signIn()
      expect(issuerIn(browser)).toBe(`${OWN}/auth`)
    }
  })

  it('is what the adapter knows, if the service runs in its process', async () => {
    for (const [said, begins] of [
      ['claimed', false],
      ['routed', true],
      ['named', true],
    ] as const) {
      const change = (request: Request) => Object.assign(request, { [standing]: said })
      const { browser, signIn, mail, mails } = visit({ change })
      await mail()
      expect(mails).toHaveLength(said === 'named' ? 1 : 0)
      await signIn()
      expect(issuerIn(browser) !== undefined).toBe(begins)
    }
  })
})

describe('a wildcard that let an app forward before', () => {
  it('signs no user out: a session that began there is read, renewed and ended there', async () => {
    const shop = forwarded('shop.app.test')
    const exact = { AUTH_TRUSTED_ORIGINS: 'https://shop.app.test' }
    const before = visit({ env: exact, headers: shop })
    await before.signIn()
    const { store } = before.config
    const now = visit({ env: WILDCARD, headers: shop, changes: store ? { store } : {} })
    for (const [name, value] of before.browser.jar) now.browser.jar.set(name, value)
    pass(10 * 60)
    expect((await now.browser.session())?.user).toMatchObject({ id: expect.any(String) })
    expect(issuerIn(now.browser)).toBe('https://shop.app.test/auth')
    const left = await now.browser.submit('/auth/signout', {}, { origin: 'https://shop.app.test' })
    expect(locationOf(left)).toBe('https://shop.app.test/')
    expect(await now.browser.session()).toBeNull()
  })

  it('is still where people are sent', async () => {
    const { browser } = visit({ env: WILDCARD })
    const answer = await browser.submit('/auth/callback/credentials', {
      username: 'ann',
      callbackUrl: 'https://shop.app.test/cart',
    })
    expect(locationOf(answer)).toBe('https://shop.app.test/cart')
  })
})
