import { isRecord } from '@latchkey/session/internal'
import {
  type Advice,
  among,
  linesOf,
  MISSPELT,
  type Options,
  ofCookies,
  printable,
  SERVICE_OPTIONS,
  type Unknown,
  unknownIn,
} from './unknown-options.js'

/** The options that there are, by what holds them: those of adapters and of providers too. */
export const OPTIONS = {
  ...SERVICE_OPTIONS,
  /** An app that serves the auth routes itself has those of the service as well, but for `raw`. */
  reader: 'online revocation',
  /** For an app that forwards its requests, or that only reads sessions. */
  forwarded:
    'worker publicKeys basePath secret trustHost trustedOrigins migrateFrom cookies logger debug online revocation',
  revocation: 'maxDelay',
  oauth:
    'id name type kind clientId clientSecret issuer wellKnown authorization token userinfo revocation revokeOnSignOut client scope connection checks codeChallengeEncoding profile account style allowDangerousEmailAccountLinking variables fromEnvironment defaultIssuer baseUrl userinfoUrl scopeSeparator responseParameters cancelErrors addsFragment revokes conform idToken issuerOf',
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

const OF_SERVICE = 'It is an option of the service: the Worker that answers the auth routes has it.'

const NO_DATABASE =
  'There is no user database: your own tables refer to `user.id`, `subject` decides it, and `latchkey import` keeps the previous ids.'
const OF_APP = 'It is an option of the adapters, for apps before the service.'
const FLOW = 'One sealed cookie holds what a started sign-in needs: `cookies.flow` renames it.'
const TOKEN =
  'The token of a session has one published format, which any service can verify; `callbacks.jwt` decides what the session keeps, and `callbacks.session` what the token has.'
const BY_FETCH = 'Wrap the request with `[customFetch]`.'
const PRESET =
  'This provider comes from another library: use the one of this package, from `providers/<id>`.'
const PASSWORDS =
  'Your own table has the passwords: `credentials({ authorize })` compares them, and its limits of guesses are there.'
const MAILS = '`email()` is a provider that proves an address, with a link and a code.'
const LIMITS = 'Limits are built in; the binding RATE_LIMIT counts for all isolates.'
const CEREMONY =
  'What a passkey needs is fixed; `rpName`, `rpId` and `origins` are what may differ.'

/** Replacements for options of Auth.js, of better-auth, or of another part of this library. */
const INSTEAD: Advice['instead'] = {
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
  'session.generateSessionToken': 'A session’s id has 128 random bits, and is not a credential.',
  'events.createUser':
    '`events.signIn` has `isNewUser`, and `callbacks.jwt` has `trigger: "signUp"`, at the first sign-in of a person.',
  'events.updateUser': NO_DATABASE,
  'callbacks.authorized':
    'Ask for a session in each route that needs one: `requireSession()`, `getSession()` or `locals.auth()`.',
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
  account: '`ways` has the rules for several accounts of one person.',
  verification: MAILS,
  rateLimit: LIMITS,
  advanced: '`cookies`, `trustHost`, AUTH_URL and AUTH_COOKIE_DOMAIN take its place.',
  databaseHooks: '`callbacks.signIn` decides which users sign in, and `events` report changes.',
  onAPIError: '`pages.error` is a page of your own, and `logger` gets every error.',
  hooks: '`callbacks` decide, and `events` report changes.',
  disabledPaths: 'A feature that is not configured is off; leave out the provider.',
  telemetry: 'Latchkey sends no telemetry.',
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

/** Replacements for options of other libraries, and the options of providers. */
export const ADVICE: Advice = { instead: INSTEAD, ofProvider }

/** The same of the configuration of an adapter, which serves the auth routes itself if it has `providers`. */
export function unknownOfAdapter(config: object): readonly string[] {
  const options = config as Options
  return linesOf(
    options.providers === undefined ? unknownInForwarded(options) : unknownInServed(options),
    ADVICE,
  )
}

function* unknownInServed(options: Options): Generator<Unknown> {
  yield* unknownIn(options, OPTIONS.reader, ADVICE)
  yield* among(options.revocation, OPTIONS.revocation, 'revocation.')
}

function* unknownInForwarded(options: Options): Generator<Unknown> {
  const service = OPTIONS.service.split(' ')
  yield* among(options, OPTIONS.forwarded, '', '', (name) =>
    service.includes(name) ? OF_SERVICE : MISSPELT,
  )
  yield* among(options.revocation, OPTIONS.revocation, 'revocation.')
  yield* ofCookies(options.cookies)
}

function* ofProvider(entry: unknown): Generator<Unknown> {
  const provider = typeof entry === 'function' ? made(entry as () => unknown) : entry
  if (!isRecord(provider)) return
  const { id, type } = provider
  const kind = type === 'oidc' ? 'oauth' : provider.middleware ? 'middleware' : type
  // The service refuses an unknown kind by name.
  if (!PROVIDERS.includes(kind as (typeof PROVIDERS)[number])) return
  const path = `providers.${printable(String(id))}.`
  yield* among(provider, OPTIONS[kind as (typeof PROVIDERS)[number]], path, 'providers.*.')
  if (kind !== 'oauth') return
  for (const name of PARTS) {
    yield* among(provider[name], OPTIONS[name], `${path}${name}.`, `providers.*.${name}.`)
  }
}

const PROVIDERS = ['oauth', 'middleware', 'email', 'credentials', 'webauthn'] as const
const PARTS = ['authorization', 'token', 'userinfo', 'client', 'connection'] as const

/** A provider may be a function, which the service calls too; the service reports its errors. */
function made(entry: () => unknown): unknown {
  try {
    return entry()
  } catch {
    return undefined
  }
}
