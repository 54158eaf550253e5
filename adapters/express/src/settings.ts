import { createVerifier, type Verifier } from '@latchkey/session'
import {
  addressOf,
  basePathOf,
  checkService,
  configuredBaseOf,
  DEFAULT_BASE_PATH,
  issuerOf,
  keysOf,
  OriginWarnings,
  parseAuthUrl,
  parseOriginPattern,
  readEnvironment,
  secretsOf,
  type Warn,
  warnBy,
} from '@latchkey/session/adapter'
import { RevocationList } from '@latchkey/session/internal'
import { Forwarded } from './forwarded.js'
import { InProcess } from './in-process.js'
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
  readonly warn: Warn
  readonly warnings: OriginWarnings
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
    isProduction: env.NODE_ENV === 'production',
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
    warn: warnBy(logger),
    warnings: new OriginWarnings(),
  }
}

function isInProcess(config: MiddlewareAuthConfig): config is InProcessConfig {
  return config.providers !== undefined
}
