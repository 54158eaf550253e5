import { ProviderMisconfigured } from '../errors.js'
import { customFetch } from '../symbols.js'
import type {
  CredentialsConfig,
  Endpoint,
  Environment,
  OAuthConfig,
  OAuthUserConfig,
  Provider,
} from '../types.js'
import { text } from './environment.js'

/** An OAuth provider with everything that its flow needs. */
export interface ResolvedOAuthProvider
  extends Pick<
    OAuthConfig,
    'id' | 'name' | 'type' | 'profile' | 'account' | 'style' | 'userinfoUrl'
  > {
  readonly clientId: string
  readonly clientSecret: string | undefined
  readonly issuer: string | undefined
  readonly authorization: URL
  readonly scope: string | undefined
  readonly token: URL
  readonly userinfo: URL
  readonly clientAuthentication: 'client_secret_basic' | 'client_secret_post' | 'none'
  readonly codeChallengeEncoding: 'base64url' | 'hex'
  /** The provider's own fetch, if it has one. */
  readonly fetch: typeof fetch | undefined
}

export type ResolvedProvider = ResolvedOAuthProvider | CredentialsConfig

export interface Providers {
  readonly usable: ReadonlyMap<string, ResolvedProvider>
  /** What is wrong with the others, by id. */
  readonly misconfigured: ReadonlyMap<string, ProviderMisconfigured>
}

/** Ids are path segments and parts of variable names. */
const ID = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/

/** Resolves each provider on its own, so that a misconfigured one does not break the others. */
export function resolveProviders(
  providers: readonly (Provider | (() => Provider))[],
  env: Environment,
): Providers {
  const usable = new Map<string, ResolvedProvider>()
  const misconfigured = new Map<string, ProviderMisconfigured>()
  for (const entry of providers) {
    const provider = typeof entry === 'function' ? entry() : entry
    try {
      checkId(provider.id, usable)
      usable.set(provider.id, resolveProvider(provider, env))
    } catch (error) {
      if (!(error instanceof ProviderMisconfigured)) throw error
      misconfigured.set(String(provider.id), error)
    }
  }
  return { usable, misconfigured }
}

function checkId(id: unknown, taken: ReadonlyMap<string, unknown>): void {
  if (typeof id !== 'string' || !ID.test(id)) {
    throw new ProviderMisconfigured(
      'A provider has no usable id: letters, digits, "-" and "_" are allowed.',
    )
  }
  if (taken.has(id)) throw new ProviderMisconfigured(`Two providers have the id "${id}".`)
}

function resolveProvider(provider: Provider, env: Environment): ResolvedProvider {
  if (provider.type === 'oauth') return resolveOAuth(provider, env)
  const { id, type, authorize } = provider
  if (type !== 'credentials') {
    throw new ProviderMisconfigured(`Provider "${id}" has the unknown type "${String(type)}".`)
  }
  if (typeof authorize !== 'function') {
    throw new ProviderMisconfigured(`Provider "${id}" has no authorize function.`)
  }
  return provider
}

function resolveOAuth(given: OAuthConfig, env: Environment): ResolvedOAuthProvider {
  const provider = given.fromEnvironment?.(env, given) ?? fromEnvironment(given, env)
  const { id, name = id, type, clientId, clientSecret } = provider
  const clientAuthentication = provider.client?.token_endpoint_auth_method ?? 'client_secret_basic'
  if (!clientId) throw missing(id, 'client id')
  if (!clientSecret && clientAuthentication !== 'none') throw missing(id, 'client secret')
  const authorization = endpoint(id, 'authorization', provider.authorization)
  const scope = provider.scope ?? authorization.searchParams.get('scope') ?? undefined
  return Object.freeze({
    ...optional('profile', provider.profile),
    ...optional('account', provider.account),
    ...optional('style', provider.style),
    ...optional('userinfoUrl', provider.userinfoUrl),
    id,
    name,
    type,
    clientId,
    clientSecret: clientAuthentication === 'none' ? undefined : clientSecret,
    issuer: provider.issuer,
    authorization,
    scope,
    token: endpoint(id, 'token', provider.token),
    userinfo: endpoint(id, 'userinfo', provider.userinfo),
    clientAuthentication,
    codeChallengeEncoding: provider.codeChallengeEncoding ?? 'base64url',
    fetch: provider[customFetch],
  })
}

function missing(id: string, what: string): ProviderMisconfigured {
  return new ProviderMisconfigured(
    `Provider "${id}" has no ${what}: set it in its options or in the environment.`,
  )
}

/** The rule for every provider: `AUTH_<ID>_ID`, `AUTH_<ID>_SECRET`, `AUTH_<ID>_ISSUER`. */
function fromEnvironment(provider: OAuthConfig, env: Environment): OAuthConfig {
  const prefix = `AUTH_${provider.id.toUpperCase().replaceAll('-', '_')}`
  return {
    ...provider,
    ...optional('clientId', provider.clientId || text(env, `${prefix}_ID`)),
    ...optional('clientSecret', provider.clientSecret || text(env, `${prefix}_SECRET`)),
    ...optional('issuer', provider.issuer || text(env, `${prefix}_ISSUER`)),
  }
}

function endpoint(
  id: string,
  name: keyof OAuthUserConfig & string,
  given: Endpoint | undefined,
): URL {
  const { url: address, params } = typeof given === 'string' ? { url: given } : (given ?? {})
  const url = address === undefined ? null : URL.parse(address)
  if (!url) throw new ProviderMisconfigured(`Provider "${id}" has no valid ${name} URL.`)
  if (url.protocol !== 'https:' && !isLoopback(url)) {
    throw new ProviderMisconfigured(`The ${name} URL of provider "${id}" must be https.`)
  }
  for (const [key, value] of Object.entries(params ?? {})) {
    if (value !== undefined) url.searchParams.set(key, String(value))
  }
  return url
}

/** Plain http is for a server on this machine only (RFC 8252, section 7.3). */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
}

function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: Value })
}
