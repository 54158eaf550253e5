import { readdirSync, readFileSync } from 'node:fs'
import { discordAuth } from '@hono/oauth-providers/discord'
import { githubAuth } from '@hono/oauth-providers/github'
import { xAuth } from '@hono/oauth-providers/x'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { resolveProviders } from '../sign-in/kinds.js'
import {
  Browser,
  configWith,
  copyOf,
  errorOf,
  everythingIn,
  locationOf,
  origin,
  setsSession,
} from '../test-support/browser.js'
import type { Account, AuthConfig, MiddlewareClient, MiddlewareConfig } from '../types.js'
import fromHono from './from-hono.js'

const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }

function snake({ clientId, clientSecret, redirectUri }: MiddlewareClient) {
  return { client_id: clientId, client_secret: clientSecret, redirect_uri: redirectUri }
}

function discord(changes: Partial<MiddlewareConfig> = {}): MiddlewareConfig {
  return fromHono({
    id: 'discord',
    name: 'Discord',
    middleware: (given) => discordAuth({ ...snake(given), scope: ['identify'] }),
    ...client,
    ...changes,
  })
}

function github(): MiddlewareConfig {
  return fromHono({
    id: 'github',
    name: 'GitHub',
    middleware: (given) => githubAuth(snake(given)),
    ...client,
  })
}

function x(): MiddlewareConfig {
  return fromHono({
    id: 'x',
    name: 'X',
    middleware: (given) => xAuth({ ...snake(given), scope: ['users.read'] }),
    ...client,
  })
}

const tokens = { access_token: 'the-access-token', expires_in: 60, refresh_token: 'the-refresh' }
const good: Readonly<Record<string, unknown>> = {
  'https://discord.com/api/oauth2/token': { ...tokens, scope: 'identify' },
  'https://discord.com/api/oauth2/@me': { user: { id: '80351', username: 'ada' } },
  'https://github.com/login/oauth/access_token': { ...tokens, scope: '' },
  'https://api.github.com/user': { id: 583231, login: 'ada', email: 'victim@mail.example' },
  'https://api.github.com/user/emails': [
    { email: 'victim@mail.example', primary: true, verified: false },
  ],
  'https://api.twitter.com/2/oauth2/token': { ...tokens, scope: 'users.read' },
  'https://api.twitter.com/2/users/me': { data: { id: '22', name: 'Ada' } },
}

/** The requests that the package has sent in this test. */
let requests: string[] = []

/** The network: the package uses only the global fetch. */
function answerWith(answers: Readonly<Record<string, unknown>>): void {
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const url = new URL(String(input))
    requests.push(`${url} ${init?.body} ${everythingIn(init?.headers)}`)
    return Response.json(answers[url.origin + url.pathname] ?? {})
  })
}

function setUp(provider = discord(), changes: Partial<AuthConfig> = {}) {
  const errors: Error[] = []
  const logger = { error: (error: Error) => void errors.push(error) }
  const config = configWith({ providers: [provider], logger, ...changes })
  return { browser: new Browser(config), config, errors }
}

beforeEach(() => {
  requests = []
  answerWith(good)
})

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('signing in', () => {
  test('a person signs in', async () => {
    const accounts: Account[] = []
    const signIn = ({ account }: { account: Account }) => {
      accounts.push(account)
      return true
    }
    const { browser, errors } = setUp(discord(), { callbacks: { signIn } })
    const answer = await browser.signIn('discord')
    expect(locationOf(answer)).toBe(`${origin}/inbox`)
    expect((await browser.session())?.user).toMatchObject({ name: 'ada', email: null, image: null })
    expect(accounts).toMatchObject([
      {
        provider: 'discord',
        type: 'oauth',
        providerAccountId: '80351',
        access_token: 'the-access-token',
        refresh_token: 'the-refresh',
        scope: 'identify',
      },
    ])
    expect(errors).toEqual([])
  })

  test.each([discord, github, x])('the browser comes back to our callback', async (make) => {
    const provider = make()
    const { browser } = setUp(provider)
    const url = await browser.start(provider.id)
    expect(url.searchParams.get('redirect_uri')).toBe(`${origin}/auth/callback/${provider.id}`)
    expect(setsSession(await browser.signIn(provider.id))).toBe(true)
  })

  test('profile and account are the ones of the options', async () => {
    const accounts: Account[] = []
    const { browser } = setUp(
      discord({
        profile: ({ id, username }) => ({ id: `${id}!`, name: `@${username}` }),
        account: ({ scope }) => ({ scope: `${scope}!` }),
      }),
      {
        callbacks: {
          signIn: ({ account }) => {
            accounts.push(account)
            return true
          },
        },
      },
    )
    await browser.signIn('discord')
    expect((await browser.session())?.user).toMatchObject({ name: '@ada' })
    expect(accounts[0]).toMatchObject({ providerAccountId: '80351!', scope: 'identify!' })
    expect(accounts[0]).not.toHaveProperty('access_token')
  })

  test('parameters of the sign-in request change none of the flow', async () => {
    const { browser } = setUp()
    const changes = {
      client_id: 'other',
      redirect_uri: 'https://evil.example/',
      state: 'a',
      scope: 'bot',
      response_type: 'token',
      login_hint: 'ada',
    }
    const query = `?${new URLSearchParams(changes)}`
    const plain = (await browser.start('discord')).searchParams
    const { searchParams } = await browser.start('discord', { query })
    for (const name of ['client_id', 'redirect_uri', 'scope', 'response_type']) {
      expect(searchParams.getAll(name)).toEqual(plain.getAll(name))
    }
    expect(searchParams.getAll('state')).toHaveLength(1)
    expect(searchParams.get('state')).not.toBe('a')
  })
})

