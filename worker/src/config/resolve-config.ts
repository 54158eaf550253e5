import {
  type AppKey,
  appKeysOf,
  bindingOf,
  parseAuthUrl,
  parseBasePath,
  parseOriginPattern,
  requireSecrets,
  textOf,
  trustedOriginsOf,
  trustHostOf,
} from '@latchkey/host/shared'
import { SecretError } from '@latchkey/session'
import { isRecord, isWorkerd } from '@latchkey/session/internal'
import { MAX_TOKEN_LIFE } from '@latchkey/session/issue'
import { AuthError, InvalidConfiguration, MissingSecret } from '../errors.js'
import { type English, englishOf } from '../languages/english-of.js'
import type { Language } from '../languages/language.js'
import type { Copy } from '../languages/own-texts.js'
import type { Table } from '../languages/texts.js'
import { raw, skipCSRFCheck } from '../lib/symbols.js'
import type { AuthConfig, Callbacks, Environment, Events, ThemeConfig } from '../types.js'
import { type CookieSettings, resolveCookies } from './cookies.js'
import { createLogger, type Log } from './logger.js'
import { needsFeature } from './needs-feature.js'
import type { OriginPolicy } from './origin.js'
import { checkPages } from './own-pages.js'
import { themeOf } from './theme-of.js'

/** The binding `RATE_LIMIT`, as far as it is used. Declarations that apps on Node read name no type of the platform. */
export interface RateLimiter {
  limit(of: { readonly key: string }): Promise<{ readonly success: boolean }>
}

