import { configuredSecrets, readSecrets } from '../token/secrets.js'
import { InvalidConfiguration } from './errors.js'

/** The environment as strings and bindings, as Node or a Worker gives it. */
export type Environment = Readonly<Record<string, unknown>>

/** The environment variables that an adapter reads; an empty one counts as absent. */
export interface AuthVariables {
  readonly url: string | undefined
  /** `undefined`: not set. */
  readonly trustHost: boolean | undefined
  readonly trustedOrigins: readonly string[]
  readonly cookieDomain: string | undefined
  readonly workerUrl: string | undefined
  readonly publicKeys: string | undefined
  /** The secret that signs comes first; empty where none is set. */
  readonly secrets: readonly string[]
}

/**
 * Read once for each configuration: reading `process.env` costs more than reading a session.
 *
 * @throws {SecretError} when a secret is too short
 * @throws {InvalidConfiguration} when `AUTH_TRUST_HOST` is neither yes nor no
 */
export function readVariables(env: Environment): AuthVariables {
  return {
    url: textOf(env, 'AUTH_URL'),
    trustHost: trustHostOf(env),
    trustedOrigins: trustedOriginsOf(env),
    cookieDomain: textOf(env, 'AUTH_COOKIE_DOMAIN'),
    workerUrl: textOf(env, 'AUTH_WORKER_URL'),
    publicKeys: textOf(env, 'AUTH_PUBLIC_KEYS'),
    secrets: hasSecret(env) ? readSecrets(env) : [],
  }
}

/** A variable's text; an empty one counts as absent. */
export function textOf(env: Environment, name: string): string | undefined {
  const value = env[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * A binding of a Worker: what has the method. On Node every variable is text, and may have the name of one:
 * `RATE_LIMIT=100` limits nothing, and is no binding.
 *
 * @example bindingOf<RateLimit>(env, 'RATE_LIMIT', 'limit')
 */
export function bindingOf<Binding extends object>(
  env: Environment,
  name: string,
  method: keyof Binding,
): Binding | undefined {
  const value = env[name] as Binding | null | undefined
  return typeof value?.[method] === 'function' ? value : undefined
}

/**
 * `AUTH_TRUST_HOST`, which may stand in `wrangler.toml` without quotes; `undefined`: not set.
 *
 * @throws {InvalidConfiguration} when it is neither yes nor no
 */
export function trustHostOf({ AUTH_TRUST_HOST: value }: Environment): boolean | undefined {
  if (value === undefined) return undefined
  const text = String(value)
  if (/^(?:true|1)$/i.test(text)) return true
  if (/^(?:false|0)?$/i.test(text)) return false
  throw new InvalidConfiguration('AUTH_TRUST_HOST must be true, 1, false or 0.')
}

/** The entries of `AUTH_TRUSTED_ORIGINS`, not yet validated. */
export function trustedOriginsOf(env: Environment): readonly string[] {
  const list = textOf(env, 'AUTH_TRUSTED_ORIGINS') ?? ''
  return list.split(',').flatMap((origin) => origin.trim() || [])
}

/** The secrets of a configuration, or else of the environment. @throws {SecretError} without any */
export function requireSecrets(
  { secret }: { readonly secret?: string | readonly string[] | undefined },
  env: Environment,
): readonly string[] {
  return secret === undefined || secret.length === 0 ? readSecrets(env) : configuredSecrets(secret)
}

function hasSecret(env: Environment): boolean {
  return ['', '_1', '_2', '_3'].some((suffix) => env[`AUTH_SECRET${suffix}`])
}