describe('the client', () => {
  const resolved = async (provider: MiddlewareConfig, env: Record<string, string> = {}) => {
    const { usable, misconfigured } = await resolveProviders([provider], env)
    return { provider: usable.get('discord'), error: misconfigured.get('discord')?.message }
  }
  const bare = () => {
    const { clientId: _, clientSecret: __, ...options } = discord()
    return fromHono(options)
  }

  test('comes from the environment', async () => {
    const env = { AUTH_DISCORD_ID: 'an-id', AUTH_DISCORD_SECRET: 'a-secret' }
    const { provider } = await resolved(bare(), env)
    expect(provider).toMatchObject({ clientId: 'an-id', clientSecret: 'a-secret' })
    expect((await resolved(discord(), env)).provider).toMatchObject(client)
  })

  test('without id or secret, the error names the variable', async () => {
    expect((await resolved(bare())).error).toContain('AUTH_DISCORD_ID')
    expect((await resolved(bare(), { AUTH_DISCORD_ID: 'an-id' })).error).toContain(
      'AUTH_DISCORD_SECRET',
    )
  })
})

describe('a person', () => {
  const userOf = async (person: Record<string, unknown>) => {
    const { profile } = discord()
    return profile?.({ id: '1', ...person }, {})
  }

  const email = 'ada@mail.example'
  test.each<[string, Record<string, unknown>, string | null]>([
    ['OpenID, LinkedIn', { email, email_verified: true }, email],
    ['Google', { email, verified_email: true }, email],
    ['X', { confirmed_email: email, verified: false }, email],
    ['nothing says that it is verified', { email }, null],
    ['it is not verified', { email, email_verified: false, verified_email: false }, null],
    ['"true" is not true', { email, email_verified: 'true' }, null],
    ['1 is not true', { email, verified_email: 1 }, null],
    ['a badge of X, or an account of Facebook', { email, verified: true }, null],
    ['a handle', { username: email, email_verified: true }, null],
    ['Entra', { mail: email, userPrincipalName: email, verified_email: true }, null],
    ['an address that is an object', { email: { value: email }, email_verified: true }, null],
  ])('email address: %s', async (_, person, expected) => {
    expect((await userOf(person))?.email).toBe(expected)
  })

  test.each<[Record<string, unknown>, string | null]>([
    [{ name: 'Ada', login: 'ada' }, 'Ada'],
    [{ name: null, login: 'ada' }, 'ada'],
    [{ name: '', username: 'ada' }, 'ada'],
    [{ global_name: 'Ada', username: 'ada' }, 'Ada'],
    [{ global_name: null, username: 'ada' }, 'ada'],
    [{ display_name: 'Ada', login: 'ada' }, 'Ada'],
    [{ displayName: 'Ada', userPrincipalName: 'ada@tenant.example' }, 'Ada'],
    [{ name: { first: 'Ada' } }, null],
  ])('name in %j', async (person, expected) => {
    expect((await userOf(person))?.name).toBe(expected)
  })

  const image = 'https://images.example/ada'
  test.each<[Record<string, unknown>, string | null]>([
    [{ picture: image }, image],
    [{ picture: { data: { url: image } } }, image],
    [{ avatar_url: image }, image],
    [{ profile_image_url: image }, image],
    [{ avatar: '8342729096ea3675' }, null],
    [{ picture: '8342729096ea3675', avatar_url: image }, image],
    [{ picture: { data: null } }, null],
  ])('image in %j', async (person, expected) => {
    expect((await userOf(person))?.image).toBe(expected)
  })

  test('the id is `id`, or `sub` if there is none', async () => {
    expect((await userOf({ id: 7, sub: 'a' }))?.id).toBe(7)
    expect((await userOf({ id: undefined, sub: 'a' }))?.id).toBe('a')
  })
})

