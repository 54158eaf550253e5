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

/** What takes the place of an option, by its path; `*` stands for any provider. */
export type Instead = Readonly<Record<string, string>>

const OF_SERVICE = 'It is an option of the service: the Worker that answers the auth routes has it.'
const ATTRIBUTES = 'Cookies are always HttpOnly, with Path=/ and SameSite=Lax, and Secure on https.'

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
 * @param instead what takes the place of options of other libraries; without it a line names the option alone
 * @example unknownOptions({ providers, adapter }, 'service') // ['The option adapter does nothing. There is …']
 */
export function unknownOptions(
  config: object,
  by: 'service' | 'adapter',
  instead: Instead = {},
): readonly string[] {
  const given = config as Options
  const isForwarded = by === 'adapter' && given.providers === undefined
  const lines: string[] = []
  const said = (pattern: string) => (Object.hasOwn(instead, pattern) ? instead[pattern] : undefined)
  for (const [path, pattern, otherwise] of isForwarded ? forwarded(given) : served(given, by)) {
    // Of a group that there is not any other member is as the group itself.
    const group = GONE.find((name) => pattern.startsWith(`${name}.`))
    const advice = said(pattern) ?? (group && said(group)) ?? otherwise
    if (lines.push(`The option ${path} does nothing. ${advice}`) === MAX_LINES) break
  }
  return lines
}

type Options = Readonly<Record<string, unknown>>

/** An option that nothing reads. */
type Unknown = readonly [path: string, pattern: string, otherwise: string]

function* served(given: Options, by: 'service' | 'adapter'): Generator<Unknown> {
  yield* among(given, `${OPTIONS.service} ${by === 'service' ? 'raw' : OPTIONS.reader}`)
  for (const name of GROUPS) yield* among(given[name], OPTIONS[name], `${name}.`)
  const { strategy = 'jwt' } = isRecord(given.session) ? given.session : {}
  if (strategy !== 'jwt') yield ['session.strategy', 'session.strategy', MISSPELT]
  yield* ofCookies(given.cookies)
  yield* ofTheme(given.theme)
  if (!Array.isArray(given.providers)) return
  for (const entry of given.providers) yield* ofProvider(entry)
}

function* forwarded(given: Options): Generator<Unknown> {
  const service = OPTIONS.service.split(' ')
  yield* among(given, OPTIONS.forwarded, '', '', (name) =>
    service.includes(name) ? OF_SERVICE : MISSPELT,
  )
  yield* among(given.revocation, OPTIONS.revocation, 'revocation.')
  yield* ofCookies(given.cookies)
}

function* ofCookies(cookies: unknown): Generator<Unknown> {
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

function* ofTheme(theme: unknown): Generator<Unknown> {
  if (!isRecord(theme)) return
  yield* among(theme.links, OPTIONS.themeLinks, 'theme.links.')
  yield* among(theme.colors, OPTIONS.themeColors, 'theme.colors.')
}

function* ofProvider(entry: unknown): Generator<Unknown> {
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
): Generator<Unknown> {
  if (!isRecord(holder)) return
  const names = known.split(' ')
  for (const [name, value] of Object.entries(holder)) {
    if (value === undefined || names.includes(name)) continue
    const isGroup = path === '' && GONE.includes(name) && isRecord(value) && !isEmpty(value)
    if (isGroup) yield* among(value, '', `${name}.`)
    else yield [path + printable(name), pattern + name, otherwise(name)]
  }
}

/** Groups of options that there are not: each of their members is named. */
const GONE = ['jwt', 'experimental']

const MISSPELT = 'Is it misspelt?'

/** A name is the app's own text, and may be anything. */
function printable(name: string): string {
  return name.slice(0, MAX_NAME).replace(/[^\w$.@:/-]+/g, '?')
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
