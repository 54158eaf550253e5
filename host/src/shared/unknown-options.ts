import { isRecord } from '@latchkey/session/internal'
import { FEATURE_OPTIONS } from './of-features.js'

/** The options of the service, by what holds them; those of features come from their manifests. A test compares them with the types. */
export const SERVICE_OPTIONS = {
  service: `providers secret basePath trustHost trustedOrigins session callbacks events pages logger debug features languages theme cookies store ledgerJurisdiction ledgerShards skipCSRFCheck ${FEATURE_OPTIONS.service}`,
  session: 'strategy maxAge updateAge tokenMaxAge absoluteMaxAge',
  callbacks: 'signIn redirect jwt session',
  events:
    'signIn signOut session signInNeeded linkAccount unlinkAccount merge resetFactors password deletePerson',
  pages: `signIn signOut error ${FEATURE_OPTIONS.pages}`,
  theme: `colorScheme name logo links brandColor buttonText colors radius font background ${FEATURE_OPTIONS.theme}`,
  themeLinks: 'terms privacy help',
  themeColors: 'page card ink dim line soft',
  ways: 'unlinked',
  cookies: 'sessionToken csrfToken flow device locale lastWay',
  cookieOptions: 'domain sameSite',
} as const

const ATTRIBUTES = 'Cookies are always HttpOnly, with Path=/ and SameSite=Lax, and Secure on https.'

/** An object with more options is not a configuration. */
const MAX_LINES = 100
/** The longest name that is printed, in characters. */
const MAX_NAME = 60

/** Configurations that an adapter has looked at, and made complete for the service. */
const seen = new WeakSet<object>()

/** Has an adapter named its unknown options? */
export function isSeen(config: object): boolean {
  return seen.has(config)
}

/** Keeps the service from naming an option again that the app's adapter has named. */
export function seenOptions<Config extends object>(config: Config): Config {
  seen.add(config)
  return config
}

/**
 * A line for each option of a service that nothing reads, with its path and what takes its place. No value is in it. An
 * `undefined` option counts as left out, and `session.strategy: 'jwt'` as known.
 *
 * @param advice replacements for options of other libraries, and the options of providers; without
 * it a line names the option alone
 * @example unknownOptions({ providers, adapter }, ADVICE) // ['The option adapter does nothing. There is …']
 */
export function unknownOptions(config: object, advice?: Advice): readonly string[] {
  return linesOf(unknownIn(config as Options, 'raw', advice), advice)
}

/** The advice has some kilobytes. A service with few features leaves it out. */
export interface Advice {
  /** The replacement for an option of another library, by its path; `*` stands for any provider. */
  readonly instead: Readonly<Record<string, string>>
  /** @param entry as a configuration lists it */
  readonly ofProvider: (entry: unknown) => Iterable<Unknown>
}

/** Lines for options that nothing reads. */
export function linesOf(
  unknowns: Iterable<Unknown>,
  { instead = {} }: Partial<Advice> = {},
): string[] {
  const lines: string[] = []
  const said = (pattern: string) => (Object.hasOwn(instead, pattern) ? instead[pattern] : undefined)
  for (const [path, pattern, otherwise] of unknowns) {
    // If a whole group is unknown, its members get the advice for the group.
    const group = GONE.find((name) => pattern.startsWith(`${name}.`))
    const advice = said(pattern) ?? (group && said(group)) ?? otherwise
    if (lines.push(`The option ${path} does nothing. ${advice}`) === MAX_LINES) break
  }
  return lines
}

export type Options = Readonly<Record<string, unknown>>

/** An option that nothing reads. */
export type Unknown = readonly [path: string, pattern: string, otherwise: string]

/** @param more names beside those of the service */
export function* unknownIn(options: Options, more: string, advice?: Advice): Generator<Unknown> {
  yield* among(options, `${SERVICE_OPTIONS.service} ${more}`)
  for (const name of GROUPS) yield* among(options[name], SERVICE_OPTIONS[name], `${name}.`)
  const { strategy = 'jwt' } = isRecord(options.session) ? options.session : {}
  if (strategy !== 'jwt') yield ['session.strategy', 'session.strategy', MISSPELT]
  yield* ofCookies(options.cookies)
  yield* ofTheme(options.theme)
  if (!advice || !Array.isArray(options.providers)) return
  for (const entry of options.providers) yield* advice.ofProvider(entry)
}

export function* ofCookies(cookies: unknown): Generator<Unknown> {
  if (!isRecord(cookies)) return
  yield* among(cookies, SERVICE_OPTIONS.cookies, 'cookies.')
  for (const name of SERVICE_OPTIONS.cookies.split(' ')) {
    const cookie = cookies[name]
    if (!isRecord(cookie)) continue
    yield* among(cookie, 'name options', `cookies.${name}.`)
    const names = name === 'sessionToken' ? SERVICE_OPTIONS.cookieOptions : ''
    yield* among(cookie.options, names, `cookies.${name}.options.`, undefined, () => ATTRIBUTES)
  }
}

function* ofTheme(theme: unknown): Generator<Unknown> {
  if (!isRecord(theme)) return
  yield* among(theme.links, SERVICE_OPTIONS.themeLinks, 'theme.links.')
  yield* among(theme.colors, SERVICE_OPTIONS.themeColors, 'theme.colors.')
}

const GROUPS = ['session', 'callbacks', 'events', 'pages', 'theme', 'ways'] as const
/**
 * @param pattern of what takes the place of an option, if that does not depend on the whole path
 * @param otherwise what takes the place of one that is in no table
 */
export function* among(
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

export const MISSPELT = 'Is it misspelt?'

/** A name is the app's own text, and may be anything. */
export function printable(name: string): string {
  return name.slice(0, MAX_NAME).replace(/[^\w$.@:/-]+/g, '?')
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}
