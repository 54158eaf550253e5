import { isRecord } from './is-record.js'

/** The options that there are, by what holds them. A test compares them with the types. */
export const OPTIONS = {
  service:
    'providers secret basePath trustHost trustedOrigins session migrateFrom accountDeletion ways secondFactor subject sharedSubjects callbacks events pages logger debug features languages theme cookies store ledgerShards skipCSRFCheck',
  /** An app that serves the auth routes itself has those of the service as well, but for `raw`. */
  reader: 'online revocation',
  /** Of an app that forwards them, or that only reads sessions. */
  forwarded:
    'worker publicKeys basePath secret trustHost trustedOrigins migrateFrom cookies logger debug online revocation',
  session: 'strategy maxAge updateAge tokenMaxAge absoluteMaxAge',
  callbacks: 'signIn redirect jwt session',
  events:
    'signIn signOut session signInNeeded linkAccount unlinkAccount merge resetFactors deletePerson',
  pages: 'signIn signOut error verifyRequest newUser',
  theme: 'colorScheme name logo links brandColor buttonText colors radius font background copy',
  themeLinks: 'terms privacy help',
  themeColors: 'page card ink dim line soft',
  ways: 'merge unlinked',
  revocation: 'maxDelay',
  cookies: 'sessionToken csrfToken flow device locale lastWay',
  cookieOptions: 'domain sameSite',
  oauth:
    'id name type kind clientId clientSecret issuer wellKnown authorization token userinfo revocation revokeOnSignOut client scope connection checks codeChallengeEncoding profile account style allowDangerousEmailAccountLinking variables fromEnvironment defaultIssuer baseUrl userinfoUrl scopeSeparator responseParameters revokes conform idToken issuerOf',
  authorization: 'url params',
  token: 'url params clientPrivateKey',
  userinfo: 'url params request',
  client: 'token_endpoint_auth_method id_token_signed_response_alg',
  connection: 'scopes',
  middleware: 'id name type kind clientId clientSecret profile account style middleware',
  email:
    'id name type kind from maxAge normalizeIdentifier generateVerificationToken sendVerificationRequest service',
  credentials: 'id name type kind credentials authorize',
  webauthn: 'id name type kind rpName rpId origins',
} as const

const NO_DATABASE =
  'There is no user database: your own tables refer to `user.id`, `subject` decides it, and `latchkey import` keeps the ids of before.'
const OF_SERVICE = 'It is an option of the service: the Worker that answers the auth routes has it.'
const OF_APP = 'It is an option of the adapters, for apps before the service.'
const ATTRIBUTES = 'Cookies are always HttpOnly, with Path=/ and SameSite=Lax, and Secure on https.'
const FLOW = 'One sealed cookie holds what a started sign-in needs: `cookies.flow` renames it.'
const TOKEN =
  'The token of a session is of one published format, which any service can verify; `callbacks.jwt` decides what is kept, and `callbacks.session` what is in it.'
const BY_FETCH = 'Wrap the request with `[customFetch]`.'
const PRESET =
  'This provider is of another library: take that of this package, from `providers/<id>`.'
const PASSWORDS =
  'Your own table has the passwords: `credentials({ authorize })` compares them, and its limits of guesses are there.'
const MAILS = '`email()` is a provider that proves an address, with a link and a code.'
const LIMITS = 'Limits are built in; the binding RATE_LIMIT counts for all isolates.'
const CEREMONY =
  'What a passkey needs is fixed; `rpName`, `rpId` and `origins` are what may differ.'

