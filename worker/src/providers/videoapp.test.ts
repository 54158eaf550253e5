import { createSandbox, type SandboxOptions } from '@latchkey/sandbox'
import { describe, expect, it } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import type { ResolvedOAuthProvider } from '../sign-in/oauth/resolve.js'
import {
  Browser,
  configWith,
  endpointsOf,
  errorOf,
  everythingIn,
  locationOf,
  origin,
} from '../test-support/browser.js'
import type { Account, OAuthUserConfig } from '../types.js'
import videoapp, { type VideoProviderProfile } from './videoapp.js'

const client = { clientId: 'sandbox-client-key', clientSecret: 'sandbox-client-secret' }
type Options = OAuthUserConfig<VideoProviderProfile>
interface Seen {
  readonly url: URL
  readonly init: RequestInit
}

/** A browser at a service whose only provider is the video app, played by the sandbox. */
function setUp(options: Options = {}, sandboxOptions: SandboxOptions = {}) {
  const sandbox = createSandbox(sandboxOptions)
  const seen: Seen[] = []
  const accounts: Account[] = []
  const errors: Error[] = []
  const network: typeof fetch = async (input, init) => {
    seen.push({ url: new URL(String(input)), init: init as RequestInit })
    return sandbox.request(String(input), init)
  }
  const config = configWith({
    providers: [videoapp({ ...client, [customFetch]: network, ...options })],
    logger: { error: (error) => errors.push(error) },
    callbacks: {
      signIn: ({ account }) => {
        accounts.push(account)
        return true
      },
    },
  })
  const browser = new Browser(config)
  /** Signs in as a person of the sandbox, up to the callback. */
  const signIn = async (person: string, scopes = ['user.info.profile'], decision = 'allow') => {
    const consent = await browser.start('videoapp')
    const body = new URLSearchParams({ person, decision })
    for (const scope of scopes) body.append('scope', scope)
    const back = new URL(locationOf(await sandbox.request(consent.href, { method: 'POST', body })))
    return browser.get(back.pathname + back.search)
  }
  return { sandbox, seen, accounts, errors, browser, signIn }
}

const tokenRequest = (seen: Seen[]) => {
  const { init } = seen.find(({ url }) => url.pathname.endsWith('/token/')) as Seen
  const headers = new Headers(init.headers as HeadersInit)
  return { headers, form: new URLSearchParams(String(init.body)) }
}

describe('defaults', () => {
  it('equal the specification', () => {
    const provider = videoapp(client)
    expect(provider).toMatchObject({
      id: 'videoapp',
      type: 'oauth',
      client: { token_endpoint_auth_method: 'client_secret_post' },
      authorization: { params: { client_key: client.clientId, scope: 'user.info.profile' } },
      userinfo: { params: { fields: 'open_id,avatar_url,display_name,username' } },
    })
    expect(new URL(String(provider.token)).pathname).toMatch(/\/token\/$/)
  })

  it('an app’s own profile() finds the person at the top level and in `data.user`', async () => {
    const { signIn, accounts } = setUp({
      profile: ({ user, data }) => ({ id: `${user.open_id} ${data.user.display_name}` }),
    })
    await signIn('vic')
    expect(accounts[0]?.providerAccountId).toMatch(/^\S{10,} Vic Placeholder$/)
  })

  it('making a provider changes neither its options nor the next provider', () => {
    const options = Object.freeze({ ...client, authorization: Object.freeze({ params: { x: 1 } }) })
    videoapp(options)
    expect(videoapp().clientId).toBeUndefined()
    expect(JSON.stringify(videoapp())).not.toContain(client.clientId)
  })
})

