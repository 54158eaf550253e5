import { describe, expect, it } from 'vitest'
import { AuthError, CredentialsSignin, ERRORS, type ErrorType } from '../errors.js'
import { Auth } from '../index.js'
import { raw, skipCSRFCheck } from '../lib/symbols.js'
import {
  Browser,
  configWith,
  fakeProvider,
  locationOf,
  origin,
  withoutReference,
} from '../test-support/browser.js'
import type { Callbacks, CredentialsConfig } from '../types.js'

const json = { 'x-auth-return-redirect': '1' }
const throwing = (thrown: unknown): CredentialsConfig => ({
  id: 'pw',
  name: 'P',
  type: 'credentials',
  credentials: {},
  authorize: () => {
    throw thrown
  },
})

const PUBLIC = new Set([
  'CredentialsSignin',
  'OAuthAccountNotLinked',
  'OAuthCallbackError',
  'AccessDenied',
  'Verification',
  'MissingCSRF',
  'InvalidCheck',
  'Configuration',
])

describe('the error words for browsers', () => {
  it('the table has only public words', () => {
    for (const { public: word } of Object.values(ERRORS)) expect(PUBLIC).toContain(word)
  })

  it.each(Object.keys(ERRORS) as ErrorType[])(
    'a browser gets only the public word of %s',
    async (type) => {
      class Thrown extends AuthError {
        static override type = type
      }
      const providers = [throwing(new Thrown('the inner reason'))]
      const browser = new Browser(configWith({ providers }))
      const response = await browser.submit('/auth/callback/pw', {}, json)
      const { public: word, status } = ERRORS[type]
      expect(response.status).toBe(status)
      const body = (await response.json()) as { url: string; error: string }
      expect(body.error).toBe(word)
      expect(new URL(body.url).searchParams.get('error')).toBe(word)
      expect(JSON.stringify(body)).not.toContain('the inner reason')
    },
  )

  it('an error of a type that the app made up is Configuration, not a crash', async () => {
    for (const type of ['AppError', 'constructor', '__proto__']) {
      class Thrown extends AuthError {
        static override type = type as ErrorType
      }
      const browser = new Browser(configWith({ providers: [throwing(new Thrown())] }))
      const response = await browser.submit('/auth/callback/pw')
      expect(withoutReference(response)).toBe(`${origin}/auth/error?error=Configuration`)
    }
  })

  it.each([
    'x&error=AccessDenied',
    'x#fragment',
    'x\r\nSet-Cookie: a=b',
    '"><script>alert(1)</script>',
    '../../evil',
    '',
    '\ud800',
    '%0d%0a',
  ])('the code %j stays one parameter of the URL', async (code) => {
    class Odd extends CredentialsSignin {
      override code = code
    }
    const browser = new Browser(configWith({ providers: [throwing(new Odd())] }))
    const response = await browser.submit('/auth/callback/pw')
    const url = new URL(locationOf(response))
    expect(url.pathname).toBe('/auth/signin')
    expect([...url.searchParams.keys()]).toEqual(['error', 'code'])
    expect(url.searchParams.get('error')).toBe('CredentialsSignin')
    expect(url.hash).toBe('')
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it.each([{ toString: () => 'x' }, Symbol('x'), 1n, null, undefined, 42, 'c'.repeat(10_000)])(
    'a code that is not a short text is replaced by the default: %s',
    async (code) => {
      const error = Object.assign(new CredentialsSignin(), { code })
      const browser = new Browser(configWith({ providers: [throwing(error)] }))
      const response = await browser.submit('/auth/callback/pw', {}, json)
      expect(response.status).toBe(401)
      expect(await response.json()).toMatchObject({
        error: 'CredentialsSignin',
        code: 'credentials',
      })
    },
  )

  it('is added to the app’s own pages, whose query is kept', async () => {
    const pages = { signIn: '/login?from=auth', error: 'https://example.com/oops' }
    const providers = [throwing(new CredentialsSignin())]
    const browser = new Browser(configWith({ pages, providers }))
    expect(locationOf(await browser.submit('/auth/callback/pw'))).toBe(
      `${origin}/login?from=auth&error=CredentialsSignin&code=credentials`,
    )
    expect(locationOf(await browser.submit('/auth/signin/nobody'))).toBe(
      'https://example.com/oops?error=Configuration',
    )
  })
})

describe('X-Auth-Return-Redirect', () => {
  it('success: 200 with the url', async () => {
    const response = await new Browser(configWith()).submit(
      '/auth/signout',
      { callbackUrl: '/bye' },
      json,
    )
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ url: `${origin}/bye` })
    expect(response.headers.get('location')).toBeNull()
  })

  it('failure: 4xx with url, error and code', async () => {
    const browser = new Browser(configWith({ providers: [throwing(new CredentialsSignin())] }))
    const response = await browser.submit('/auth/callback/pw', {}, json)
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({
      url: `${origin}/auth/signin?error=CredentialsSignin&code=credentials`,
      error: 'CredentialsSignin',
      code: 'credentials',
    })
  })

  it('only the value 1 counts', async () => {
    const browser = new Browser(configWith())
    const response = await browser.submit('/auth/signout', {}, { 'x-auth-return-redirect': '0' })
    expect(response.status).toBe(302)
  })
})

