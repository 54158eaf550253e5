import { bindingOf, isFirstTime } from '@latchkey/host/shared'
import { isWorkerd, within } from '@latchkey/session/internal'
import type { Log } from '../config/logger.js'
import {
  basePathOf,
  type ResolvedConfig,
  resolveConfig,
  resolveSecrets,
} from '../config/resolve-config.js'
import { InvalidConfiguration, MissingBinding, ProviderMisconfigured } from '../errors.js'
import type { Providers } from '../http/kind.js'
import { ProcessCounter } from '../http/process-counter.js'
import type { ServiceParts } from '../http/request.js'
import { englishOf } from '../languages/english-of.js'
import type { Language } from '../languages/language.js'
import type { AuthBindings } from '../ledger.js'
import { deriveKeyRing, type KeyRing } from '../lib/key-ring.js'
import { siteName } from '../pages/theme.js'
import { resolveProviders } from '../sign-in/kinds.js'
import { UsedFlows } from '../sign-in/use-up.js'
import { collectedRevocations } from '../stores/collected-revocations.js'
import { durableLedger } from '../stores/durable-ledger.js'
import { guardedStores } from '../stores/guarded-stores.js'
import { kvSessionStore } from '../stores/kv.js'
import { drawSid, type Region } from '../stores/ledger/placement.js'
import { ledgerJurisdiction } from '../stores/ledger-jurisdiction.js'
import { ledgerObjects } from '../stores/ledger-objects.js'
import type { Stores, StoreWarning } from '../stores/ports.js'
import { portsOf } from '../stores/ports-of.js'
import { RecentRevocations } from '../stores/recent-revocations.js'
import { reshardingLedger } from '../stores/resharding-ledger.js'
import type { AuthConfig, Environment } from '../types.js'
import { checkAbsent } from './absent.js'
import type { Feature } from './feature.js'
import { withNeeds } from './feature-list.js'
import { FeatureSet } from './feature-set.js'
import { OWN_OPERATIONS } from './own-operations.js'

/** The parts of a service besides its configuration. */
export interface Surroundings {
  readonly env: Environment
  /** Used when the config names no store; `undefined`: the bindings of `env`. */
  readonly fallbackStore?: (() => Stores) | undefined
  /** Gives the keys of a list of secrets, from a cache if the caller has one. */
  readonly keyRing?: (secrets: readonly string[], now: () => number) => Promise<KeyRing>
  /**
   * The recent endings of each ledger, by the config's own ledger or else by `env`. The caller
   * keeps them, so that a config that is made for each request does not query again.
   */
  readonly revocations?: WeakMap<object, RecentRevocations>
  readonly now?: () => number
  /** Default: nothing. */
  readonly builtIn?: BuiltIn | undefined
  /** Warns of mistakes in an app's configuration that do not stop the service. */
  readonly inspect?: Inspect | undefined
  /** Near which region the isolate is, as far as that is known. */
  readonly near?: Region | undefined
}

/** The parts of a service that do not come from its configuration: all of them, or none. */
export interface BuiltIn {
  readonly features: readonly Feature[]
  readonly languages: readonly Language[]
  /** Lines that the log has once for each environment, beside those of the features. */
  readonly warnings?: (config: AuthConfig, env: Environment) => readonly StoreWarning[]
}

export type Inspect = (config: AuthConfig, warn: Log['warn'], env?: Environment) => void

/**
 * Configuration and environment → everything that serves requests. Mistakes in single providers are
 * logged here, once, and do not break the others.
 *
 * @throws {AuthError} `MissingSecret`, `InvalidConfiguration`: nothing can be served.
 */
