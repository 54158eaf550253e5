import { AuthError, type WorkerAddress } from '@latchkey/session'
import { parseAddress } from '@latchkey/session/internal'
import { configuredSecrets } from '@latchkey/session/issue'
import type { AuthVariables } from '../shared/environment.js'
import { DEFAULT_BASE_PATH, parseBasePath } from '../shared/service-routes.js'
import type { HostConfig } from './host-config.js'

/** @throws {AuthError} when two services are named */
export function checkService(
  { providers, worker }: HostConfig,
  { workerUrl }: Pick<AuthVariables, 'workerUrl'>,
): void {
  if (providers === undefined || (worker === undefined && workerUrl === undefined)) return
  const name = worker === undefined ? 'AUTH_WORKER_URL' : '`worker`'
  throw new AuthError(
    `\`providers\` and ${name} cannot be used together: the auth routes are answered here or by the Worker.`,
  )
}

/** The base path that the configuration names, or else `AUTH_URL`. @throws {AuthError} */
export function configuredBaseOf(
  { basePath }: HostConfig,
  ofAuthUrl: string | undefined,
): string | undefined {
  const path = basePath ?? ofAuthUrl
  return path === undefined ? undefined : parseBasePath(path)
}

/** The service's base path, as far as it is known before a request. @throws {AuthError} */
export function basePathOf(
  config: HostConfig,
  { workerUrl }: AuthVariables,
  configured: string | undefined,
): string | undefined {
  const worker = config.providers === undefined ? (config.worker ?? workerUrl) : undefined
  if (worker === undefined) return configured
  const path = typeof worker === 'string' ? parseWorkerUrl(worker).pathname.replace(/\/+$/, '') : ''
  if (path !== '' && configured !== undefined && path !== configured) {
    throw new AuthError(`The Worker's base path is ${path}, and the configured one ${configured}.`)
  }
  return path || configured || DEFAULT_BASE_PATH
}

/** The Worker, if the service is one: with the base path, or a binding. @throws {AuthError} */
export function addressOf(
  config: Pick<HostConfig, 'worker' | 'providers'>,
  { workerUrl }: Pick<AuthVariables, 'workerUrl'>,
  basePath: string | undefined,
): WorkerAddress | undefined {
  const worker = config.worker ?? (config.providers === undefined ? workerUrl : undefined)
  if (typeof worker !== 'string') return worker
  const url = parseWorkerUrl(worker)
  // A URL without a path has the shipped Worker's base path.
  return url.pathname === '/' ? url.origin + basePath : url.href.replace(/\/+$/, '')
}

/** @throws {AuthError} */
function parseWorkerUrl(text: string): URL {
  const url = parseAddress(text)
  if (url) return url
  throw new AuthError('AUTH_WORKER_URL or `worker` must be a URL such as https://example.com/auth.')
}

/** The issuer for the verifier's own calls to the service. */
export function issuerOf(
  address: WorkerAddress | undefined,
  origin: string | undefined,
  basePath = DEFAULT_BASE_PATH,
): string {
  if (origin !== undefined) return origin + basePath
  return typeof address === 'string' ? address : `http://localhost${basePath}`
}

/** The secrets of a configuration, or else of the environment. @throws {SecretError} */
export function secretsOf({ secret }: HostConfig, vars: AuthVariables): readonly string[] {
  return secret === undefined || secret.length === 0 ? vars.secrets : configuredSecrets(secret)
}

/**
 * The keys that sessions are verified with.
 *
 * @param name the adapter's function, for the message
 * @throws {AuthError} when none are configured
 */
export function keysOf(
  config: HostConfig,
  { publicKeys, workerUrl }: AuthVariables,
  secrets: readonly string[],
  name: string,
): { readonly secret: readonly string[] } | { readonly publicKeys?: unknown } {
  // The service signs with the secret only.
  if (config.providers !== undefined) return { secret: configuredSecrets(secrets) }
  if (config.publicKeys !== undefined) return { publicKeys: config.publicKeys }
  if (config.secret === undefined && publicKeys !== undefined) return { publicKeys }
  if (secrets.length > 0) return { secret: secrets }
  if (config.worker !== undefined || workerUrl !== undefined) return {}
  throw new AuthError(
    `To answer the auth routes ${name} needs \`providers\`, or \`worker\`, which AUTH_WORKER_URL can be too. To read sessions alone, set AUTH_SECRET, AUTH_PUBLIC_KEYS or AUTH_WORKER_URL, or hand over the configuration of the auth routes.`,
  )
}