/** What takes the place of an option of Auth.js, of better-auth, or of another part of this library. */
const INSTEAD: Readonly<Record<string, string>> = {
  adapter: NO_DATABASE,
  useSecureCookies: 'Cookies are Secure wherever the public origin is https: AUTH_URL says it.',
  redirectProxyUrl: 'Set AUTH_REDIRECT_PROXY_URL in the environment.',
  raw: 'An adapter makes its framework’s answer itself; `Auth` of @latchkey/worker takes it.',
  worker: OF_APP,
  publicKeys: OF_APP,
  online: OF_APP,
  revocation: OF_APP,
  jwt: TOKEN,
  encode: TOKEN,
  decode: TOKEN,
  'jwt.encode': TOKEN,
  'jwt.decode': TOKEN,
  'jwt.secret': 'Set `secret`, or AUTH_SECRET.',
  'jwt.maxAge':
    '`session.maxAge` says how long people stay signed in, `session.tokenMaxAge` how long one token counts.',
  experimental: 'Nothing is experimental.',
  'experimental.enableWebAuthn': '`passkey()` is a provider like any other.',
  'session.strategy':
    'Sessions are tokens that apps verify, with a record that the service reads: they are listed, and ended within seconds, as those in a database.',
  'session.generateSessionToken': 'A session’s id has 128 random bits, and is no credential.',
  'events.createUser':
    '`events.signIn` has `isNewUser`, and `callbacks.jwt` has `trigger: "signUp"`, at the first sign-in of a person.',
  'events.updateUser': NO_DATABASE,
  'callbacks.authorized':
    'Ask for a session where it is needed: `requireSession()`, `getSession()` or `locals.auth()`.',
  'cookies.sessionToken.options.partitioned': 'With `sameSite: "none"` cookies are partitioned.',
  'cookies.callbackUrl': FLOW,
  'cookies.pkceCodeVerifier': FLOW,
  'cookies.state': FLOW,
  'cookies.nonce': FLOW,
  'cookies.webauthnChallenge': FLOW,
  // better-auth
  appName: '`theme.name` is the name of the site, on pages, in mails and for passkeys.',
  baseURL: 'Set AUTH_URL, the public origin, or `basePath` for the path.',
  secrets: '`secret` may be an array: the first signs, all verify.',
  database: NO_DATABASE,
  secondaryStorage: '`store` says where sessions are kept.',
  emailVerification: MAILS,
  emailAndPassword: PASSWORDS,
  socialProviders: 'List them in `providers`, from `providers/<id>`.',
  plugins:
    'Passkeys and mails are `providers`; second factors are `secondFactor`; several ways to sign in are `ways`.',
  user: NO_DATABASE,
  account: '`ways` has what may be done with several accounts of one person.',
  verification: MAILS,
  rateLimit: LIMITS,
  advanced: '`cookies`, `trustHost`, AUTH_URL and AUTH_COOKIE_DOMAIN have what is in it.',
  databaseHooks: '`callbacks.signIn` decides who may sign in, and `events` say what has happened.',
  onAPIError: '`pages.error` is a page of your own, and `logger` gets every error.',
  hooks: '`callbacks` decide, and `events` say what has happened.',
  disabledPaths: 'What is not configured is not there; leave out the provider.',
  telemetry: 'Nothing is sent to anybody.',
  'session.expiresIn': '`session.maxAge`, in seconds.',
  'session.freshAge':
    'Each place asks for itself: `requireSession({ maxAge })`, or `locals.auth({ maxAge })`.',
  'session.cookieCache':
    'Every session is read from its cookie; `session.tokenMaxAge` says for how long.',
  'session.disableSessionRefresh': '`session.updateAge` as long as `session.maxAge` extends none.',
  'session.deferSessionRefresh':
    'A session is extended where its token is renewed, beside the request.',
  'session.modelName': NO_DATABASE,
  'session.fields': NO_DATABASE,
  'session.additionalFields': '`callbacks.session` puts into the session what the app reads.',
  'session.storeSessionInDatabase': '`store` says where sessions are kept.',
  'session.preserveSessionInDatabase': '`store` says where sessions are kept.',
  // providers
  'providers.*.options': PRESET,
  'providers.*.jwks_endpoint':
    'The keys are those that the document of `issuer` or `wellKnown` names.',
  'providers.*.redirectProxyUrl': 'AUTH_REDIRECT_PROXY_URL is for all providers.',
  'providers.*.apiKey': 'Set AUTH_RESEND_KEY, or send by `sendVerificationRequest`.',
  'providers.*.server':
    'Send by `sendVerificationRequest: ({ mail }) => transport.sendMail(mail)`.',
  'providers.*.secret': 'Set `secret` beside `providers`.',
  'providers.*.httpOptions': BY_FETCH,
  'providers.*.tenantId': '`issuer` names the tenant.',
  'providers.*.enterprise': '`issuer`, or the endpoints, name an instance of your own.',
  'providers.*.token.request': BY_FETCH,
  'providers.*.token.conform': BY_FETCH,
  'providers.*.authorization.request': BY_FETCH,
  'providers.*.userinfo.conform': BY_FETCH,
  'providers.*.relayingParty': CEREMONY,
  'providers.*.getUserInfo': CEREMONY,
  'providers.*.getRelayingParty': CEREMONY,
  'providers.*.simpleWebAuthn': CEREMONY,
  'providers.*.simpleWebAuthnBrowserVersion': CEREMONY,
  'providers.*.enableConditionalUI': 'Passkeys are offered by autofill wherever the browser can.',
  'providers.*.formFields': CEREMONY,
  'providers.*.authenticationOptions': CEREMONY,
  'providers.*.registrationOptions': CEREMONY,
  'providers.*.verifyAuthenticationOptions': CEREMONY,
  'providers.*.verifyRegistrationOptions': CEREMONY,
}

/** A configuration with more of them is something else. */
const MAX_LINES = 100
/** The longest name that is printed, in characters. */
const MAX_NAME = 60

/** Configurations that an adapter has looked at, and made complete for the service. */
const seen = new WeakSet<object>()

/** Has an adapter named what is unknown in it? */
export function isSeen(config: object): boolean {
  return seen.has(config)
}

/** Keeps the service from naming again what the app's adapter has named. */
export function seenOptions<Config extends object>(config: Config): Config {
  seen.add(config)
  return config
}

/**
 * A line for each option that nothing reads, with its path and what takes its place. No value is in it. One that is
 * `undefined` counts as left out, and `session.strategy: 'jwt'` for what it is.
 *
 * @param by whose configuration it is: an adapter's serves the auth routes itself where it has `providers`
 * @example unknownOptions({ providers, adapter }, 'service') // ['The option adapter does nothing. There is …']
 */
