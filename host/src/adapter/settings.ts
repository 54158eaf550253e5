import { AuthError, type WorkerAddress } from '@latchkey/session'
import { type Environment, readVariables } from '../shared/environment.js'
import { parseAuthUrl, parseOriginPattern } from '../shared/origin.js'
import { DEFAULT_BASE_PATH, statedTwice } from '../shared/service-routes.js'
import { isWellKnownSuffix } from '../shared/well-known-suffix.js'
import { ForwardingService } from './forwarding-service.js'
import type { HostConfig } from './host-config.js'
import type { ServiceProcess } from './in-process.js'
import { logErrorOf } from './log-error.js'
import { OldCookies } from './old-cookies.js'
import { debugBy, type Warn, warnBy } from './origin-warnings.js'
import { Origins } from './origins.js'
import type { Reader, Readers, ReaderTools, ServedMark } from './readers.js'
import type { Service } from './service.js'
import {
  addressOf,
  basePathOf,
  checkService,
  configuredBaseOf,
  issuerOf,
  keysOf,
  secretsOf,
} from './service-settings.js'

/** The settings that were made from a configuration and the environment. */
export interface Settings extends Reader {
  readonly config: HostConfig
  /** The configured base path; `undefined`: the mount decides. */
  readonly configuredBase: string | undefined
  /** The service's base path; `undefined`: the mount decides, and no request has shown it yet. */
  readonly basePath: string | undefined
  /** Base path of a service that is mounted at the root. */
  readonly defaultBase: string
  readonly origins: Origins
  /** `undefined`: sessions are read without a service. */
  readonly service: Service | undefined
  /** The Worker, if it is the service. */
  readonly worker: WorkerAddress | undefined
  /** `undefined`: no session of another library moves in. */
  readonly oldCookies: OldCookies | undefined
  /** The secrets for verifying sessions; none if only public keys are known. */
  readonly secrets: readonly string[]
  readonly logError: (error: Error) => void
  readonly warn: Warn
  /** The mistake in the base path, which can be used all the same: a warning's code and text. */
  readonly mistake: ReturnType<typeof statedTwice>
  /** `undefined`: `debug` is off. */
  readonly debug: ((message: string) => void) | undefined
}

/** The adapter's options beside a configuration. */
export interface SettingsParts extends ReaderTools {
  readonly process?: ServiceProcess | undefined
  /** The adapter's function, for messages. */
  readonly name: string
  /**
   * The app's own base path if that is fixed: the auth routes are below it, and the mount does
   * not matter.
   */
  readonly root?: string
  /** The base path below that, if the service runs in this process and nothing names one. Default `/auth`. */
  readonly home?: string
  /** Is the platform in front of the app trusted, if neither an option nor a variable decides? */
  readonly isTrustedPlatform?: (env: Environment) => boolean
  /** Is the app in development? By default, unless `NODE_ENV` is `production`. */
  readonly isDevelopment?: (env: Environment) => boolean
  /** A hint for development, when no keys are configured. */
  readonly keyHint?: string
  /** The entry that has the service, if this one only forwards. */
  readonly wholeEntry?: string
  readonly readers: Readers
}

/**
 * Checks that need no environment. @throws {AuthError} when two services are named, when the one in this process is
 * not in the bundle, or when the base path is invalid
 *
 * @param service is absent in an entry that only forwards
 */
export function checkConfig(
  config: HostConfig,
  {
    name,
    wholeEntry,
    service,
    root = '',
  }: Pick<SettingsParts, 'name' | 'wholeEntry' | 'root'> & { readonly service?: unknown },
): void {
  checkService(config, { workerUrl: undefined })
  if (config.providers !== undefined && !service) throw leftOut(name, wholeEntry)
  configuredBaseOf(rooted(config, root), undefined)
}