export async function composeService(
  given: AuthConfig,
  surroundings: Surroundings,
): Promise<ServiceParts> {
  const { env, now = Date.now, keyRing = deriveKeyRing } = surroundings
  const list = withNeeds(surroundings.builtIn?.features ?? [], given.features)
  checkAbsent(list, given, env)
  const secrets = () => resolveSecrets(given, env)
  const around = { env, basePath: basePathOf(given, env), secrets, now }
  const features = new FeatureSet(list, given, around, OWN_OPERATIONS)
  const { ownTexts, isPublicSuffix } = features.ports
  const config = resolveConfig(given, env, now, {
    languages: surroundings.builtIn?.languages,
    english: englishOf(list),
    ownTexts,
    isPublicSuffix,
  })
  surroundings.inspect?.(given, config.logger.warn, env)
  const site = siteName(config.theme.name)
  const providers = resolveProviders(given.providers, env, site, features.kinds, features.providers)
  const bindings = storesOf(given, surroundings, config.logger)
  const keys = await keyRing(secrets(), now)
  const claim = await claimOf(bindings, keys, config)
  const stores = guardedStores(bindings, undefined, claim)
  const missingBinding = bindings instanceof MissingBinding ? bindings : undefined
  const place = given.store && 'ledger' in bindings ? bindings.ledger : env
  const window = Math.max(config.session.tokenMaxAge, features.tokenLife)
  const revocations =
    surroundings.revocations?.get(place) ??
    new RecentRevocations(
      stores.revocations ?? { revokedSince: (since) => stores.ledger.revokedSince(since) },
      window,
      now,
    )
  surroundings.revocations?.set(place, revocations)
  revocations.cover(window)
  const { logger } = config
  for (const problem of problemsOf(providers)) {
    // A config may be made for each request, and for each path at which an app mounts it.
    if (isFirstTime(given.logger ?? env, problem.message)) logger.error(problem)
  }
  if (missingBinding) logger.error(missingBinding)
  if (isWithoutRateLimit(env, config, providers)) logger.warn('no-rate-limit', NO_RATE_LIMIT)
  const warnings = [
    ...features.warnings(around),
    ...(surroundings.builtIn?.warnings?.(given, env) ?? []),
  ]
  for (const [code, line] of warnings) {
    if (isFirstTime(env, line)) logger.warn(code, line)
  }
  if (isUnprotected(env, config)) logger.warn('session-cookie-name', UNPROTECTED)
  const parts = { config, keys, stores, revocations, providers, features, missingBinding }
  return Object.freeze({ ...parts, ...ofProcess(env) })
}

/** Providers without an id, as an app lists them before it has any, are one line together. */
function problemsOf({ misconfigured }: Providers): readonly ProviderMisconfigured[] {
  const all = [...misconfigured.values()]
  const variables = all.flatMap(({ lacks }) => lacks ?? [])
  if (variables.length < 2) return all
  const together = new ProviderMisconfigured(
    `${variables.length} providers have no client id, and are not offered: set it in their options or in the environment (${variables.join(', ')}).`,
  )
  return [together, ...all.filter(({ lacks }) => lacks === undefined)]
}

/** The counts and the seen endings of a process. */
type OfProcess = Pick<ServiceParts, 'counts' | 'usedFlows'>

/**
 * By its environment: a Worker's own bindings, or the variables of Node. A config that is made for
 * each request, with its store, begins no new count.
 */
const processes = new WeakMap<Environment, OfProcess>()

function ofProcess(env: Environment): OfProcess {
  const process = processes.get(env) ?? {
    counts: new ProcessCounter(),
    usedFlows: new UsedFlows(),
  }
  processes.set(env, process)
  return process
}

