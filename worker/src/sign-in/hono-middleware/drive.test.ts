import { discordAuth } from '@hono/oauth-providers/discord'
import { facebookAuth } from '@hono/oauth-providers/facebook'
import { githubAuth } from '@hono/oauth-providers/github'
import { googleAuth } from '@hono/oauth-providers/google'
import { linkedinAuth } from '@hono/oauth-providers/linkedin'
import { msentraAuth } from '@hono/oauth-providers/msentra'
import { twitchAuth } from '@hono/oauth-providers/twitch'
import { xAuth } from '@hono/oauth-providers/x'
import type { MiddlewareHandler } from 'hono'
import { calculatePKCECodeChallenge } from 'oauth4webapi'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { OAuthCallbackError, ProviderMisconfigured } from '../../errors.js'
import fromHono from '../../providers/from-hono.js'
import { everythingIn } from '../../test-support/browser.js'
import type { MiddlewareConfig, User } from '../../types.js'
import { finishMiddleware, startMiddleware } from './drive.js'
import { honoMiddleware, type ResolvedMiddlewareProvider } from './index.js'

const REDIRECT_URI = 'https://auth.example/auth/callback/the-provider'
const NOW = 1_800_000_000

/** A vendor as its middleware sees it: its authorization URL and its answers. */
interface Vendor {
  readonly middleware: MiddlewareConfig['middleware']
  readonly authorize: string
  /** Answers by address, the first of which is the token endpoint's. */
  readonly answers: Readonly<Record<string, unknown>>
  readonly user: Partial<User>
  readonly scope?: string
}

const tokens = {
  access_token: 'the-access-token',
  refresh_token: 'the-refresh-token',
  expires_in: 3600,
  token_type: 'Bearer',
}