describe('client key and secret', () => {
  const env = { AUTH_VIDEO_ID: 'key-of-env', AUTH_VIDEO_SECRET: 'secret-of-env' }
  const resolve = async (
    entry: Parameters<typeof resolveProviders>[0][0],
    variables: object = env,
  ) => await resolveProviders([entry], variables as Record<string, unknown>)
  const usable = async (entry: Parameters<typeof resolve>[0], variables?: object) =>
    (await resolve(entry, variables)).usable.get('videoapp') as ResolvedOAuthProvider

  it.each<[string, Parameters<typeof resolve>[0]]>([
    ['a factory that was not called', videoapp],
    ['a factory called without options', videoapp()],
    ['options that leave them open', videoapp({ name: 'Video' })],
    [
      'options whose values are undefined',
      videoapp({ clientId: undefined, clientSecret: undefined } as unknown as Options),
    ],
    ['options whose values are empty', videoapp({ clientId: '', clientSecret: '' })],
  ])('%s: taken from the environment', async (_, entry) => {
    const provider = await usable(entry)
    expect(provider).toMatchObject({ clientId: 'key-of-env', clientSecret: 'secret-of-env' })
    const { authorization } = await endpointsOf(provider)
    expect(authorization.searchParams.get('client_key')).toBe('key-of-env')
  })

  it('client_key=undefined is never sent: without a key the provider is misconfigured', async () => {
    for (const entry of [
      videoapp,
      videoapp(),
      videoapp({ clientId: undefined } as unknown as Options),
    ]) {
      const { usable, misconfigured } = await resolve(entry, {})
      expect(usable.size).toBe(0)
      expect(misconfigured.get('videoapp')?.message).toContain('no client id')
    }
  })

  it('options win over the environment', async () => {
    const { authorization } = await endpointsOf(await usable(videoapp(client)))
    expect(authorization.searchParams.get('client_key')).toBe(client.clientId)
  })

  it('two environments give two providers', async () => {
    const factory = videoapp()
    expect((await usable(factory, { ...env, AUTH_VIDEO_ID: 'one' })).clientId).toBe('one')
    expect((await usable(factory, { ...env, AUTH_VIDEO_ID: 'two' })).clientId).toBe('two')
  })

  it('the environment can name another deployment of the video app', async () => {
    const provider = await usable(videoapp, {
      ...env,
      AUTH_VIDEO_AUTHORIZATION_URL: 'http://localhost:8788/v2/auth/authorize/',
      AUTH_VIDEO_TOKEN_URL: 'http://localhost:8788/v2/oauth/token/',
      AUTH_VIDEO_USERINFO_URL: 'http://localhost:8788/v2/user/info/',
    })
    const { authorization, token, userinfo } = await endpointsOf(provider)
    expect(authorization.origin).toBe('http://localhost:8788')
    expect(token.href).toBe('http://localhost:8788/v2/oauth/token/')
    expect(userinfo.searchParams.get('fields')).toContain('open_id')
  })
})

describe('the flow against the sandbox', () => {
  it('signs in', async () => {
    const { browser, signIn, accounts } = setUp()
    expect(locationOf(await signIn('ada'))).toBe(`${origin}/inbox`)
    expect((await browser.session())?.user).toMatchObject({
      name: 'Ada Example',
      email: 'ada.films',
      image: 'https://sandbox.example/avatars/ada.png',
    })
    expect(accounts[0]).toMatchObject({ provider: 'videoapp', token_type: 'bearer' })
    expect(accounts[0]?.refresh_expires_in).toBeGreaterThan(0)
  })

  it('the client secret is never in the authorize URL, nor where a browser could send it', async () => {
    const { browser } = setUp()
    const query = '?client_secret=x&client_key=evil&scope=evil&redirect_uri=https://evil.com'
    const url = await browser.start('videoapp', { query })
    expect(url.href).not.toContain('secret')
    expect(url.href).not.toContain('evil')
    expect(url.searchParams.getAll('client_key')).toEqual([client.clientId])
    expect(url.searchParams.get('redirect_uri')).toBe(`${origin}/auth/callback/videoapp`)
  })

  it('the token request is a form with client_key, and the code is byte-exact', async () => {
    const { seen, signIn } = setUp()
    await signIn('ada')
    const { headers, form } = tokenRequest(seen)
    expect(headers.get('content-type')).toBe('application/x-www-form-urlencoded')
    expect(form.get('client_key')).toBe(client.clientId)
    expect(form.get('client_secret')).toBe(client.clientSecret)
    expect(form.get('code')).toMatch(/[*!]/)
    expect(form.get('code_verifier')).toMatch(/^[\w.~-]{43,128}$/)
    expect(headers.has('authorization')).toBe(false)
  })

  it('the caller’s own fetch gets the final requests, all of them', async () => {
    const { seen, signIn } = setUp()
    await signIn('ada')
    expect(seen.map(({ url }) => url.pathname)).toEqual(['/v2/oauth/token/', '/v2/user/info/'])
    expect(tokenRequest(seen).form.getAll('client_key')).toHaveLength(1)
  })

  it('a desktop app has its challenge in hexadecimal digits', async () => {
    const redirectUris = [`${origin}/auth/callback/videoapp`]
    const app = { clientKey: client.clientId, clientSecret: client.clientSecret, redirectUris }
    const clients = [{ ...app, type: 'desktop', challenge: 'hex' } as const]
    const { signIn } = setUp({ codeChallengeEncoding: 'hex' }, { clients })
    expect(locationOf(await signIn('ada'))).toBe(`${origin}/inbox`)
  })

  it('a partial grant drops the fields that were not granted, and still signs in', async () => {
    const { seen, signIn, browser } = setUp()
    expect(locationOf(await signIn('ada', ['user.info.basic']))).toBe(`${origin}/inbox`)
    const fields = seen.at(-1)?.url.searchParams.get('fields')
    expect(fields).toBe('open_id,avatar_url,display_name')
    expect((await browser.session())?.user).toMatchObject({ name: 'Ada Example', email: null })
  })

  it('more scopes and fields can be asked for', async () => {
    const { seen, signIn } = setUp({
      scope: 'user.info.profile,user.info.stats',
      userinfo: {
        url: 'https://open.tiktokapis.com/v2/user/info/',
        params: { fields: 'open_id,likes_count' },
      },
    })
    await signIn('ada', ['user.info.stats'])
    expect(seen.at(-1)?.url.searchParams.get('fields')).toBe('open_id,likes_count')
  })

  it('a user name that looks like an address is never marked verified, and links no accounts', async () => {
    const { signIn, browser } = setUp()
    await signIn('vic')
    const vic = (await browser.session())?.user
    expect(vic?.email).toBe('victim@example.com')
    expect(vic).not.toHaveProperty('emailVerified')
    await signIn('ada')
    expect((await browser.session())?.user?.id).not.toBe(vic?.id)
  })

  it('a person with a name alone is signed in without picture and address', async () => {
    const { signIn, browser } = setUp()
    await signIn('nemo')
    expect((await browser.session())?.user).toMatchObject({
      name: 'Nemo',
      email: null,
      image: null,
    })
  })

  it('a canceled sign-in gets access_denied', async () => {
    const { signIn } = setUp()
    expect(errorOf(await signIn('ada', [], 'cancel'))).toBe(
      '/auth/signin OAuthCallbackError access_denied',
    )
  })

  it('an error with status 200 at the token endpoint is not taken for success', async () => {
    const { signIn, errors, browser } = setUp({ clientSecret: 'wrong' })
    expect(errorOf(await signIn('ada'))).toBe('/auth/signin OAuthCallbackError')
    expect(errors[0]?.cause).toMatchObject({ provider: 'videoapp', error: 'invalid_client' })
    expect(everythingIn(errors[0])).toMatch(/log_id: \d{14}/)
    expect(await browser.session()).toBeNull()
  })
})

