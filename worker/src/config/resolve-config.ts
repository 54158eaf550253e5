import { SecretError } from '@latchkey/session'
import {
  isCookieName,
  parseAuthUrl,
  parseBasePath,
  parseOriginPattern,
  secretsOf,
  textOf,
  trustedOriginsOf,
  trustHostOf,
} from '@latchkey/session/internal'
import { SESSION_COOKIE } from '@latchkey/session/issue'
import { AuthError, InvalidConfiguration, MissingBinding, MissingSecret } from '../errors.js'
import type { AuthBindings } from '../ledger.js'
import { raw, skipCSRFCheck } from '../lib/symbols.js'
import { RecentRevocations } from '../session/recent-revocations.js'
import { durableLedger } from '../stores/durable-ledger.js'
import { guardedStores } from '../stores/guarded-stores.js'
import { kvSessionStore } from '../stores/kv.js'
import type { Stores } from '../stores/ports.js'
import type { AuthConfig, Callbacks, Environment, Events, Logger, ThemeConfig } from '../types.js'
import { deriveKeyRing, type KeyRing } from './key-ring.js'
import { createLogger } from './logger.js'
import type { OriginPolicy } from './origin.js'
import { type Providers, resolveProviders } from './providers.js'

/** A configuration with every default applied: what the routes read. Frozen; made once per `env`. */
export interface ResolvedConfig extends Providers {
  readonly keys: KeyRing
  readonly basePath: string
  readonly origin: OriginPolicy
  readonly stores: Stores
  /** Counts requests by key, roughly and at once; a Worker's binding. */
  readonly rateLimit: RateLimit | undefined
  /** Why no sign-in can be finished, so that none is started. */
  readonly missingBinding: MissingBinding | undefined
  readonly revocations: RecentRevocations
  readonly session: {
    readonly maxAge: number
    readonly updateAge: number
    readonly tokenMaxAge: number
    readonly absoluteMaxAge: number | undefined
  }
  readonly callbacks: Partial<Callbacks>
  readonly events: Partial<Events>
  readonly pages: NonNullable<AuthConfig['pages']>
  readonly logger: Logger
  readonly theme: ThemeConfig
  readonly cookies: CookieSettings
  readonly raw: boolean
  readonly skipCSRFCheck: boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

interface CookieSettings {
  /** Names that the app chose, used as they are; `undefined` for our own with its prefix. */
  readonly names: Readonly<Record<'sessionToken' | 'csrfToken' | 'flow', string | undefined>>
  /** Domain of the session cookie, where it is shared with subdomains. */
  readonly domain: string | undefined
}

/** What a configuration is resolved with besides itself. */
export interface Surroundings {
  readonly env: Environment
  /** Used when the config names no store; `undefined`: the bindings of `env`. */
  readonly fallbackStore?: Stores | undefined
  /** Gives the keys of a list of secrets, from a cache if the caller has one. */
  readonly keyRing?: (secrets: readonly string[], now: () => number) => Promise<KeyRing>
  /**
   * What is known of each ledger's endings, by the config's own ledger or else by `env`: kept by the
   * caller, so that a config that is made anew for each request does not have to ask again.
   */
  readonly revocations?: WeakMap<object, RecentRevocations>
  readonly now?: () => number
}

const DAY = 24 * 60 * 60

/** Names of our cookies before their prefix. */
export const COOKIE_NAMES = {
  sessionToken: SESSION_COOKIE,
  csrfToken: 'auth.csrf-token',
  flow: 'auth.flow',
} as const

/**
 * Options and environment → one frozen configuration. Never writes to its input. What is wrong
 * with single providers is logged here, once, and does not break the others.
 *
 * @throws {AuthError} `MissingSecret`, `InvalidConfiguration`: nothing can be served.
 */
export async function resolveConfig(
  config: AuthConfig,
  surroundings: Surroundings,
): Promise<ResolvedConfig> {
  const { env, now = Date.now, keyRing = deriveKeyRing } = surroundings
  const authUrl = textOf(env, 'AUTH_URL')
  const configured = authUrl === undefined ? undefined : parseAuthUrl(authUrl)
  const logger = createLogger(config.logger, config.debug)
  const providers = resolveProviders(config.providers, env)
  const stores = resolveStores(config, surroundings)
  const missingBinding = stores instanceof MissingBinding ? stores : undefined
  const lifetimes = resolveLifetimes(config.session)
  const guarded = guardedStores(stores)
  const place = config.store?.ledger ?? env
  const revocations =
    surroundings.revocations?.get(place) ??
    new RecentRevocations(guarded.ledger, lifetimes.tokenMaxAge, now)
  surroundings.revocations?.set(place, revocations)
  for (const problem of providers.misconfigured.values()) logger.error(problem)
  if (missingBinding) logger.error(missingBinding)
  if (isWithoutRateLimit(env, providers)) logger.warn('no-rate-limit', NO_RATE_LIMIT)
  const resolved: ResolvedConfig = {
    ...providers,
    keys: await keyRing(resolveSecrets(config, env), now),
    basePath: parseBasePath(config.basePath ?? configured?.basePath ?? '/api/auth'),
    origin: {
      configured: configured?.origin,
      trustHost: config.trustHost ?? trustHostOf(env) ?? false,
      trusted: (config.trustedOrigins ?? trustedOriginsOf(env)).map(parseOriginPattern),
    },
    stores: guarded,
    rateLimit: (env as { RATE_LIMIT?: RateLimit }).RATE_LIMIT,
    missingBinding,
    revocations,
    session: lifetimes,
    callbacks: config.callbacks ?? {},
    events: config.events ?? {},
    pages: config.pages ?? {},
    logger,
    theme: config.theme ?? {},
    cookies: resolveCookies(config, env),
    raw: config.raw === raw,
    skipCSRFCheck: config.skipCSRFCheck === skipCSRFCheck,
    now,
  }
  return Object.freeze(resolved)
}

/** Workers that were told; a config may be made anew for each request. */
const told = new WeakSet<Environment>()

const NO_RATE_LIMIT =
  'The Worker has no binding RATE_LIMIT, so who guesses passwords or asks for mails is slowed down by person only. Add it to wrangler.toml.'

/** A Worker that somebody can guess at. A process of one's own has no such binding. */
function isWithoutRateLimit(env: Environment, { usable }: Providers): boolean {
  const { SESSIONS, RATE_LIMIT } = env
  const isGuessable = [...usable.values()].some(({ type }) => /credentials|email/.test(type))
  if (!SESSIONS || RATE_LIMIT || !isGuessable || told.has(env)) return false
  told.add(env)
  return true
}

function resolveSecrets(config: AuthConfig, env: Environment): readonly string[] {
  try {
    return secretsOf(config, env)
  } catch (error) {
    if (error instanceof SecretError) throw new MissingSecret(error.message)
    throw error
  }
}

function resolveStores(config: AuthConfig, surroundings: Surroundings): Stores | MissingBinding {
  const store = config.store ?? surroundings.fallbackStore
  if (store) return store
  const { SESSIONS, LEDGER } = surroundings.env as Partial<AuthBindings>
  if (SESSIONS && LEDGER) {
    return {
      sessions: kvSessionStore(SESSIONS, surroundings.now),
      ledger: durableLedger(LEDGER, ledgerShards(config, surroundings.env)),
    }
  }
  const names = [SESSIONS ? [] : 'SESSIONS (KV)', LEDGER ? [] : 'LEDGER (Durable Object)'].flat()
  return new MissingBinding(
    `The Worker has no binding ${names.join(' and ')}: add it to wrangler.toml, or set config.store.`,
  )
}

/** The most objects of a ledger: each of them is asked once in four seconds by every isolate. */
const MAX_SHARDS = 64

function ledgerShards({ ledgerShards }: AuthConfig, env: Environment): readonly number[] {
  const given = ledgerShards ?? (textOf(env, 'AUTH_LEDGER_SHARDS') ?? '1').split(',').map(Number)
  const shards = typeof given === 'number' ? [given] : given
  const isNumber = (count: number) => Number.isInteger(count) && count >= 1 && count <= MAX_SHARDS
  if (shards.length === 0 || !shards.every(isNumber)) {
    throw new InvalidConfiguration(
      `AUTH_LEDGER_SHARDS must be whole numbers from 1 to ${MAX_SHARDS}, such as 4, or 1,4.`,
    )
  }
  return shards
}

function resolveLifetimes(session: AuthConfig['session'] = {}): ResolvedConfig['session'] {
  const lifetimes = {
    maxAge: session.maxAge ?? 30 * DAY,
    updateAge: session.updateAge ?? DAY,
    tokenMaxAge: session.tokenMaxAge ?? 5 * 60,
    absoluteMaxAge: session.absoluteMaxAge,
  }
  for (const [name, value] of Object.entries(lifetimes)) {
    const least = name === 'updateAge' ? 0 : 1
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= least)) {
      throw new InvalidConfiguration(`session.${name} must be a whole number of seconds.`)
    }
  }
  return lifetimes
}

function resolveCookies({ cookies = {} }: AuthConfig, env: Environment): CookieSettings {
  const domain = cookies.sessionToken?.options?.domain ?? textOf(env, 'AUTH_COOKIE_DOMAIN')
  const names = {
    sessionToken: cookies.sessionToken?.name,
    csrfToken: cookies.csrfToken?.name,
    flow: cookies.flow?.name,
  }
  for (const name of Object.values(names)) {
    if (name !== undefined && !isCookieName(name)) {
      throw new InvalidConfiguration(`"${name}" is not a cookie name.`)
    }
  }
  if (domain !== undefined && !/^\.?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(domain)) {
    throw new InvalidConfiguration(`The cookie domain "${domain}" is not a domain name.`)
  }
  if (domain !== undefined && /^__host-/i.test(names.sessionToken ?? '')) {
    throw new InvalidConfiguration('A cookie named __Host-… cannot have a domain (RFC 6265bis).')
  }
  return { names, domain }
}

/** Anything thrown while a configuration is made, as an error that says so. */
export function asConfigurationError(error: unknown): AuthError {
  if (error instanceof AuthError) return error
  return new InvalidConfiguration('The configuration could not be made.', { cause: error })
}
