import {
  AuthError,
  configuredSecrets,
  createVerifier,
  RevocationList,
  type Verifier,
  type WorkerAddress,
} from '@latchkey/session'
import { type AuthEnvironment, readEnvironment } from './environment.js'
import { Forwarded } from './forwarded.js'
import { InProcess } from './in-process.js'
import { DEFAULT_BASE_PATH, isBasePath } from './mount.js'
import { parseAuthUrl, parseOriginPattern } from './origin-pattern.js'
import { Origins } from './origins.js'
import type { Service } from './service.js'
import type { InProcessConfig, MiddlewareAuthConfig } from './types.js'

/** A configuration with what the environment says, and what was made of it: once for each. */
export interface Settings {
  /** What the configuration calls the base path; `undefined`: the mount says. */
  readonly configuredBase: string | undefined
  /** Base path of a service that is mounted at the root. */
  readonly defaultBase: string
  readonly origins: Origins
  /** `undefined`: sessions are read, and nobody is asked about them. */
  readonly service: Service | undefined
  readonly verifier: Verifier
  /** What ended in this process, and need not be heard of. */
  readonly ended: RevocationList
  readonly online: boolean
  /** Of the keys that sessions are verified with; none where only public keys are known. */
  readonly secrets: readonly string[]
  readonly warn: (message: string) => void
}

/** @throws {AuthError | SecretError | TypeError} when the configuration cannot be used */
export function readSettings(config: MiddlewareAuthConfig, env: NodeJS.ProcessEnv): Settings {
  const vars = readEnvironment(env)
  checkService(config, vars)
  const authUrl = vars.url === undefined ? undefined : parseAuthUrl(vars.url)
  const configuredBase = configuredBaseOf(config, authUrl?.basePath)
  const basePath = basePathOf(config, vars, configuredBase)
  const origins = new Origins({
    configured: authUrl?.origin,
    trustHost: config.trustHost ?? vars.trustHost,
    trusted: (config.trustedOrigins ?? vars.trustedOrigins).map(parseOriginPattern),
    isProduction: vars.isProduction,
    basePath,
  })
  const ended = new RevocationList(Date.now)
  const secrets = secretsOf(config, vars)
  const address = addressOf(config, vars, basePath)
  const service = isInProcess(config)
    ? new InProcess(config, basePath, ended)
    : address === undefined
      ? undefined
      : new Forwarded(address, basePath ?? DEFAULT_BASE_PATH)
  const { logger } = config
  const verifier = createVerifier({
    ...keysOf(config, vars, secrets),
    worker: service?.address,
    issuer: issuerOf(address, authUrl?.origin, basePath),
    cookie: {
      name: config.cookies?.sessionToken?.name,
      domain: config.cookies?.sessionToken?.options?.domain ?? vars.cookieDomain,
    },
    revocation: config.revocation,
    onError: logger?.error && ((error) => logger.error?.(error)),
  })
  const warn = (message: string) => {
    if (logger?.warn) logger.warn('untrusted-host', message)
    else console.warn(message)
  }
  const defaultBase = basePath ?? DEFAULT_BASE_PATH
  return {
    configuredBase,
    defaultBase,
    origins,
    service,
    verifier,
    ended,
    online: config.online === true,
    secrets,
    warn,
  }
}

/** @throws {AuthError} when two services are named */
function checkService(config: MiddlewareAuthConfig, { workerUrl }: AuthEnvironment): void {
  const { providers, worker } = config as { providers?: unknown; worker?: unknown }
  if (providers === undefined || (worker === undefined && workerUrl === undefined)) return
  const name = worker === undefined ? 'AUTH_WORKER_URL' : '`worker`'
  throw new AuthError(
    `\`providers\` and ${name} cannot be used together: the auth routes are answered here or by the Worker.`,
  )
}

function isInProcess(config: MiddlewareAuthConfig): config is InProcessConfig {
  return config.providers !== undefined
}

/** @throws {AuthError} */
function configuredBaseOf({ basePath }: MiddlewareAuthConfig, ofAuthUrl: string | undefined) {
  const path = basePath?.replace(/\/+$/, '') ?? ofAuthUrl
  if (path === undefined || isBasePath(path)) return path
  throw new AuthError(`The base path "${path}" must look like /auth.`)
}

/** The service's base path, as far as it is known before a request. @throws {AuthError} */
function basePathOf(
  config: MiddlewareAuthConfig,
  { workerUrl }: AuthEnvironment,
  configured: string | undefined,
): string | undefined {
  const worker = isInProcess(config) ? undefined : (config.worker ?? workerUrl)
  if (worker === undefined) return configured
  const path = typeof worker === 'string' ? parseWorkerUrl(worker).pathname.replace(/\/+$/, '') : ''
  if (path !== '' && configured !== undefined && path !== configured) {
    throw new AuthError(`The Worker's base path is ${path}, and the configured one ${configured}.`)
  }
  return path || configured || DEFAULT_BASE_PATH
}

function addressOf(
  config: MiddlewareAuthConfig,
  { workerUrl }: AuthEnvironment,
  basePath: string | undefined,
): WorkerAddress | undefined {
  const worker = config.worker ?? (isInProcess(config) ? undefined : workerUrl)
  if (typeof worker !== 'string') return worker
  const url = parseWorkerUrl(worker)
  // An address without a path is the one of the Worker as it is shipped.
  return url.pathname === '/' ? url.origin + basePath : url.href.replace(/\/+$/, '')
}

/** @throws {AuthError} */
function parseWorkerUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username) return url
  throw new AuthError('AUTH_WORKER_URL or `worker` must be a URL such as https://example.com/auth.')
}

/** As which issuer the service answers the verifier's own questions. */
function issuerOf(
  address: WorkerAddress | undefined,
  origin: string | undefined,
  basePath = DEFAULT_BASE_PATH,
): string | undefined {
  if (origin !== undefined) return origin + basePath
  return typeof address === 'string' ? address : `http://localhost${basePath}`
}

function secretsOf(config: MiddlewareAuthConfig, vars: AuthEnvironment): readonly string[] {
  const { secret } = config
  return secret === undefined || secret.length === 0 ? vars.secrets : configuredSecrets(secret)
}

/** @throws {AuthError} when nothing says how a session is verified */
function keysOf(
  config: MiddlewareAuthConfig,
  { publicKeys, workerUrl }: AuthEnvironment,
  secrets: readonly string[],
): { readonly secret: readonly string[] } | { readonly publicKeys?: unknown } {
  // The service signs with the secret, and with nothing else.
  if (isInProcess(config)) return { secret: configuredSecrets(secrets) }
  if (config.publicKeys !== undefined) return { publicKeys: config.publicKeys }
  if (config.secret === undefined && publicKeys !== undefined) return { publicKeys }
  if (secrets.length > 0) return { secret: secrets }
  if (config.worker !== undefined || workerUrl !== undefined) return {}
  throw new AuthError(
    'To read a session, set AUTH_SECRET, AUTH_PUBLIC_KEYS or AUTH_WORKER_URL, or hand over the config of MiddlewareAuth.',
  )
}