/** One test for each known defect of @hono/oauth-providers 0.8.8, as a browser would meet it. */
describe('defects of the package', () => {
  test('the state cookie is never cleared: no part of its cookies reaches the browser', async () => {
    const { browser } = setUp(x())
    await browser.start('x')
    const names = () => [...browser.jar.keys()].map((name) => name.replace(/\.[\w-]{21,}$/, ''))
    expect(names().sort()).toEqual(['auth.csrf-token', 'auth.flow'])
    await browser.signIn('x')
    expect(names()).not.toContain('state')
    expect(names()).not.toContain('code-verifier')
  })

  test('the state in the browser is not the one that the package checks', async () => {
    const carried: (string | null | undefined)[] = []
    const middleware = (given: MiddlewareClient) => {
      const inner = discordAuth({ ...snake(given), scope: ['identify'] })
      return (...[c, next]: Parameters<typeof inner>) => {
        carried.push(c.req.query('state'))
        return inner(c, next)
      }
    }
    const { browser } = setUp(discord({ middleware }))
    const state = (await browser.start('discord')).searchParams.get('state')
    await browser.get(`/auth/callback/discord?code=the-code&state=${state}`)
    expect(carried[1]).toMatch(/^[\w-]{43}$/)
    expect(carried[1]).not.toBe(state)
    expect(browser.cookie).not.toContain(carried[1])
  })

  test('a canceled sign-in loops back: it comes back as canceled', async () => {
    const { browser } = setUp()
    const state = (await browser.start('discord')).searchParams.get('state')
    const answer = await browser.get(`/auth/callback/discord?error=access_denied&state=${state}`)
    expect(errorOf(answer)).toBe('/auth/signin OAuthCallbackError access_denied')
    expect(requests).toEqual([])
  })

  test("X's state check passes with neither state nor cookie: ours does not", async () => {
    const { browser } = setUp(x())
    for (const query of ['?code=the-code', '?code=the-code&state=', '?code=the-code&state=a', '']) {
      expect(errorOf(await browser.get(`/auth/callback/x${query}`))).toBe(
        '/auth/signin InvalidCheck',
      )
    }
    await browser.start('x')
    expect(errorOf(await browser.get('/auth/callback/x?code=the-code'))).toBe(
      '/auth/signin InvalidCheck',
    )
    expect(requests).toEqual([])
  })

  test("GitHub's primary email is taken unverified: the user has none", async () => {
    const { browser } = setUp(github())
    await browser.signIn('github')
    const { user } = (await browser.session()) ?? {}
    expect(user).toMatchObject({ name: 'ada', email: null })
    expect(JSON.stringify(user)).not.toContain('victim')
  })

  test.each([discord, github, x])(
    'an empty token answer calls next() without a user: no user is signed in',
    async (make) => {
      answerWith({ 'https://api.github.com/user/emails': [] })
      const provider = make()
      const { browser } = setUp(provider)
      const answer = await browser.signIn(provider.id)
      expect(errorOf(answer)).toBe('/auth/signin OAuthCallbackError')
      expect(setsSession(answer)).toBe(false)
    },
  )

  test('an access token in the callback is used: it is not passed to the package', async () => {
    answerWith({ ...good, 'https://discord.com/api/oauth2/token': {} })
    const { browser } = setUp()
    const state = (await browser.start('discord')).searchParams.get('state')
    const injected = `code=the-code&state=${state}&access_token=an-injected-token&expires_in=60`
    const answer = await browser.get(`/auth/callback/discord?${injected}`)
    expect(errorOf(answer)).toBe('/auth/signin OAuthCallbackError')
    expect(requests.join()).not.toContain('an-injected-token')
  })

  test('PKCE only for X: a callback is good once, in the browser that started it', async () => {
    const { browser, config } = setUp()
    const state = (await browser.start('discord')).searchParams.get('state')
    const path = `/auth/callback/discord?code=the-code&state=${state}`
    const other = new Browser(config)
    await other.start('discord')
    expect(errorOf(await other.get(path))).toBe('/auth/signin InvalidCheck')
    const twin = copyOf(browser, config)
    expect(setsSession(await browser.get(path))).toBe(true)
    expect(errorOf(await twin.get(path))).toBe('/auth/signin InvalidCheck')
    expect(requests).toHaveLength(2)
  })

  test("LinkedIn's refreshToken throws always: no function of the package is ours to call", () => {
    const source = new URL('../', import.meta.url)
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
    )
    const importing = files.filter((file) =>
      /^import (?!type )[^'`]*'@hono\/oauth-providers/m.test(
        readFileSync(new URL(file, source), 'utf8'),
      ),
    )
    expect(files.length).toBeGreaterThan(50)
    expect(importing).toEqual([])
  })
})