describe('a long target', () => {
  const callbackUrl = `/${'a'.repeat(1_900)}`

  it('from a credentials sign-in is kept on the sign-in page', async () => {
    const browser = new Browser(configWith({ providers: [throwing(null)] }))
    const response = await browser.submit('/auth/signin/pw', {
      callbackUrl: `${callbackUrl}/?${'&'.repeat(100)}`,
    })
    expect(new URL(locationOf(response)).pathname).toBe('/auth/signin')
  })

  it('from an authorization request reaches the provider whole', async () => {
    const browser = new Browser(configWith({ providers: [fakeProvider()] }))
    const url = await browser.start('fake', { query: `?login_hint=${'h'.repeat(3_000)}` })
    expect(url.origin).toBe('https://provider.example')
    expect(url.searchParams.get('login_hint')).toHaveLength(3_000)
  })
})

describe('the redirect callback', () => {
  const signOut = async (redirect: Callbacks['redirect'], callbackUrl = '/x') => {
    const browser = new Browser(configWith({ callbacks: { redirect } }))
    return withoutReference(await browser.submit('/auth/signout', { callbackUrl }))
  }

  it('gets the requested URL and our origin, and decides', async () => {
    const target = await signOut(({ url, baseUrl }) => `${baseUrl}/chosen?asked=${url}`, '/a')
    expect(target).toBe(`${origin}/chosen?asked=/a`)
  })

  it.each(['javascript:alert(1)', '//evil.com', 'data:text/html,x', ''])(
    'that returns %j is an error of the app, not a redirect',
    async (target) => {
      expect(await signOut(() => target)).toBe(`${origin}/auth/error?error=Configuration`)
    },
  )

  it.each([
    [
      'throws',
      () => {
        throw new Error('x')
      },
    ],
    ['rejects', () => Promise.reject(new Error('x'))],
  ])('that %s is logged with its cause', async (_, redirect) => {
    const types: string[] = []
    const logger = { error: (error: Error) => types.push(error.name) }
    const browser = new Browser(configWith({ callbacks: { redirect }, logger }))
    expect(locationOf(await browser.submit('/auth/signout'))).toContain('error=Configuration')
    expect(types).toEqual(['CallbackFailed'])
  })
})

describe('raw', () => {
  const request = (path: string, init?: RequestInit) => new Request(origin + path, init)
  const config = {
    ...configWith({ providers: [throwing(new CredentialsSignin())] }),
    raw,
  } as const

  it('throws errors to the caller, with their code', async () => {
    const form = { method: 'POST', body: new URLSearchParams({ user: 'x' }) }
    const open = { ...config, skipCSRFCheck } as const
    const error: unknown = await Auth(request('/auth/callback/pw', form), open).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(CredentialsSignin)
    expect(error).toMatchObject({ code: 'credentials', type: 'CredentialsSignin' })
  })

  it('throws a configuration error too', async () => {
    const bad = {
      providers: [],
      secret: 'short',
      logger: { error: () => {} },
      raw,
    } as const
    await expect(Auth(request('/api/auth/session'), bad)).rejects.toMatchObject({
      type: 'MissingSecret',
    })
  })

  it('returns cookies in parts that a framework can set', async () => {
    const answer = await Auth(request('/auth/csrf'), config)
    const [cookie] = answer.cookies
    expect(cookie).toMatchObject({
      name: 'auth.csrf-token',
      options: { path: '/', httpOnly: true, secure: false, sameSite: 'lax' },
    })
    expect(cookie?.value).toMatch(/^[\w-]{43}\.[\w-]{43}$/)
    expect(answer.headers.has('set-cookie')).toBe(false)
    expect(JSON.parse(answer.body)).toHaveProperty('csrfToken')
  })
})
