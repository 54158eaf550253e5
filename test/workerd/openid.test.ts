import { customFetch } from '@latchkey/worker'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import {
  appWith,
  callbackOf,
  choose,
  errorOf,
  requestsTo,
  seenDuring,
  signIn,
} from './openid-support.ts'
import { Browser, location } from './support.ts'

/** `oidc-provider` in a process of its own, reached over loopback by the platform's own fetch. */
const { issuer, clients } = inject('openid')

describe('signing in, with PKCE that the provider demands', () => {
  test.for([
    ['basic', 'client_secret_basic'],
    ['jwt', 'private_key_jwt'],
  ] as const)('as the client "%s", which authenticates with %s', async ([name, method]) => {
    const browser = new Browser(appWith(name))
    const [answer, seen] = await seenDuring(() => signIn(browser, name))
    expect(location(answer).pathname).toBe('/inbox')
    expect((await browser.session())?.user).toEqual({
      id: browser.claims.sub,
      name: 'Ada Example',
      email: 'ada@example.com',
      image: null,
      emailVerified: true,
    })
    expect(requestsTo('token', seen)).toEqual([
      expect.objectContaining({ status: 200, client: clients[name].id, authentication: method }),
    ])
  })

  test('as a client that posts its secret, since discovery offers nothing else', async () => {
    const { issuer } = inject('openidPostOnly')
    const browser = new Browser(appWith('post', { issuer }))
    const [answer, seen] = await seenDuring(() => signIn(browser, 'post'), issuer)
    expect(location(answer).pathname).toBe('/inbox')
    expect(requestsTo('token', seen)).toEqual([
      expect.objectContaining({ status: 200, authentication: 'client_secret_post' }),
    ])
  })

  test('with an answer that is posted from the provider’s site, without our cookies', async () => {
    const of = appWith('form')
    const browser = new Browser(of)
    const start = location(await browser.post('/auth/signin/form', { callbackUrl: '/inbox' }))
    const { page } = await choose(start, 'ada')
    const inputs = [...page.matchAll(/<input type="hidden" name="(\w+)" value="([^"]+)"/g)]
    expect(inputs.map(([, name]) => name).sort()).toEqual(['code', 'iss', 'state'])
    const body = new URLSearchParams(inputs.map(([, name, value]) => [`${name}`, `${value}`]))
    const bounced = await new Browser(of).go('/auth/callback/form', { method: 'POST', body })
    expect(bounced.status).toBe(303)
    const { pathname, search } = location(bounced)
    expect(search).not.toContain(body.get('code'))
    expect(location(await browser.go(pathname + search)).pathname).toBe('/inbox')
    expect((await browser.session())?.user.name).toBe('Ada Example')
  })

  test('an address that the provider calls unverified is left out', async () => {
    const browser = new Browser(appWith('basic'))
    await signIn(browser, 'basic', 'grace')
    expect((await browser.session())?.user).toMatchObject({ name: 'Grace Example', email: null })
  })

  test('after a cancel the user comes back with access_denied', async () => {
    const browser = new Browser(appWith('basic'))
    const [answer, seen] = await seenDuring(() => signIn(browser, 'basic', ''))
    expect(location(answer).search).toContain('error=OAuthCallbackError&code=access_denied')
    expect(requestsTo('token', seen)).toEqual([])
    expect(await browser.session()).toBeNull()
  })
})