const vendors: Readonly<Record<string, Vendor>> = {
  discord: {
    middleware: (client) => discordAuth({ ...snake(client), scope: ['identify'] }),
    authorize: 'https://discord.com/oauth2/authorize',
    answers: {
      'https://discord.com/api/oauth2/token': { ...tokens, scope: 'identify' },
      'https://discord.com/api/oauth2/@me': {
        user: { id: '80351', username: 'ada', global_name: 'Ada', avatar: '8342729096ea3675' },
      },
    },
    user: { id: '80351', name: 'Ada', email: null, image: null },
    scope: 'identify',
  },
  facebook: {
    middleware: (client) =>
      facebookAuth({
        ...snake(client),
        scope: ['email', 'public_profile'],
        fields: ['id', 'name', 'email', 'picture'],
      }),
    authorize: 'https://www.facebook.com/v18.0/dialog/oauth',
    answers: {
      'https://graph.facebook.com/v18.0/oauth/access_token': tokens,
      'https://graph.facebook.com/v18.0/me': { id: '1022', name: 'Ada' },
      'https://graph.facebook.com/1022': {
        id: '1022',
        name: 'Ada',
        email: 'ada@mail.example',
        picture: { data: { url: 'https://images.example/ada' } },
      },
    },
    user: { id: '1022', name: 'Ada', email: null, image: 'https://images.example/ada' },
  },
  github: {
    middleware: (client) => githubAuth({ ...snake(client), oauthApp: true, scope: ['user:email'] }),
    authorize: 'https://github.com/login/oauth/authorize',
    answers: {
      'https://github.com/login/oauth/access_token': {
        ...tokens,
        refresh_token_expires_in: 15_811_200,
        scope: 'read:user,user:email',
      },
      'https://api.github.com/user': {
        id: 583231,
        login: 'ada',
        name: null,
        avatar_url: 'https://images.example/ada',
      },
      'https://api.github.com/user/emails': [
        { email: 'victim@mail.example', primary: true, verified: false },
      ],
    },
    user: { id: '583231', name: 'ada', email: null, image: 'https://images.example/ada' },
    scope: 'read:user user:email',
  },
  google: {
    middleware: (client) => googleAuth({ ...snake(client), scope: ['openid', 'email'] }),
    authorize: 'https://accounts.google.com/o/oauth2/v2/auth',
    answers: {
      'https://oauth2.googleapis.com/token': { ...tokens, scope: 'openid email' },
      'https://www.googleapis.com/oauth2/v2/userinfo': {
        id: '1169',
        name: 'Ada',
        email: 'ada@mail.example',
        verified_email: true,
        picture: 'https://images.example/ada',
      },
    },
    user: {
      id: '1169',
      name: 'Ada',
      email: 'ada@mail.example',
      image: 'https://images.example/ada',
    },
    scope: 'openid email',
  },
  linkedin: {
    middleware: (client) => linkedinAuth({ ...snake(client), scope: ['openid', 'profile'] }),
    authorize: 'https://www.linkedin.com/oauth/v2/authorization',
    answers: {
      'https://www.linkedin.com/oauth/v2/accessToken': { ...tokens, scope: 'openid,profile' },
      'https://api.linkedin.com/v2/userinfo': {
        sub: '782bbtaQ',
        name: 'Ada',
        email: 'ada@mail.example',
        email_verified: true,
      },
    },
    user: {
      id: '782bbtaQ',
      name: 'Ada',
      email: 'ada@mail.example',
      image: null,
      emailVerified: true,
    },
    scope: 'openid profile',
  },
  msentra: {
    middleware: (client) =>
      msentraAuth({ ...snake(client), tenant_id: 'the-tenant', scope: ['openid', 'User.Read'] }),
    authorize: 'https://login.microsoft.com/the-tenant/oauth2/v2.0/authorize',
    answers: {
      'https://login.microsoft.com/the-tenant/oauth2/v2.0/token': {
        ...tokens,
        scope: 'openid User.Read',
      },
      'https://graph.microsoft.com/v1.0/me': {
        id: '87d349ed',
        displayName: 'Ada',
        mail: 'ada@mail.example',
        userPrincipalName: 'ada@tenant.example',
      },
    },
    user: { id: '87d349ed', name: 'Ada', email: null, image: null },
    scope: 'openid User.Read',
  },
  twitch: {
    middleware: (client) => twitchAuth({ ...snake(client), scope: ['user:read:email'] }),
    authorize: 'https://id.twitch.tv/oauth2/authorize',
    answers: {
      'https://id.twitch.tv/oauth2/token': { ...tokens, scope: ['user:read:email'] },
      'https://api.twitch.tv/helix/users': {
        data: [
          {
            id: '141981764',
            login: 'ada',
            display_name: 'Ada',
            email: 'ada@mail.example',
            profile_image_url: 'https://images.example/ada',
          },
        ],
      },
    },
    user: { id: '141981764', name: 'Ada', email: null, image: 'https://images.example/ada' },
    scope: 'user:read:email',
  },
  x: {
    middleware: (client) => xAuth({ ...snake(client), scope: ['users.read'] }),
    authorize: 'https://x.com/i/oauth2/authorize',
    answers: {
      'https://api.twitter.com/2/oauth2/token': { ...tokens, scope: 'users.read' },
      'https://api.twitter.com/2/users/me': {
        data: { id: '2244994945', name: 'Ada', username: 'ada', verified: true },
      },
    },
    user: { id: '2244994945', name: 'Ada', email: null, image: null },
    scope: 'users.read',
  },
}

type Client = Parameters<MiddlewareConfig['middleware']>[0]

function snake({ clientId, clientSecret, redirectUri }: Client) {
  return { client_id: clientId, client_secret: clientSecret, redirect_uri: redirectUri }
}

function providerOf(middleware: MiddlewareConfig['middleware']): ResolvedMiddlewareProvider {
  const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }
  const config = fromHono({ id: 'the-provider', name: 'The provider', middleware, ...client })
  return honoMiddleware.resolve(config, {}) as ResolvedMiddlewareProvider
}

/** A provider around one middleware of the package. */
function vendor(name: string): ResolvedMiddlewareProvider {
  return providerOf((vendors[name] as Vendor).middleware)
}

/** The requests that the package has sent in this test. */
let requests: { readonly url: URL; readonly init: RequestInit | undefined }[] = []

/** The network: the package uses only the global fetch. */
function answerWith(answers: Readonly<Record<string, unknown>>): void {
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const url = new URL(String(input))
    requests.push({ url, init })
    const answer = answers[url.origin + url.pathname]
    if (answer === undefined) throw new TypeError('fetch failed')
    return answer instanceof Function ? answer() : Response.json(answer)
  })
}

