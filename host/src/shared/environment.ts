import { checkedSecret } from '@latchkey/session/internal'
import { configuredSecrets, readSecrets } from '@latchkey/session/issue'
import { InvalidConfiguration } from './invalid-configuration.js'
import { parseClaimedOrigin } from './origin.js'

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
  /** By which an app without the secret proves itself to the service. */
  readonly appKey: string | undefined
  /** The secret that signs comes first; empty if none is set. */
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
    appKey: appKeyOf(env),
    secrets: hasSecret(env) ? readSecrets(env) : [],
  }
}

/** A variable's text; an empty one counts as absent. */
export function textOf(env: Environment, name: string): string | undefined {
  const value = env[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * A binding of a Worker is an object with this method. On Node every variable is text, and may have
 * the name of one: `RATE_LIMIT=100` limits nothing, because it is not a binding.
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

/** @throws {SecretError} when it is too short, or no secret */
function appKeyOf(env: Environment): string | undefined {
  const key = textOf(env, 'AUTH_APP_KEY')
  return key === undefined ? undefined : checkedSecret('AUTH_APP_KEY', key)
}

/** The origin and the key of an app that forwards to the service. */
export interface AppKey {
  readonly origin: string
  readonly key: string
}

/**
 * `AUTH_APP_KEYS`: the keys of apps that do not have the secret, each with the one origin that it proves.
 * An origin may have several, while its key is replaced.
 *
 * @example appKeysOf({ AUTH_APP_KEYS: 'https://app.example.com=0f3c…' })
 * @throws {InvalidConfiguration | SecretError} naming the origin, never a key
 */
export function appKeysOf(env: Environment): readonly AppKey[] {
  const list = textOf(env, 'AUTH_APP_KEYS') ?? ''
  return list.split(',').flatMap((entry) => {
    const text = entry.trim()
    if (text === '') return []
    const at = text.indexOf('=')
    const url = at === -1 ? undefined : parseClaimed(text.slice(0, at))
    if (!url) {
      throw new InvalidConfiguration(
        'AUTH_APP_KEYS must be origins with their keys, such as https://app.example.com=<key>, with a comma between two. An origin has no wildcard here.',
      )
    }
    const name = `The key of ${url.origin} in AUTH_APP_KEYS`
    return { origin: url.origin, key: checkedSecret(name, text.slice(at + 1).trim()) }
  })
}

function parseClaimed(text: string): URL | undefined {
  const [scheme = '', host = ''] = text.split('://')
  return parseClaimedOrigin(scheme, host)
}

function hasSecret(env: Environment): boolean {
  return ['', '_1', '_2', '_3'].some((suffix) => env[`AUTH_SECRET${suffix}`])
}
