import { describe, expect, it } from 'vitest'
import {
  Browser,
  configWith,
  copyOf,
  errorOf,
  everythingIn,
  fakeProvider,
  goodTokens,
  locationOf,
} from '../../test-support/browser.js'
import type { OAuthUserConfig } from '../../types.js'

const json = { 'x-auth-return-redirect': '1' }

describe('iss in the answer (RFC 9207)', () => {
  const finish = async (options: OAuthUserConfig, more: Record<string, string>) => {
    const browser = new Browser(configWith({ providers: [fakeProvider({}, options)] }))
    const state = (await browser.start('fake')).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ code: 'the-code', state, ...more })
    return errorOf(await browser.get(`/auth/callback/fake?${query}`))
  }
  const issuer = 'https://provider.example'

  it.each([issuer, 'https://other.example', 'nonsense', ''])(
    'is ignored if the provider has no known issuer: %j',
    async (iss) => expect(await finish({}, { iss })).toBe('/inbox'),
  )

  it.each([
    [issuer, '/inbox'],
    ['https://other.example', '/auth/signin OAuthCallbackError'],
    [`${issuer}/`, '/auth/signin OAuthCallbackError'],
    // Without a value it counts as left out (RFC 6749, section 3.1).
    ['', '/inbox'],
  ])('must be the configured issuer if there is one: %j', async (iss, target) => {
    expect(await finish({ issuer }, { iss })).toBe(target)
  })
})

it('a sign-in that was started at one mount is refused at another with the same secret', async () => {
  const config = configWith({ providers: [fakeProvider()] })
  const other = { ...config, basePath: '/admin/auth' }
  const browser = new Browser(config)
  const state = (await browser.start('fake')).searchParams.get('state') ?? ''
  const query = new URLSearchParams({ code: 'the-code', state })
  const elsewhere = copyOf(browser, other)
  const refused = await elsewhere.get(`/admin/auth/callback/fake?${query}`)
  expect(errorOf(refused)).toBe('/admin/auth/signin InvalidCheck')
  const host = copyOf(browser, config, { at: 'http://127.0.0.1:8787' })
  const foreign = locationOf(await host.get(`/auth/callback/fake?${query}`))
  expect(foreign).toContain('error=InvalidCheck')
  expect(errorOf(await browser.get(`/auth/callback/fake?${query}`))).toBe('/inbox')
})

describe('a parameter that comes twice (RFC 6749, 3.1)', () => {
  const started = async () => {
    let codes: string[] = []
    const token = () => {
      codes.push('exchanged')
      return goodTokens
    }
    const browser = new Browser(configWith({ providers: [fakeProvider({ token })] }))
    const state = (await browser.start('fake')).searchParams.get('state') ?? ''
    codes = []
    return { browser, state, codes }
  }

  it.each([
    'code=of-the-attacker&code=the-code',
    'code=the-code&code=the-code',
    'code=the-code&c%6fde=of-the-attacker',
    'code=the-code&error=access_denied&error=access_denied',
    'code=the-code&error_description=a&error_description=b',
    'code=the-code&scope=a&scope=b',
  ])(
    'code injection by %s is refused, asks no provider and uses nothing up',
    async (parameters) => {
      const { browser, state, codes } = await started()
      const answer = await browser.get(`/auth/callback/fake?${parameters}&state=${state}`)
      expect(errorOf(answer)).toBe('/auth/signin InvalidCheck')
      expect(codes).toEqual([])
      const good = await browser.get(`/auth/callback/fake?code=the-code&state=${state}`)
      expect(errorOf(good)).toBe('/inbox')
    },
  )

  it('state too', async () => {
    const { browser, state, codes } = await started()
    const twice = `/auth/callback/fake?code=c&state=${state}&state=x`
    expect(errorOf(await browser.get(twice))).toBe('/auth/signin InvalidCheck')
    expect(codes).toEqual([])
  })
})

describe('a callback that a browser fetches ahead', () => {
  it.each([
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['purpose', 'prefetch'],
    ['x-purpose', 'preview'],
    ['x-moz', 'prefetch'],
  ])('signs no user in and uses nothing up: %s: %s', async (name, value) => {
    const asked: string[] = []
    const token = () => {
      asked.push('token')
      return goodTokens
    }
    const browser = new Browser(configWith({ providers: [fakeProvider({ token })] }))
    const state = (await browser.start('fake')).searchParams.get('state') ?? ''
    const path = `/auth/callback/fake?code=the-code&state=${state}`
    const ahead = await browser.get(path, { [name]: value })
    expect(ahead.status).toBe(503)
    expect(ahead.headers.get('cache-control')).toBe('private, no-store')
    expect(ahead.headers.getSetCookie()).toEqual([])
    expect(asked).toEqual([])
    expect(errorOf(await browser.get(path))).toBe('/inbox')
    expect(await browser.session()).not.toBeNull()
  })
})

describe('callbackUrl in the query of a POST', () => {
  const browser = () => new Browser(configWith({ providers: [fakeProvider()] }))

  it('is the target of a sign-out; the body has precedence', async () => {
    const path = '/auth/signout?callbackUrl=/query'
    expect(errorOf(await browser().submit(path))).toBe('/query')
    expect(errorOf(await browser().submit(path, { callbackUrl: '/body' }))).toBe('/body')
    expect(
      locationOf(await browser().submit('/auth/signout?callbackUrl=//evil.com')),
    ).not.toContain('evil')
  })

  it('is the target of a sign-in, and is never sent to the provider', async () => {
    const own = browser()
    const query = '?callbackUrl=/query&csrfToken=x&CallbackURL=/x&login_hint=ada'
    const answer = await own.submit(`/auth/signin/fake${query}`, {}, json)
    const url = new URL(((await answer.json()) as { url: string }).url)
    expect(url.searchParams.get('login_hint')).toBe('ada')
    const names = [...url.searchParams.keys()].map((name) => name.toLowerCase())
    expect(names).not.toContain('callbackurl')
    expect(names).not.toContain('csrftoken')
    const state = url.searchParams.get('state') ?? ''
    const back = new URLSearchParams({ code: 'the-code', state })
    expect(errorOf(await own.get(`/auth/callback/fake?${back}`))).toBe('/query')
  })
})

describe('a careless provider config', () => {
  it.each(['no', 0, null, undefined])(
    'account() that throws %j fails as its own error',
    async (what) => {
      const errors: Error[] = []
      const account = () => {
        throw what
      }
      const logger = { error: (error: Error) => void errors.push(error) }
      const config = configWith({ providers: [fakeProvider({}, { account })], logger })
      expect(errorOf(await new Browser(config).signIn('fake'))).toBe(
        '/auth/signin OAuthCallbackError',
      )
      expect(everythingIn(errors)).toContain('account() could not read the tokens.')
    },
  )

  it('without a name is shown with its id', async () => {
    const { name: _, ...nameless } = fakeProvider()
    const browser = new Browser(configWith({ providers: [nameless as never] }))
    expect(await (await browser.get('/auth/providers')).json()).toMatchObject({
      fake: { id: 'fake', name: 'fake' },
    })
    expect(await (await browser.get('/auth/signin')).text()).toContain('fake')
  })
})