/** @throws {AuthError | SecretError | TypeError} when the configuration cannot be used */
export function readSettings(
  config: HostConfig,
  env: Environment,
  { name, root, keyHint, process, wholeEntry, readers, ...parts }: SettingsParts,
): Settings {
  const isDevelopment = parts.isDevelopment?.(env) ?? env.NODE_ENV !== 'production'
  const vars = readVariables(env)
  checkService(config, vars)
  const authUrl = vars.url === undefined ? undefined : parseAuthUrl(vars.url)
  const settings = rooted(config, root ?? '')
  const configured = configuredBaseOf(settings, authUrl?.basePath)
  const isInProcess = config.providers !== undefined
  const home = isInProcess ? parts.home : undefined
  const belowRoot = root || home ? `${root ?? ''}${home ?? DEFAULT_BASE_PATH}` : undefined
  const known = basePathOf(config, vars, configured ?? belowRoot)
  const basePath = root === undefined ? known : (known ?? DEFAULT_BASE_PATH)
  const defaultBase = basePath ?? DEFAULT_BASE_PATH
  if (!isBelow(root ?? '', defaultBase)) {
    throw new AuthError(
      `The base path is ${defaultBase}, and no request for it reaches this app, which is below ${root}.`,
    )
  }
  const worker = addressOf(config, vars, basePath)
  const secrets = secretsOf(config, vars)
  if (isInProcess && !process) throw leftOut(name, wholeEntry)
  // Looked at here, so that a mistake is reported at the start.
  if (isInProcess) process?.check(config, env)
  const reader = readers.reader(
    {
      proofSecrets: vars.appKey === undefined ? secrets : [vars.appKey],
      keys: hinted(() => keysOf(config, vars, secrets, name), isDevelopment ? keyHint : undefined),
      worker,
      served: isInProcess ? markOf(config, secrets) : undefined,
      basePath,
      env,
      issuer: issuerOf(worker, authUrl?.origin, basePath),
      cookie: {
        name: config.cookies?.sessionToken?.name,
        domain: config.cookies?.sessionToken?.options?.domain ?? vars.cookieDomain,
      },
      maxDelay: config.revocation?.maxDelay,
    },
    { ...parts, process },
  )
  const service = isInProcess
    ? process?.serve({ config, basePath, env, ended: reader.ended })
    : worker === undefined
      ? undefined
      : new ForwardingService(worker, defaultBase, name, reader.prover)
  if (service) reader.own?.use(service.address(undefined))
  const { logger } = config
  return {
    ...reader,
    config,
    configuredBase: root === undefined ? configured : basePath,
    basePath,
    defaultBase,
    origins: new Origins({
      configured: authUrl?.origin,
      trustHost:
        config.trustHost ?? vars.trustHost ?? (parts.isTrustedPlatform?.(env) || undefined),
      isDevelopment,
      trusted: (config.trustedOrigins ?? vars.trustedOrigins).map((text) =>
        parseOriginPattern(text, process?.isPublicSuffix ?? isWellKnownSuffix),
      ),
      basePath,
      reading: { online: config.online === true, service: service?.address(undefined) },
    }),
    service,
    worker,
    oldCookies: service && OldCookies.of(config, !isInProcess),
    secrets,
    logError: logErrorOf(config),
    warn: warnBy(logger),
    mistake: statedTwice(settings.basePath, authUrl?.basePath),
    debug: config.debug ? debugBy(logger) : undefined,
  }
}

function leftOut(name: string, wholeEntry: string | undefined): AuthError {
  return new AuthError(
    `\`providers\` runs the auth service in this app, and this entry only forwards to a Worker: import ${name} from '${wholeEntry}', or configure \`worker\`.`,
  )
}

/** The same settings for a copy of the configuration with another `online`. */
export function readOnline(settings: Settings, online: boolean): Settings {
  return { ...settings, origins: settings.origins.with({ online }) }
}

/** @throws {AuthError} with the hint */
function hinted<Result>(work: () => Result, hint: string | undefined): Result {
  if (hint === undefined) return work()
  try {
    return work()
  } catch (error) {
    throw new AuthError(`${error instanceof Error ? error.message : error} ${hint}`)
  }
}

/**
 * `/auth` is below the app's base path; a value that already begins with that path means the same.
 */
function rooted({ basePath }: HostConfig, root: string): { readonly basePath?: string } {
  if (basePath === undefined) return {}
  return { basePath: isBelow(root, basePath) ? basePath : root + basePath }
}

function isBelow(root: string, path: string): boolean {
  return root === '' || path.startsWith(`${root}/`)
}

/** Keeps the services of this process apart for the readers of their feeds. */
function markOf(config: HostConfig, secret: readonly string[]): ServedMark {
  const { session, store, ledgerShards, cookies, trustHost, trustedOrigins, features } = config
  const names = [features ?? []].flat().map((feature) => feature?.name)
  const values = { session, ledgerShards, cookies, trustHost, trustedOrigins, features: names }
  return { values: { ...values, secret }, store: store?.rows ?? store }
}
