import type { AuthConfig as AuthjsConfig } from '@auth/core'
import { ADVICE, OPTIONS, unknownOptions as unknown } from '@latchkey/host/shared'
import type { BetterAuthOptions } from 'better-auth'
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { createAuth as coreAuth } from '../core.js'
import { Auth, createAuth } from '../index.js'
import { PRESETS } from '../presets/preset-table.js'
import apple from '../providers/apple.js'
import credentials from '../providers/credentials.js'
import email from '../providers/email.js'
import fromHono from '../providers/from-hono.js'
import github from '../providers/github.js'
import gitlab from '../providers/gitlab.js'
import oidc from '../providers/oidc.js'
import passkey from '../providers/passkey.js'
import { configWith, origin } from '../test-support/browser.js'
import type {
  AuthConfig,
  Callbacks,
  CredentialsConfig,
  EmailConfig,
  Events,
  MiddlewareConfig,
  OAuthConfig,
  OIDCConfig,
  PasskeyConfig,
  SessionLifetimes,
  ThemeConfig,
  WaysConfig,
} from '../types.js'

const unknownOptions = (config: object) => unknown(config, ADVICE)

afterEach(() => vi.restoreAllMocks())

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}`
  ? First | Words<Rest>
  : Text
type Named<Holder extends keyof typeof OPTIONS> = Words<(typeof OPTIONS)[Holder]>
/** A symbol, such as `customFetch`, is never misspelt. */
type Names<Holder> = Exclude<keyof Holder, symbol>
type Cookies = NonNullable<AuthConfig['cookies']>
type Parts = Required<OAuthConfig>

it('the options that are known are those of the types', () => {
  expectTypeOf<Named<'service'>>().toEqualTypeOf<Exclude<Names<AuthConfig>, 'raw'>>()
  expectTypeOf<Named<'session'>>().toEqualTypeOf<Names<SessionLifetimes>>()
  expectTypeOf<Named<'callbacks'>>().toEqualTypeOf<Names<Callbacks>>()
  expectTypeOf<Named<'events'>>().toEqualTypeOf<Names<Events>>()
  expectTypeOf<Named<'pages'>>().toEqualTypeOf<Names<NonNullable<AuthConfig['pages']>>>()
  expectTypeOf<Named<'theme'>>().toEqualTypeOf<Names<ThemeConfig>>()
  expectTypeOf<Named<'themeLinks'>>().toEqualTypeOf<keyof NonNullable<ThemeConfig['links']>>()
  expectTypeOf<Named<'themeColors'>>().toEqualTypeOf<keyof NonNullable<ThemeConfig['colors']>>()
  expectTypeOf<Named<'ways'>>().toEqualTypeOf<Names<WaysConfig>>()
  expectTypeOf<Named<'cookies'>>().toEqualTypeOf<Names<Cookies>>()
  expectTypeOf<Named<'cookieOptions'>>().toEqualTypeOf<
    Names<NonNullable<NonNullable<Cookies['sessionToken']>['options']>>
  >()
  expectTypeOf<Named<'oauth'>>().toEqualTypeOf<Names<OAuthConfig> | Names<OIDCConfig>>()
  expectTypeOf<Named<'authorization'>>().toEqualTypeOf<
    keyof Exclude<Parts['authorization'], string>
  >()
  expectTypeOf<Named<'client'>>().toEqualTypeOf<keyof Parts['client']>()
  expectTypeOf<Named<'connection'>>().toEqualTypeOf<keyof Parts['connection']>()
  expectTypeOf<Named<'middleware'>>().toEqualTypeOf<Names<MiddlewareConfig>>()
  expectTypeOf<Named<'email'>>().toEqualTypeOf<Names<EmailConfig>>()
  expectTypeOf<Named<'credentials'>>().toEqualTypeOf<Names<CredentialsConfig>>()
  expectTypeOf<Named<'webauthn'>>().toEqualTypeOf<Names<PasskeyConfig>>()
})

/** Every option of `AuthConfig` of @auth/core 0.41, with those that are nested, by their holder. */
const AUTHJS = {
  '': 'providers secret session jwt pages callbacks events adapter debug logger theme useSecureCookies cookies trustHost skipCSRFCheck raw redirectProxyUrl experimental basePath',
  session: 'strategy maxAge updateAge generateSessionToken',
  callbacks: 'signIn redirect session jwt',
  events: 'signIn signOut createUser updateUser linkAccount session',
  pages: 'signIn signOut error verifyRequest newUser',
  theme: 'colorScheme logo brandColor buttonText',
  jwt: 'secret maxAge encode decode',
  experimental: 'enableWebAuthn',
  cookies: 'sessionToken callbackUrl csrfToken pkceCodeVerifier state nonce webauthnChallenge',
  'cookies.sessionToken': 'name options',
  'cookies.sessionToken.options':
    'domain encode expires httpOnly maxAge partitioned path priority sameSite secure',
} as const

/** The options of its providers. */
const AUTHJS_PROVIDERS = {
  oauth:
    'checks options jwks_endpoint issuer wellKnown authorization token userinfo profile account clientId clientSecret client style allowDangerousEmailAccountLinking redirectProxyUrl',
  oidc: 'idToken checks jwks_endpoint redirectProxyUrl',
  email:
    'from maxAge sendVerificationRequest secret apiKey server generateVerificationToken normalizeIdentifier options',
  credentials: 'credentials authorize options',
  webauthn:
    'relayingParty getRelayingParty getUserInfo simpleWebAuthn simpleWebAuthnBrowserVersion enableConditionalUI formFields authenticationOptions registrationOptions verifyAuthenticationOptions verifyRegistrationOptions',
} as const

/** Every option of `BetterAuthOptions` of better-auth 1.7. */
const BETTER_AUTH = {
  '': 'appName baseURL basePath secret secrets database secondaryStorage emailVerification emailAndPassword socialProviders plugins user session account verification trustedOrigins rateLimit advanced logger databaseHooks onAPIError hooks disabledPaths telemetry experimental',
  session:
    'modelName fields additionalFields expiresIn updateAge disableSessionRefresh deferSessionRefresh storeSessionInDatabase preserveSessionInDatabase cookieCache freshAge',
} as const

it('the options of the other libraries are all there', () => {
  type All<Options> = keyof NonNullable<Options>
  type Auth = Words<(typeof AUTHJS)['']>
  expectTypeOf<Auth>().toEqualTypeOf<keyof AuthjsConfig>()
  expectTypeOf<Words<(typeof AUTHJS)['session']>>().toEqualTypeOf<All<AuthjsConfig['session']>>()
  expectTypeOf<Words<(typeof AUTHJS)['callbacks']>>().toEqualTypeOf<
    All<AuthjsConfig['callbacks']>
  >()
  expectTypeOf<Words<(typeof AUTHJS)['events']>>().toEqualTypeOf<All<AuthjsConfig['events']>>()
  expectTypeOf<Words<(typeof AUTHJS)['pages']>>().toEqualTypeOf<All<AuthjsConfig['pages']>>()
  expectTypeOf<Words<(typeof AUTHJS)['cookies']>>().toEqualTypeOf<All<AuthjsConfig['cookies']>>()
  expectTypeOf<Words<(typeof BETTER_AUTH)['']>>().toEqualTypeOf<keyof BetterAuthOptions>()
  expectTypeOf<Words<(typeof BETTER_AUTH)['session']>>().toEqualTypeOf<
    All<BetterAuthOptions['session']>
  >()
})

/** Paths of the options, each as a configuration that has it alone. */
function cases(options: Readonly<Record<string, string>>): [path: string, config: AuthConfig][] {
  return Object.entries(options).flatMap(([holder, names]) =>
    names.split(' ').map((name): [string, AuthConfig] => {
      const path = holder ? `${holder}.${name}` : name
      const config = path
        .split('.')
        .reduceRight<unknown>((inner, key) => ({ [key]: inner }), 'the-value')
      return [path, config as AuthConfig]
    }),
  )
}

const KNOWN = new Set(
  [
    'providers secret session pages callbacks events debug logger theme cookies trustHost skipCSRFCheck raw basePath trustedOrigins',
    'session.maxAge session.updateAge callbacks.signIn callbacks.redirect callbacks.session callbacks.jwt',
    'events.signIn events.signOut events.linkAccount events.session',
    'pages.signIn pages.signOut pages.error pages.verifyRequest pages.newUser',
    'theme.colorScheme theme.logo theme.brandColor theme.buttonText',
    'cookies.sessionToken cookies.csrfToken cookies.sessionToken.name cookies.sessionToken.options',
    'cookies.sessionToken.options.domain cookies.sessionToken.options.sameSite',
  ].flatMap((names) => names.split(' ')),
)

describe('an option of another library is known here, or is named with what takes its place', () => {
  it.each([...cases(AUTHJS), ...cases(BETTER_AUTH)])('%s', (path, config) => {
    const lines = unknownOptions(config)
    if (KNOWN.has(path)) return expect(lines).toEqual([])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(`The option ${path} does nothing. `)
    expect(lines[0]).not.toContain('misspelt')
  })

  const providers = Object.entries(AUTHJS_PROVIDERS).flatMap(([type, names]) =>
    names.split(' ').map((name) => [type, name] as const),
  )
  it.each(providers)('a provider’s option, of type %s: %s', (type, name) => {
    const provider = { id: 'mine', name: 'Mine', type, [name]: 'x' }
    const lines = unknownOptions({ providers: [() => provider] })
    const kind = (type === 'oidc' ? 'oauth' : type) as keyof typeof OPTIONS
    const known: string = OPTIONS[kind]
    if (known.split(' ').includes(name)) return expect(lines).toEqual([])
    expect(lines).toEqual([expect.stringContaining(`The option providers.mine.${name} does`)])
    expect(lines[0]).not.toContain('misspelt')
  })

  it.each([
    ['token', { request: () => ({}) }],
    ['token', { conform: () => ({}) }],
    ['authorization', { request: () => ({}) }],
  ])('an endpoint’s option: %s %o', (endpoint, given) => {
    const provider = { id: 'mine', name: 'Mine', type: 'oauth', [endpoint]: given }
    const [name] = Object.keys(given)
    expect(unknownOptions({ providers: [provider] })).toEqual([
      expect.stringMatching(`^The option providers.mine.${endpoint}.${name} does nothing. Wrap`),
    ])
  })
})

describe('nothing is said', () => {
  it.each<[string, object]>([
    ['of strategy: "jwt"', { session: { strategy: 'jwt' } }],
    ['of undefined', { adapter: undefined, session: { strategy: undefined, x: undefined } }],
    ['an empty group', { jwt: undefined, session: {}, cookies: {}, events: {} }],
    ['a logger that is a whole library', { logger: console }],
  ])('%s', (_, config) => {
    expect(unknownOptions(config)).toEqual([])
  })

  it('our presets, with every option of their own', () => {
    const key = { teamId: 'x', keyId: 'y', privateKey: 'z' }
    const providers = [
      ...PRESETS.map(([, preset]) => preset),
      apple(key as never),
      github({ enterprise: { baseUrl: 'https://github.example.com' }, style: { text: '#fff' } }),
      gitlab({ baseUrl: 'https://gitlab.example.com' }),
      oidc({ id: 'x', idToken: true, token: { clientPrivateKey: {} as CryptoKey } }),
      email({ from: 'a@example.com', sendVerificationRequest() {} }),
      passkey({ rpName: 'x', rpId: 'example.com', origins: [] }),
      credentials({ credentials: { a: {} }, authorize: () => null }),
      fromHono({ id: 'y', name: 'Y', middleware: () => async () => {} }),
    ]
    expect(unknownOptions({ providers })).toEqual([])
  })
})

describe('an unknown option is one line at the start', () => {
  const unknown = { adapter: { secret: 'the-value' }, session: { strategy: 'database' } }
  const lines = [
    ['unknown-option', expect.stringContaining('The option adapter does nothing. ')],
    ['unknown-option', expect.stringContaining('The option session.strategy does nothing. ')],
  ]

  it('a configuration object: before any request, and never again', async () => {
    const warn = vi.fn()
    const auth = createAuth(configWith({ ...(unknown as object), logger: { warn } }))
    expect(warn.mock.calls).toEqual(lines)
    for (const env of [{}, {}]) await auth.request('/auth/csrf', {}, env)
    expect(warn.mock.calls).toEqual(lines)
  })

  it('a function’s options: at its first use, though each request has a new configuration', async () => {
    const warn = vi.fn()
    const auth = createAuth(() => configWith({ ...(unknown as object), logger: { warn } }))
    expect(warn).not.toHaveBeenCalled()
    for (const env of [{}, {}, {}]) await auth.request('/auth/csrf', {}, env)
    expect(warn.mock.calls).toEqual(lines)
  })

  it('the configuration of Auth: once for each', async () => {
    const warn = vi.fn()
    const config = configWith({ ...(unknown as object), logger: { warn } })
    for (let request = 0; request < 3; request++) {
      await Auth(new Request(`${origin}/auth/csrf`), config)
    }
    expect(warn.mock.calls).toEqual(lines)
  })

  it('on the console it is a warning without any value', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { logger: _, ...config } = configWith(unknown as object)
    createAuth(config)
    expect(warn.mock.calls.flat()).toEqual([
      expect.stringMatching(/^\[auth\]\[warn\] \S+ unknown-option: The option adapter does/),
      expect.stringMatching(/^\[auth\]\[warn\] \S+ unknown-option: The option session.strategy/),
    ])
    expect(warn.mock.calls.join()).not.toContain('the-value')
  })

  it('a name is printed in part, on one line, and there are a hundred lines at most', () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `${at}\n[auth]${'x'.repeat(1_000)}`)
    const found = unknownOptions(Object.fromEntries(names.map((name) => [name, 1])))
    expect(found).toHaveLength(100)
    for (const line of found) expect(line).toMatch(/^The option \d+\?auth\?x+ does .{0,100}$/)
  })

  it('members of Object.prototype are not options with advice', () => {
    const config = JSON.parse('{ "constructor": 1, "__proto__": 2, "toString": 3 }')
    expect(unknownOptions(config)).toHaveLength(3)
    for (const line of unknownOptions(config)) expect(line).toMatch(/Is it misspelt\?$/)
  })
})

describe('a base path that is said twice is one line', () => {
  const path = [
    'env-url-basepath-redundant',
    expect.stringContaining('repeats the path of AUTH_URL'),
  ]
  const other = [
    'env-url-basepath-mismatch',
    expect.stringMatching(/`basePath` is \/auth, which counts, .* AUTH_URL is \/api\/auth:/),
  ]

  it.each([
    ['/auth', 'https://example.com/auth', path],
    ['/auth/', 'https://example.com/auth/', path],
    ['/auth', 'https://example.com/api/auth', other],
    ['/auth', 'https://example.com', undefined],
    [undefined, 'https://example.com/auth', undefined],
    ['/auth', undefined, undefined],
  ])('basePath %s, AUTH_URL %s', async (basePath, AUTH_URL, line) => {
    const warn = vi.fn()
    const { basePath: _, ...config } = configWith({ logger: { warn } })
    const auth = createAuth(() => ({ ...config, ...(basePath ? { basePath } : {}) }))
    for (let request = 0; request < 2; request++) {
      const answer = await auth.request('/auth/csrf', {}, { AUTH_URL })
      expect(answer.status).toBe(basePath || AUTH_URL?.endsWith('/auth') ? 200 : 404)
    }
    expect(warn.mock.calls).toEqual(line ? [line] : [])
  })
})

it('a service without features names what is unknown, and no other library', () => {
  const warn = vi.fn()
  coreAuth({
    ...configWith({ providers: [] }),
    adapter: {},
    jwt: { secret: 'x' },
    logger: { warn },
  } as object as AuthConfig)
  expect(warn.mock.calls.map(([, line]) => line)).toEqual([
    'The option adapter does nothing. Is it misspelt?',
    'The option jwt.secret does nothing. Is it misspelt?',
  ])
})