/** Everything that the package has sent, by request. */
function sent(): string[] {
  return requests.map(({ url, init }) => [url, init?.body, everythingIn(init?.headers)].join(' '))
}

const callback = (parameters: Record<string, string> = {}) =>
  new URLSearchParams({ code: 'the-code', state: 'our-own-state', ...parameters })

/** Starts a sign-in and finishes it with a code. */
async function signIn(provider: ResolvedMiddlewareProvider, response = callback()) {
  const carried = await startMiddleware(provider, REDIRECT_URI)
  return finishMiddleware(provider, REDIRECT_URI, carried, response, NOW)
}

async function failureOf(work: Promise<unknown>): Promise<OAuthCallbackError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(OAuthCallbackError)
  return error as OAuthCallbackError
}

const { takeTimers, advance } = clock({ start: 'now' })

beforeEach(() => {
  requests = []
  answerWith({})
})

afterEach(() => {
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})

describe.each(Object.entries(vendors))('%s', (name, { authorize, answers, user, scope }) => {
  const provider = vendor(name)

  test('starts', async () => {
    const { url, state, cookie } = await startMiddleware(provider, REDIRECT_URI)
    expect(url.origin + url.pathname).toBe(authorize)
    expect(url.searchParams.get('client_id')).toBe('the-client-id')
    expect(url.searchParams.get('state')).toBe(state)
    expect(state).toMatch(/^[\w-]{43}$/)
    expect(cookie.split('; ')).toContain(`state=${state}`)
    // The package sends no redirect URI for GitHub's OAuth apps, which then use the registered one.
    const sent = name === 'github' ? null : REDIRECT_URI
    expect(url.searchParams.get('redirect_uri')).toBe(sent)
    expect(url.href).not.toContain('the-client-secret')
    expect(requests).toEqual([])
  })

  test('finishes', async () => {
    answerWith(answers)
    const { tokens, profile } = await signIn(provider)
    expect(tokens).toEqual({
      access_token: 'the-access-token',
      token_type: 'bearer',
      expires_in: 3600,
      expires_at: NOW + 3600,
      // The package drops Facebook's value, so it is absent.
      ...(name === 'facebook' ? {} : { refresh_token: 'the-refresh-token' }),
      ...(scope === undefined ? {} : { scope }),
    })
    const described = await provider.profile?.(profile, tokens)
    expect({ ...described, id: String(described?.id) }).toEqual(user)
    expect(sent()[0]).toContain('the-code')
    expect(requests).toHaveLength(Object.keys(answers).length)
  })

  test('fails with an empty answer to the code', async () => {
    const endpoints = Object.keys(answers)
    answerWith({ ...answers, [endpoints[0] as string]: {} })
    await failureOf(signIn(provider))
    answerWith(Object.fromEntries(endpoints.map((url) => [url, {}])))
    await failureOf(signIn(provider))
  })

  test('fails without a person', async () => {
    const [token, ...others] = Object.keys(answers)
    const empty = Object.fromEntries(others.map((url) => [url, url.endsWith('emails') ? [] : {}]))
    answerWith({ ...empty, [token as string]: answers[token as string] })
    await failureOf(signIn(provider))
  })

  test('does not repeat a secret in an error', async () => {
    const said = ['the-client-secret', 'the-code', 'our-own-state', 'EAAGm0PX4ZCpsBAKZBwxyz123456']
    const text = said.join(' ')
    const refusal = { error: text, error_description: text, message: text }
    const [token] = Object.keys(answers)
    const hostile = [
      refusal,
      { ...refusal, error: { message: text } },
      text,
      () => new Response(`<html>${text}</html>`),
      () => Promise.reject(new Error(`connect to https://x.example/?code=${text}`)),
    ]
    for (const answer of hostile) {
      for (const answering of [
        { ...answers, [token as string]: answer },
        {
          ...Object.fromEntries(Object.keys(answers).map((url) => [url, answer])),
          [token as string]: answers[token as string],
        },
      ]) {
        answerWith(answering)
        const told = everythingIn(await failureOf(signIn(provider)))
        for (const secret of [...said, 'the-access-token']) expect(told).not.toContain(secret)
      }
    }
  })
})

