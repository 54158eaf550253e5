import type { Verifier, WorkerAddress } from '@latchkey/session'
import { AuthError } from '@latchkey/session'
import {
  addressOf,
  basePathOf,
  checkService,
  configuredBaseOf,
  DEFAULT_BASE_PATH,
  issuerOf,
  keysOf,
  OriginJudge,
  type OriginPolicy,
  parseAuthUrl,
  parseOriginPattern,
  readEnvironment,
  secretsOf,
  type Warn,
  warnBy,
} from '@latchkey/session/adapter'
import type { RevocationList } from '@latchkey/session/internal'
import type { AuthConfig } from '@latchkey/worker'
import { appBase } from './app-base.js'
import type { Surroundings } from './environment.js'
import type { Readers } from './readers.js'
import type { ComponentKitAuthConfig, InProcessConfig } from './types.js'

/** A configuration with what the environment says, and what was made of both. */
export interface Settings {
  /** With the app's own, such as `/app/auth`. */
  readonly basePath: string
  readonly policy: OriginPolicy
  readonly judge: OriginJudge
  readonly verifier: Verifier
  /** What ended in this process, and need not be heard of. */
  readonly ended: RevocationList
  readonly online: boolean
  /** The Worker that the auth routes are forwarded to. */
  readonly worker: WorkerAddress | undefined
  /** How they are served here. */
  readonly served: AuthConfig | undefined
  readonly logError: (error: Error) => void
  readonly warn: Warn
}

/** @throws {AuthError | SecretError | TypeError} when the configuration cannot be used */
export function readSettings(
  config: ComponentKitAuthConfig,
  { env, isDevelopment }: Pick<Surroundings, 'env' | 'isDevelopment'>,
  readers: Readers,
): Settings {
  const vars = readEnvironment(env)
  checkService(config, vars)
  const authUrl = vars.url === undefined ? undefined : parseAuthUrl(vars.url)
  const configured = configuredBaseOf(
    config.basePath === undefined ? {} : { basePath: belowApp(config.basePath) },
    authUrl?.basePath,
  )
  const basePath =
    basePathOf(config, vars, configured ?? (appBase ? appBase + DEFAULT_BASE_PATH : undefined)) ??
    DEFAULT_BASE_PATH
  if (!isBelowApp(basePath)) {
    throw new AuthError(
      `The base path is ${basePath}, and no request for it reaches this app, whose own is ${appBase}.`,
    )
  }
  const policy: OriginPolicy = {
    configured: authUrl?.origin,
    trustHost: config.trustHost ?? vars.trustHost,
    trusted: (config.trustedOrigins ?? vars.trustedOrigins).map(parseOriginPattern),
    basePath,
  }
  const worker = addressOf(config, vars, basePath)
  const secrets = secretsOf(config, vars)
  const served = isInProcess(config) ? serviceConfig(config, basePath) : undefined
  const reader = readers.reader({
    keys: isDevelopment ? keysInDevelopment(config, vars, secrets) : keysOf(config, vars, secrets),
    worker,
    served: served && { ...coreOf(served), secret: secrets },
    env,
    issuer: issuerOf(worker, authUrl?.origin, basePath),
    cookie: {
      name: config.cookies?.sessionToken?.name,
      domain: config.cookies?.sessionToken?.options?.domain ?? vars.cookieDomain,
    },
    maxDelay: config.revocation?.maxDelay,
  })
  const { logger } = config
  return {
    basePath,
    policy,
    judge: new OriginJudge(policy),
    ...reader,
    online: config.online === true,
    worker,
    served,
    logError: (error) => {
      if (logger?.error) logger.error(error)
      else console.error(`${error.name}: ${error.message}`)
    },
    warn: warnBy(logger),
  }
}

/** Whoever has a secret in `.env` is told why it is not seen. @throws {AuthError} */
function keysInDevelopment(...settings: Parameters<typeof keysOf>): ReturnType<typeof keysOf> {
  try {
    return keysOf(...settings)
  } catch (error) {
    throw new AuthError(`${error instanceof Error ? error.message : error} ${HINT}`)
  }
}

const HINT =
  "If it is in .env: `vite dev` keeps that to itself, until vite.config.ts says defineConfig(({ command, mode }) => { if (command === 'serve') Object.assign(process.env, loadEnv(mode, process.cwd(), 'AUTH_')); return { … } }), with loadEnv from 'vite'."

function isInProcess(config: ComponentKitAuthConfig): config is InProcessConfig {
  return config.providers !== undefined
}

function isBelowApp(path: string): boolean {
  return appBase === '' || path.startsWith(`${appBase}/`)
}

/** `/auth` means the app's `/auth`; who has written the app's base path before it means the same. */
function belowApp(path: string): string {
  return isBelowApp(path) ? path : appBase + path
}

function serviceConfig(config: InProcessConfig, basePath: string): AuthConfig {
  const { online, revocation, worker, publicKeys, ...rest } = config
  return { ...rest, basePath }
}

/**
 * What the verifier's own questions are answered by: where a session ended, and by which key it is
 * signed. Nothing of it is one request's, such as a callback.
 */
function coreOf({ basePath, session, store, cookies, trustHost, trustedOrigins }: AuthConfig) {
  const all = { basePath, session, store, cookies, trustHost, trustedOrigins }
  const given = Object.entries(all).filter(([, value]) => value !== undefined)
  return { providers: [], ...Object.fromEntries(given) } as AuthConfig
}
