import { type Environment, readVariables } from '../internal/environment.js'
import { AuthError } from '../internal/errors.js'
import { parseAuthUrl, parseOriginPattern } from '../internal/origin.js'
import { DEFAULT_BASE_PATH } from '../internal/service-routes.js'
import type { WorkerAddress } from '../verifier/worker-client.js'
import { Forwarded } from './forwarded.js'
import type { HostConfig } from './host-config.js'
import { InProcess, type ServiceProcess } from './in-process.js'
import { type Warn, warnBy } from './origin-warnings.js'
import { Origins } from './origins.js'
import type { Reader, Readers } from './readers.js'
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

/** A configuration with what the environment says, and what was made of both. */
export interface Settings extends Reader {
  /** What the configuration calls the base path; `undefined`: the mount says. */
  readonly configuredBase: string | undefined
  /** Base path of a service that is mounted at the root. */
  readonly defaultBase: string
  readonly origins: Origins
  /** `undefined`: sessions are read, and nobody is asked about them. */
  readonly service: Service | undefined
  /** The Worker, where it is the service. */
  readonly worker: WorkerAddress | undefined
  /** Of the keys that sessions are verified with; none where only public keys are known. */
  readonly secrets: readonly string[]
  readonly logError: (error: Error) => void
  readonly warn: Warn
}

/** What settings are made with beside a configuration. */
export interface SettingsParts {
  /** What mounts the auth routes, for messages. */
  readonly name: string
  /** The app's own base path where that is fixed: all others are below it, and no mount says another. */
  readonly root?: string
  /** Has the app not gone to production? By default, until `NODE_ENV` is `production`. */
  readonly isDevelopment?: (env: Environment) => boolean
  /** Said in development where nothing says how sessions are verified. */
  readonly keyHint?: string
  readonly process: ServiceProcess
  readonly readers: Readers
}

/** What can be said without an environment. @throws {AuthError} when two services are named, or no path */
export function checkConfig(config: HostConfig, root = ''): void {
  checkService(config, { workerUrl: undefined })
  configuredBaseOf(rooted(config, root), undefined)
}

/** @throws {AuthError | SecretError | TypeError} when the configuration cannot be used */
export function readSettings(
  config: HostConfig,
  env: Environment,
  { name, root, keyHint, process, readers, ...parts }: SettingsParts,
): Settings {
  const isDevelopment = parts.isDevelopment?.(env) ?? env.NODE_ENV !== 'production'
  const vars = readVariables(env)
  checkService(config, vars)
  const authUrl = vars.url === undefined ? undefined : parseAuthUrl(vars.url)
  const configured = configuredBaseOf(rooted(config, root ?? ''), authUrl?.basePath)
  const belowRoot = root ? root + DEFAULT_BASE_PATH : undefined
  const known = basePathOf(config, vars, configured ?? belowRoot)
  const basePath = root === undefined ? known : (known ?? DEFAULT_BASE_PATH)
  const defaultBase = basePath ?? DEFAULT_BASE_PATH
  if (!isBelow(root ?? '', defaultBase)) {
    throw new AuthError(
      `The base path is ${defaultBase}, and no request for it reaches this app, whose own is ${root}.`,
    )
  }
  const worker = addressOf(config, vars, basePath)
  const secrets = secretsOf(config, vars)
  const isInProcess = config.providers !== undefined
  const reader = readers.reader({
    keys: hinted(() => keysOf(config, vars, secrets), isDevelopment ? keyHint : undefined),
    worker,
    served: isInProcess ? coreOf(config, secrets) : undefined,
    basePath,
    env,
    issuer: issuerOf(worker, authUrl?.origin, basePath),
    cookie: {
      name: config.cookies?.sessionToken?.name,
      domain: config.cookies?.sessionToken?.options?.domain ?? vars.cookieDomain,
    },
    maxDelay: config.revocation?.maxDelay,
  })
  const service = isInProcess
    ? new InProcess(process, { config, basePath, env, ended: reader.ended })
    : worker === undefined
      ? undefined
      : new Forwarded(worker, defaultBase, name)
  const { logger } = config
  return {
    ...reader,
    configuredBase: root === undefined ? configured : basePath,
    defaultBase,
    origins: new Origins({
      configured: authUrl?.origin,
      trustHost: config.trustHost ?? vars.trustHost,
      isDevelopment,
      trusted: (config.trustedOrigins ?? vars.trustedOrigins).map(parseOriginPattern),
      basePath,
      reading: { online: config.online === true, service: service?.address(undefined) },
    }),
    service,
    worker,
    secrets,
    logError: (error) => {
      if (logger?.error) logger.error(error)
      else console.error(`${error.name}: ${error.message}`)
    },
    warn: warnBy(logger),
  }
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

/** `/auth` means the app's `/auth`; who has written the app's base path before it means the same. */
function rooted({ basePath }: HostConfig, root: string): { readonly basePath?: string } {
  if (basePath === undefined) return {}
  return { basePath: isBelow(root, basePath) ? basePath : root + basePath }
}

function isBelow(root: string, path: string): boolean {
  return root === '' || path.startsWith(`${root}/`)
}

/**
 * What the verifier's own questions are answered by: where a session ended, and by which key it is
 * signed. Nothing of it is one request's, such as a callback.
 */
function coreOf(config: HostConfig, secret: readonly string[]): HostConfig {
  const { session, store, ledgerShards, cookies, trustHost, trustedOrigins } = config
  const all = { session, store, ledgerShards, cookies, trustHost, trustedOrigins }
  const core = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  return { providers: [], ...core, secret }
}