function storesOf(
  config: AuthConfig,
  { env, fallbackStore, now, near }: Surroundings,
  logger: Log,
) {
  const store = config.store ?? fallbackStore?.()
  if (store) {
    if (ledgerJurisdiction(config, env)) throw new InvalidConfiguration(NOT_OF_STORES)
    return portsOf(store)
  }
  const SESSIONS = sessionsIn(env)
  const objects = ledgerObjects(config, env)
  if (SESSIONS && objects) {
    const { namespace, layouts: shards, claim } = objects
    const seen = durableLedger(namespace, shards)
    const ledger = reshardingLedger(namespace, shards, seen, now ?? Date.now, () => {
      if (isFirstTime(env, HANDED_OVER)) logger.warn('ledger-number', HANDED_OVER)
    })
    const revocations = collectedRevocations(namespace, shards, near)
    return {
      sessions: kvSessionStore(SESSIONS, now),
      ledger,
      ...(revocations ? { revocations } : {}),
      ...(claim ? { claim } : {}),
      drawSid: (sub: string, near?: Region, random?: string) => drawSid(shards, sub, near, random),
    }
  }
  if (!isWorkerd && !SESSIONS && !objects) return new MissingBinding(NO_STORE)
  const names = [SESSIONS ? [] : 'SESSIONS (KV)', objects ? [] : 'LEDGER (Durable Object)'].flat()
  return new MissingBinding(
    `The Worker has no binding ${names.join(' and ')}: add it to wrangler.toml, or set config.store.`,
  )
}

const NOT_OF_STORES =
  'AUTH_LEDGER_JURISDICTION is for Durable Objects, and this service has a store of its own: remove it.'

const NO_STORE =
  'There is no store: createAuth does not read AUTH_STORE. Set config.store, such as openStore(process.env.AUTH_STORE) of @latchkey/worker/stores/sqlite, stores/postgres or stores/redis.'

function sessionsIn(env: Environment) {
  return bindingOf<AuthBindings['SESSIONS']>(env, 'SESSIONS', 'get')
}

/**
 * A store that has not named its owner within this time does so before the first call.
 * Milliseconds.
 */
const CLAIM_WAIT = 1_000

/**
 * Claims a store that other services could be led to as well. One that is out of reach is claimed by the first call that
 * reaches it.
 *
 * @returns what comes before each call; `undefined`: nothing
 * @throws {InvalidConfiguration} it is another service's
 */
async function claimOf(
  stores: Stores | MissingBinding,
  keys: KeyRing,
  { origin, logger }: ResolvedConfig,
): Promise<(() => Promise<unknown>) | undefined> {
  if (stores instanceof MissingBinding || !stores.claim) return undefined
  const { configured } = origin
  const [secrets, urls] = await Promise.all([
    keys.storeMarks(''),
    configured === undefined ? [] : keys.storeMarks(configured),
  ])
  const claim = async () => {
    for (const [code, text] of (await stores.claim?.({ secrets, urls })) ?? []) {
      if (isFirstTime(stores.ledger, text)) logger.warn(code, text)
    }
  }
  const first = claim().catch((error) => {
    if (error instanceof InvalidConfiguration) throw error
  })
  // If it comes late, no caller waits for it any more.
  first.catch(() => {})
  await within(CLAIM_WAIT, first)
  return claim
}

const NO_RATE_LIMIT =
  'The Worker has no binding RATE_LIMIT, so guesses of passwords and requests for mails are counted by network in each isolate alone. Add it to wrangler.toml.'

/** Only a Worker can have the binding; a Node process is not warned. */
function isWithoutRateLimit(
  env: Environment,
  { rateLimit }: ResolvedConfig,
  { usable }: Providers,
): boolean {
  const isGuessable = [...usable.values()].some(({ kind }) => kind.isGuessable)
  return isGuessable && !rateLimit && Boolean(sessionsIn(env)) && isFirstTime(env, NO_RATE_LIMIT)
}

const HANDED_OVER =
  'The ledger’s objects of the older numbers in AUTH_LEDGER_SHARDS have transferred all their documents. Wait for the longest of session.maxAge, 15 minutes and the time until the last `until` of migrateFrom. Then remove the older numbers.'

const UNPROTECTED =
  'cookies.sessionToken.name has no prefix, so other hosts of the domain can set this cookie. On https begin it with __Host-, or with __Secure- where it has a domain.'

/** A name without a prefix is all that http allows. */
function isUnprotected(env: Environment, { cookies, origin }: ResolvedConfig): boolean {
  const name = cookies.names.sessionToken
  if (name === undefined || /^__(?:Host|Secure)-/.test(name)) return false
  return !origin.configured?.startsWith('http:') && isFirstTime(env, `${UNPROTECTED} ${name}`)
}