test.each<[string, () => Response]>([
  ['text', () => new Response('a-short-token')],
  ['a string', () => Response.json('a-short-token')],
  ['truncated JSON', () => new Response('{"access_token":"a-short-token')],
])('an answer that is %s is not quoted', async (_, answer) => {
  answerWith({ 'https://discord.com/api/oauth2/token': answer })
  const { cause } = await failureOf(signIn(vendor('discord')))
  expect(cause).toEqual({ provider: 'the-provider', reason: 'The answer is not a JSON object.' })
})

test('the provider’s message is logged, shortened and in one line', async () => {
  const answer = { error_description: `Invalid "code" in request.\n${'no '.repeat(100)}` }
  answerWith({ 'https://discord.com/api/oauth2/token': answer })
  const { cause } = await failureOf(signIn(vendor('discord')))
  expect(cause).toMatchObject({ reason: 'The middleware refused.' })
  expect(cause?.error).toMatch(/^Invalid "code" in request\.\?no no /)
  expect(cause?.error).toHaveLength(200)
})

describe('a middleware that does not start a sign-in is a mistake in the configuration', () => {
  const redirectTo = (location: string) => (): MiddlewareHandler => async (c) =>
    c.redirect(location)
  const starts: [string, MiddlewareConfig['middleware']][] = [
    ['it throws', () => discordAuth({} as never)],
    ['it cannot be made', () => undefined as never],
    ['it goes on', () => (_, next) => next()],
    ['it answers', () => async (c) => c.text('Hello')],
    [
      'it signs the app in, and no user',
      (client) => linkedinAuth({ ...snake(client), appAuth: true }),
    ],
    ['it redirects without a state', redirectTo('https://vendor.example/authorize')],
    ['it redirects to nowhere', redirectTo('/authorize?state=a')],
    ['it redirects to plain http', redirectTo('http://vendor.example/authorize?state=a')],
    ['it redirects to a script', redirectTo('javascript:alert(1)//?state=a')],
  ]
  test.each(starts)('%s', async (_, middleware) => {
    const error = await startMiddleware(providerOf(middleware), REDIRECT_URI).catch((e) => e)
    expect(error).toBeInstanceOf(ProviderMisconfigured)
    expect(everythingIn(error)).not.toContain('the-client-secret')
  })

  test('plain http is allowed on this machine only', async () => {
    const provider = providerOf(redirectTo('http://localhost:9000/authorize?state=a'))
    expect((await startMiddleware(provider, REDIRECT_URI)).state).toBe('a')
  })
})

describe('the result of a middleware', () => {
  const finish = (found: Record<string, unknown>) =>
    finishMiddleware(
      providerOf(() => async (c, next) => {
        for (const [name, value] of Object.entries(found)) c.set(name as never, value as never)
        await next()
      }),
      REDIRECT_URI,
      { state: 'a', cookie: 'state=a' },
      callback(),
      NOW,
    )
  const token = { token: 'the-access-token' }
  const person = { 'user-vendor': { id: 'ada' } }

  test('is read for any name of the vendor', async () => {
    const { tokens, profile } = await finish({ token, ...person })
    expect(profile).toEqual({ id: 'ada' })
    expect(tokens).toEqual({ access_token: 'the-access-token', token_type: 'bearer' })
  })

  test.each([0, Number.NaN, -1, Number.POSITIVE_INFINITY, undefined, {}])(
    'a lifetime of %s is unknown',
    async (expires_in) => {
      const { tokens } = await finish({ token: { ...token, expires_in }, ...person })
      expect(tokens).not.toHaveProperty('expires_in')
      expect(tokens).not.toHaveProperty('expires_at')
    },
  )

  test.each<[string, Record<string, unknown>]>([
    ['nobody', { token }],
    ['undefined', { token, 'user-vendor': undefined }],
    ['a name', { token, 'user-vendor': 'ada' }],
    ['a list', { token, 'user-vendor': [{ id: 'ada' }] }],
    ['two people', { token, ...person, 'user-other': { id: 'bob' } }],
    ['no token', person],
    ['an empty token', { token: { token: '' }, ...person }],
    ['a token that is an object', { token: { token: {} }, ...person }],
  ])('%s is a failed sign-in', async (_, found) => {
    await failureOf(finish(found))
  })
})