describe('wrong user info', () => {
  const tokens = { access_token: 't', token_type: 'Bearer', open_id: 'ada' }
  const ok = { code: 'ok', log_id: 'L', message: '' }
  const user = { open_id: 'ada', avatar_url: 'https://x/', display_name: 'Ada', username: 'ada' }

  async function answer(info: unknown, token: object = tokens) {
    const errors: Error[] = []
    const profiles: unknown[] = []
    const network: typeof fetch = async (input) =>
      Response.json(String(input).endsWith('/token/') ? token : info)
    const providers = [videoapp({ ...client, [customFetch]: network })]
    const logger = { error: (error: Error) => errors.push(error) }
    const signIn = ({ profile }: { profile?: unknown }) => profiles.push(profile) > 0
    const browser = new Browser(configWith({ providers, logger, callbacks: { signIn } }))
    return {
      end: errorOf(await browser.signIn('videoapp')),
      errors,
      profiles,
      session: await browser.session(),
    }
  }

  it.each<[string, unknown]>([
    [
      'an error code beside a person',
      { data: { user }, error: { ...ok, code: 'access_token_invalid' } },
    ],
    ['an error code of null', { data: { user }, error: { ...ok, code: null } }],
    ['an error in place of an object', { data: { user }, error: 'internal_error' }],
    ['an envelope without data', { error: ok }],
    ['an envelope without user', { data: {}, error: ok }],
    ['a user that is null', { data: { user: null }, error: ok }],
    ['a user without open_id', { data: { user: { display_name: 'Ada' } }, error: ok }],
    ['another person than the token’s', { data: { user: { ...user, open_id: 'eve' } }, error: ok }],
  ])('no user is signed in by %s', async (_, info) => {
    const { end, session, errors } = await answer(info)
    expect(end).toBe('/auth/signin OAuthCallbackError')
    expect(session).toBeNull()
    expect(errors[0]?.cause).toMatchObject({ provider: 'videoapp' })
  })

  it('error code and log id are logged, as one short line', async () => {
    const evil = `x\r\nforged${'y'.repeat(10_000)}`
    const { errors } = await answer({
      data: {},
      error: { code: evil, log_id: evil, message: evil },
    })
    const lines = everythingIn(errors[0]?.cause)
    expect(lines).toContain('error: x??forged')
    expect(lines.length).toBeLessThan(1_000)
  })

  it('callbacks get the person of `data.user`, even when another one is sent at the top level', async () => {
    const eve = { ...user, open_id: 'eve', display_name: 'Eve' }
    for (const top of [eve, null, []]) {
      const { session, profiles } = await answer({ user: top, data: { user }, error: ok })
      expect(session?.user).toMatchObject({ name: 'Ada' })
      expect(profiles).toEqual([expect.objectContaining({ user, data: { user } })])
    }
  })

  it('a person sent only at the top level is signed in', async () => {
    expect((await answer({ user, error: ok })).session?.user).toMatchObject({ name: 'Ada' })
  })

  it.each([
    [{ email: 'real@example.com' }, 'real@example.com'],
    [{ email: '' }, 'ada'],
    [{ username: '' }, null],
    [{ email: {} }, null],
  ])('the email of %j is %s', async (changes, expected) => {
    const { session } = await answer({ data: { user: { ...user, ...changes } }, error: ok })
    expect(session?.user?.email).toBe(expected)
  })
})