export function unknownOptions(config: object, by: 'service' | 'adapter'): readonly string[] {
  const given = config as Options
  const isForwarded = by === 'adapter' && given.providers === undefined
  const lines: string[] = []
  for (const line of isForwarded ? forwarded(given) : served(given, by)) {
    if (lines.push(line) === MAX_LINES) break
  }
  return lines
}

type Options = Readonly<Record<string, unknown>>

function* served(given: Options, by: 'service' | 'adapter'): Generator<string> {
  yield* among(given, `${OPTIONS.service} ${by === 'service' ? 'raw' : OPTIONS.reader}`)
  for (const name of GROUPS) yield* among(given[name], OPTIONS[name], `${name}.`)
  const { strategy = 'jwt' } = isRecord(given.session) ? given.session : {}
  if (strategy !== 'jwt') yield lineOf('session.strategy')
  yield* ofCookies(given.cookies)
  yield* ofTheme(given.theme)
  if (!Array.isArray(given.providers)) return
  for (const entry of given.providers) yield* ofProvider(entry)
}

function* forwarded(given: Options): Generator<string> {
  const service = OPTIONS.service.split(' ')
  yield* among(given, OPTIONS.forwarded, '', '', (name) =>
    service.includes(name) ? OF_SERVICE : MISSPELT,
  )
  yield* among(given.revocation, OPTIONS.revocation, 'revocation.')
  yield* ofCookies(given.cookies)
}

function* ofCookies(cookies: unknown): Generator<string> {
  if (!isRecord(cookies)) return
  yield* among(cookies, OPTIONS.cookies, 'cookies.')
  for (const name of OPTIONS.cookies.split(' ')) {
    const cookie = cookies[name]
    if (!isRecord(cookie)) continue
    yield* among(cookie, 'name options', `cookies.${name}.`)
    const known = name === 'sessionToken' ? OPTIONS.cookieOptions : ''
    yield* among(cookie.options, known, `cookies.${name}.options.`, undefined, () => ATTRIBUTES)
  }
}

function* ofTheme(theme: unknown): Generator<string> {
  if (!isRecord(theme)) return
  yield* among(theme.links, OPTIONS.themeLinks, 'theme.links.')
  yield* among(theme.colors, OPTIONS.themeColors, 'theme.colors.')
}

function* ofProvider(entry: unknown): Generator<string> {
  const provider = typeof entry === 'function' ? made(entry as () => unknown) : entry
  if (!isRecord(provider)) return
  const { id, type } = provider
  const kind = type === 'oidc' ? 'oauth' : provider.middleware ? 'middleware' : type
  // What is of no kind is refused by name.
  if (!PROVIDERS.includes(kind as (typeof PROVIDERS)[number])) return
  const path = `providers.${printable(String(id))}.`
  yield* among(provider, OPTIONS[kind as (typeof PROVIDERS)[number]], path, 'providers.*.')
  if (kind !== 'oauth') return
  for (const name of PARTS) {
    yield* among(provider[name], OPTIONS[name], `${path}${name}.`, `providers.*.${name}.`)
  }
}

const GROUPS = ['session', 'callbacks', 'events', 'pages', 'theme', 'ways', 'revocation'] as const
const PROVIDERS = ['oauth', 'middleware', 'email', 'credentials', 'webauthn'] as const
const PARTS = ['authorization', 'token', 'userinfo', 'client', 'connection'] as const

/** A provider that is a function, which the service calls too. What it throws is told there. */
function made(entry: () => unknown): unknown {
  try {
    return entry()
  } catch {
    return undefined
  }
}

/**
 * @param pattern of what takes the place of an option, where that does not depend on the whole path
 * @param otherwise what takes the place of one that is in no table
 */
function* among(
  holder: unknown,
  known: string,
  path = '',
  pattern = path,
  otherwise = (_: string) => MISSPELT,
): Generator<string> {
  if (!isRecord(holder)) return
  const names = known.split(' ')
  for (const [name, value] of Object.entries(holder)) {
    if (value === undefined || names.includes(name)) continue
    const isGroup = path === '' && GONE.includes(name) && isRecord(value) && !isEmpty(value)
    if (isGroup) yield* among(value, '', `${name}.`, `${name}.`, () => INSTEAD[name] ?? MISSPELT)
    else yield lineOf(path + printable(name), pattern + name, otherwise(name))
  }
}

/** Groups of options that there are not: each of their members is named. */
const GONE = ['jwt', 'experimental']

const MISSPELT = 'Is it misspelt?'

function lineOf(path: string, pattern = path, otherwise = MISSPELT): string {
  const instead = Object.hasOwn(INSTEAD, pattern) ? INSTEAD[pattern] : otherwise
  return `The option ${path} does nothing. ${instead}`
}

/** A name is the app's own text, and may be anything. */
function printable(name: string): string {
  return name.slice(0, MAX_NAME).replace(/[^\w$.@:/-]+/g, '?')
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