/**
 * One test for each known defect of @hono/oauth-providers 0.8.8. None may affect a person who signs
 * in.
 */
describe('defects of the package', () => {
  const others = Object.keys(vendors).filter((name) => name !== 'x')

  test("X's state check passes with neither state nor cookie: the middleware always gets both", async () => {
    answerWith((vendors.x as Vendor).answers)
    const provider = vendor('x')
    const finish = (state: string, cookie: string) =>
      finishMiddleware(provider, REDIRECT_URI, { state, cookie }, callback(), NOW)
    await failureOf(finish('a', ''))
    await failureOf(finish('a', 'state=b'))
    expect(requests).toEqual([])
  })

  test.each(others)("%s: a state that is not the middleware's own is refused", async (name) => {
    answerWith((vendors[name] as Vendor).answers)
    const carried = { state: 'a', cookie: 'state=b' }
    await failureOf(finishMiddleware(vendor(name), REDIRECT_URI, carried, callback(), NOW))
    expect(requests).toEqual([])
  })

  test.each(Object.keys(vendors))('%s: a canceled sign-in does not loop back', async (name) => {
    const carried = await startMiddleware(vendor(name), REDIRECT_URI)
    const cancelled = new URLSearchParams({ error: 'access_denied', state: 'our-own-state' })
    const finished = finishMiddleware(vendor(name), REDIRECT_URI, carried, cancelled, NOW)
    expect((await failureOf(finished)).cause).toEqual({
      provider: 'the-provider',
      reason: 'Error: It did not let the sign-in through.',
    })
    expect(requests).toEqual([])
  })

  test.each(Object.entries(vendors))(
    '%s: an access token in the callback is used: it is not passed to the middleware',
    async (name, { answers }) => {
      answerWith({ ...answers, [Object.keys(answers)[0] as string]: {} })
      const injected = { access_token: 'an-injected-token', expires_in: '3600' }
      await failureOf(signIn(vendor(name), callback(injected)))
      expect(sent().join()).not.toContain('an-injected-token')
    },
  )

  test('no timeouts: a silent provider ends the sign-in after ten seconds', async () => {
    takeTimers()
    const [token] = Object.keys((vendors.google as Vendor).answers)
    answerWith({ [token as string]: () => new Promise(() => {}) })
    const failure = failureOf(signIn(vendor('google')))
    await advance(9_999)
    expect(vi.getTimerCount()).toBe(1)
    await advance(1)
    expect((await failure).cause).toMatchObject({ reason: 'Error: No answer within 10000 ms.' })
  })

  test('no timeouts: a body that never ends is given up too', async () => {
    takeTimers()
    const { answers } = vendors.google as Vendor
    const endless = () =>
      new Response(new ReadableStream({ start: (c) => c.enqueue(Uint8Array.of(123)) }))
    answerWith({ ...answers, 'https://www.googleapis.com/oauth2/v2/userinfo': endless })
    const failure = failureOf(signIn(vendor('google')))
    await advance(10_000)
    await failure
  })

  test('env(c) reads bindings only in workerd: nothing is read from an environment', async () => {
    for (const name of Object.keys(vendors)) {
      vi.stubEnv(`${name.toUpperCase()}_ID`, 'another-client')
      vi.stubEnv(`${name.toUpperCase()}_SECRET`, 'another-secret')
      answerWith((vendors[name] as Vendor).answers)
      const { url } = await startMiddleware(vendor(name), REDIRECT_URI)
      expect(url.searchParams.get('client_id')).toBe('the-client-id')
      await signIn(vendor(name))
    }
    expect(sent().join()).not.toMatch(/another-(client|secret)/)
  })

  test('PKCE only for X: its verifier is carried from the start to the end', async () => {
    answerWith((vendors.x as Vendor).answers)
    const carried = await startMiddleware(vendor('x'), REDIRECT_URI)
    await finishMiddleware(vendor('x'), REDIRECT_URI, carried, callback(), NOW)
    const { searchParams } = carried.url
    expect(searchParams.get('code_challenge_method')).toBe('S256')
    const verifier = requests[0]?.url.searchParams.get('code_verifier') ?? ''
    expect(await calculatePKCECodeChallenge(verifier)).toBe(searchParams.get('code_challenge'))
  })
})
