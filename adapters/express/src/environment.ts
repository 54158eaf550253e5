import { readSecrets } from '@latchkey/session'

/** The environment variables that the adapter reads; an empty one counts as absent. */
export interface AuthEnvironment {
  readonly url: string | undefined
  /** `undefined`: nobody has said. */
  readonly trustHost: boolean | undefined
  readonly trustedOrigins: readonly string[]
  readonly cookieDomain: string | undefined
  readonly workerUrl: string | undefined
  readonly publicKeys: string | undefined
  /** The one that signs first; none where there is none. */
  readonly secrets: readonly string[]
  readonly isProduction: boolean
}

/**
 * Read once for each configuration: a look into `process.env` costs more than a look at a session.
 *
 * @throws {SecretError} when a secret is too short
 */
export function readEnvironment(env: NodeJS.ProcessEnv): AuthEnvironment {
  const trustHost = env.AUTH_TRUST_HOST
  return {
    url: env.AUTH_URL || undefined,
    trustHost: trustHost === undefined ? undefined : /^(?:true|1)$/i.test(trustHost),
    trustedOrigins: (env.AUTH_TRUSTED_ORIGINS ?? '').split(',').flatMap((it) => it.trim() || []),
    cookieDomain: env.AUTH_COOKIE_DOMAIN || undefined,
    workerUrl: env.AUTH_WORKER_URL || undefined,
    publicKeys: env.AUTH_PUBLIC_KEYS || undefined,
    secrets: hasSecret(env) ? readSecrets(env) : [],
    isProduction: env.NODE_ENV === 'production',
  }
}

function hasSecret(env: NodeJS.ProcessEnv): boolean {
  return ['', '_1', '_2', '_3'].some((suffix) => env[`AUTH_SECRET${suffix}`])
}