/** A configuration with every default applied, for the routes. Frozen; made once per `env`. */
export interface ResolvedConfig {
  readonly basePath: string
  readonly origin: OriginPolicy
  /** The keys of apps that forward to the service without having its secret. */
  readonly appKeys: readonly AppKey[]
  /** Counts requests by key, roughly and at once; a Worker's binding. */
  readonly rateLimit: RateLimiter | undefined
  readonly session: {
    readonly maxAge: number
    readonly updateAge: number
    readonly tokenMaxAge: number
    readonly absoluteMaxAge: number
  }
  readonly callbacks: Partial<Callbacks>
  readonly events: Partial<Events>
  readonly pages: NonNullable<AuthConfig['pages']>
  readonly logger: Log
  readonly theme: ThemeConfig
  /** The languages of pages and mails, by their tags; English has no entry. */
  readonly languages: ReadonlyMap<string, Language>
  /** The English texts of the core and of the features. */
  readonly english: English
  /** The app's own texts of pages and mails. `undefined`: it has none. */
  readonly copy: Copy | undefined
  readonly cookies: CookieSettings
  readonly raw: boolean
  readonly skipCSRFCheck: boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

const DAY = 24 * 60 * 60

/**
 * Reads the texts of an app's own.
 *
 * @param english the texts of the service
 * @throws {InvalidConfiguration} naming the text, or the parameter
 */
export type ReadOwnTexts = (
  config: AuthConfig,
  env: Environment,
  english: Table,
) => Copy | undefined

/** The further inputs of a configuration, besides the environment. */
export interface ConfigParts {
  /** More languages than English and the configuration's own. */
  readonly languages?: readonly Language[] | undefined
  /** The English texts of its features. Left out: those of the core alone. */
  readonly english?: English | undefined
  /** Reads the app's own texts. Left out: it has none. */
  readonly ownTexts?: ReadOwnTexts | undefined
  /** May strangers have a site below a host? Left out: no wildcard may be configured. */
  readonly isPublicSuffix?: ((host: string) => boolean) | undefined
}

/**
 * Options and environment → one frozen configuration. Never writes to its input.
 *
 * @param now milliseconds since the epoch
 * @param parts the parts of a service besides its configuration
 * @throws {InvalidConfiguration} nothing can be served
 */
export function resolveConfig(
  config: AuthConfig,
  env: Environment,
  now: () => number = Date.now,
  {
    languages = [],
    english = englishOf([]),
    ownTexts,
    isPublicSuffix = noWildcards,
  }: ConfigParts = {},
): ResolvedConfig {
  const configured = authUrlOf(env)
  const basePath = basePathOf(config, env)
  const { pages = {} } = config
  checkPages(pages, (configured?.origin ?? NO_ORIGIN) + basePath)
  return Object.freeze({
    basePath,
    origin: {
      configured: configured?.origin,
      trustHost: config.trustHost ?? trustHostOf(env) ?? false,
      trusted: (config.trustedOrigins ?? trustedOriginsOf(env)).map((text) =>
        parseOriginPattern(text, isPublicSuffix),
      ),
      isHostKnown: isWorkerd || modeOf(env) !== 'production',
    },
    appKeys: appKeysOf(env),
    rateLimit: bindingOf<RateLimiter>(env, 'RATE_LIMIT', 'limit'),
    session: resolveLifetimes(config.session),
    callbacks: config.callbacks ?? {},
    events: config.events ?? {},
    pages,
    logger: createLogger(config.logger, { debug: config.debug, json: logsJson(env), now }),
    theme: themeOf(config.theme, env),
    languages: resolveLanguages(languages, config.languages),
    english,
    copy: ownTexts?.(config, env, english.words.texts),
    cookies: resolveCookies(config, env),
    raw: config.raw === raw,
    skipCSRFCheck: config.skipCSRFCheck === skipCSRFCheck,
    now,
  })
}

function authUrlOf(env: Environment): ReturnType<typeof parseAuthUrl> | undefined {
  const text = textOf(env, 'AUTH_URL')
  return text === undefined ? undefined : parseAuthUrl(text)
}

/** The base path, which features are configured with before the rest is read. @throws {InvalidConfiguration} */
export function basePathOf({ basePath }: AuthConfig, env: Environment): string {
  return parseBasePath(basePath ?? authUrlOf(env)?.basePath ?? '/api/auth')
}

/** Without the list of such hosts a wildcard could let strangers in. @throws {InvalidConfiguration} always */
function noWildcards(host: string): never {
  throw needsFeature(`The trusted origin "*.${host}"`, 'shared-domains')
}

/** `NODE_ENV` of the environment, or else of the process, as Node's frameworks have it. */
function modeOf(env: Environment): unknown {
  const { process } = globalThis as { process?: { env?: Environment } }
  return env.NODE_ENV ?? process?.env?.NODE_ENV
}

/** The first signs, all verify. @throws {MissingSecret} */
export function resolveSecrets(config: AuthConfig, env: Environment): readonly string[] {
  try {
    return requireSecrets(config, env)
  } catch (error) {
    if (error instanceof SecretError) throw new MissingSecret(error.message)
    throw error
  }
}

/** Are lines on the console JSON? @throws {InvalidConfiguration} */
function logsJson(env: Environment): boolean {
  const format = textOf(env, 'AUTH_LOG') ?? 'text'
  if (format === 'json' || format === 'text') return format === 'json'
  throw new InvalidConfiguration('AUTH_LOG must be text or json.')
}

function resolveLifetimes(session: AuthConfig['session'] = {}): ResolvedConfig['session'] {
  const { maxAge = 30 * DAY } = session
  // A session that is used goes on only if it is asked for, and may be extended, well before its end.
  const lifetimes = {
    maxAge,
    updateAge: session.updateAge ?? Math.min(DAY, Math.ceil(maxAge / 10)),
    tokenMaxAge: session.tokenMaxAge ?? Math.min(5 * 60, Math.ceil(maxAge / 2)),
    absoluteMaxAge: session.absoluteMaxAge ?? 90 * DAY,
  }
  for (const [name, value] of Object.entries(lifetimes)) {
    const least = name === 'updateAge' ? 0 : 1
    if (!(Number.isSafeInteger(value) && value >= least)) {
      throw new InvalidConfiguration(
        `session.${name} must be a whole number of seconds, ${least} or more.`,
      )
    }
  }
  if (lifetimes.tokenMaxAge > MAX_TOKEN_LIFE) {
    throw new InvalidConfiguration(
      `session.tokenMaxAge must be at most ${MAX_TOKEN_LIFE} seconds, a day. How long people stay signed in is session.maxAge.`,
    )
  }
  return lifetimes
}

/** @throws {InvalidConfiguration} one is invalid */
function resolveLanguages(
  builtIn: readonly Language[],
  value: unknown = [],
): ResolvedConfig['languages'] {
  const isLanguage = (one: unknown): one is Language =>
    isRecord(one) && typeof one.tag === 'string' && typeof one.load === 'function'
  if (!Array.isArray(value) || !value.every(isLanguage)) {
    throw new InvalidConfiguration(
      'languages is an array of the default exports of @latchkey/worker/languages/….',
    )
  }
  return new Map([...builtIn, ...value].map((one) => [one.tag, one]))
}

/** If no AUTH_URL names our origin, a page that names none is ours. */
const NO_ORIGIN = 'https://own.invalid'

/** Anything thrown while a configuration is made, as a configuration error. */
export function asConfigurationError(error: unknown): AuthError {
  if (error instanceof AuthError) return error
  return new InvalidConfiguration('The configuration could not be made.', { cause: error })
}