describe('the provider and the app refuse', () => {
  test('a callback that was already finished', async () => {
    const of = appWith('basic')
    const browser = new Browser(of)
    const path = await callbackOf(browser, 'basic')
    const headers = { cookie: browser.cookieHeader }
    expect(location(await browser.go(path)).pathname).toBe('/inbox')
    const replay = () => of.auth.request(`http://localhost:8787${path}`, { headers }, of.env)
    const [again, seen] = await seenDuring(replay)
    expect(errorOf(again)).toBe('InvalidCheck')
    expect(requestsTo('token', seen)).toEqual([])
    expect(again.headers.getSetCookie().join()).not.toMatch(/session-token=[^;]/)
  })

  test.for([
    ['another sign-in’s code', 'code_verifier does not match code_challenge'],
    ['a code that was never issued', 'authorization code not found'],
  ] as const)('%s', async ([what, problem]) => {
    const of = appWith('basic')
    const browser = new Browser(of)
    const own = new URL(await callbackOf(browser, 'basic'), 'http://localhost:8787')
    const other = new URL(await callbackOf(browser, 'basic'), 'http://localhost:8787')
    const code = what === 'another sign-in’s code' ? other.searchParams.get('code') : 'x'.repeat(43)
    own.searchParams.set('code', `${code}`)
    const [answer, seen] = await seenDuring(() => browser.go(own.pathname + own.search))
    expect(errorOf(answer)).toBe('OAuthCallbackError')
    expect(requestsTo('token', seen)).toEqual([expect.objectContaining({ status: 400, problem })])
    expect(of.errors).toMatchObject([{ cause: { error: 'invalid_grant' } }])
    expect(await browser.session()).toBeNull()
  })

  test.for([
    ['of another issuer', 'http://127.0.0.1:1'],
    ['without an issuer, though the provider says that it sends one', undefined],
  ] as const)('an answer %s (RFC 9207)', async ([, iss]) => {
    const browser = new Browser(appWith('basic'))
    const url = new URL(await callbackOf(browser, 'basic'), 'http://localhost:8787')
    expect(url.searchParams.get('iss')).toBe(issuer)
    if (iss === undefined) url.searchParams.delete('iss')
    else url.searchParams.set('iss', iss)
    const [answer, seen] = await seenDuring(() => browser.go(url.pathname + url.search))
    expect(errorOf(answer)).toBe('OAuthCallbackError')
    expect(requestsTo('token', seen)).toEqual([])
    expect(await browser.session()).toBeNull()
  })
})

describe('requests to the provider', () => {
  const routes = ['discovery', 'jwks', 'token']

  test('discovery and keys are requested once for several sign-ins', async () => {
    // Documents are cached per fetch function, and this one has fetched none yet.
    const asking: typeof fetch = (input, init) => fetch(input, init)
    const apps = [1, 2].map(() => appWith('basic', { [customFetch]: asking }))
    const [, seen] = await seenDuring(async () => {
      for (const app of [...apps, ...apps]) await signIn(new Browser(app), 'basic')
    })
    expect(routes.map((route) => requestsTo(route, seen).length)).toEqual([1, 1, 4])
  })

  test('documents are cached for the platform’s own fetch too', async () => {
    await signIn(new Browser(appWith('basic')), 'basic')
    const [, seen] = await seenDuring(() => signIn(new Browser(appWith('jwt')), 'jwt'))
    expect(routes.map((route) => requestsTo(route, seen).length)).toEqual([0, 0, 1])
  })

  test('tokens are refreshed, each time with the newest refresh token, until a sign-out ends them', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const of = appWith('basic', { revokeOnSignOut: true })
    const browser = new Browser(of)
    await signIn(browser, 'basic')
    const tokens: string[] = []
    const headers = { cookie: browser.cookieHeader }
    const request = new Request('http://localhost:8787/', { headers })
    const [, seen] = await seenDuring(async () => {
      for (let round = 0; round < 3; round++) {
        vi.setSystemTime(Date.now() + 20_000)
        const token = await of.auth.getAccessToken(request, of.env)
        tokens.push(token.ok ? token.accessToken : token.reason)
      }
    })
    // The provider would have ended the grant at the second use of one refresh token.
    const refreshed = { status: 200, grant: 'refresh_token', authentication: 'client_secret_basic' }
    expect(seen).toMatchObject([refreshed, refreshed, refreshed])
    expect(new Set(tokens).size).toBe(3)
    const userInfo = async () => {
      const authorization = `Bearer ${tokens.at(-1)}`
      const answer = await fetch(`${issuer}/me`, { headers: { authorization } })
      await answer.text()
      return answer.status
    }
    expect(await userInfo()).toBe(200)
    await browser.post('/auth/signout')
    await browser.settle()
    expect(await userInfo()).toBe(401)
    expect(of.errors).toEqual([])
  })
})
