import { textOf } from '@latchkey/session/internal'
import { ProviderMisconfigured } from '../errors.js'
import { customFetch } from '../lib/symbols.js'
import type {
  ClientAuthenticationMethod,
  ClientPrivateKey,
  CredentialsConfig,
  Endpoint,
  Environment,
  MiddlewareConfig,
  OAuthConfig,
  OIDCConfig,
  Provider,
} from '../types.js'
import { type ResolvedEmailProvider, resolveEmail } from './email-provider.js'
import { variablePrefix } from './environment.js'
import { endpointParts } from './preset.js'

/** An OAuth or OpenID provider with everything that its flow needs. */
export interface ResolvedOAuthProvider
  extends Pick<
    OIDCConfig,
    | 'id'
    | 'name'
    | 'profile'
    | 'account'
    | 'style'
    | 'userinfoUrl'
    | 'conform'
    | 'issuerOf'
    | 'revokes'
    | 'clientSecret'
  > {
  readonly type: 'oauth' | 'oidc'
  readonly clientId: string
  readonly clientPrivateKey: ClientPrivateKey | undefined
  /** `undefined`: what the discovery document says is supported. */
  readonly clientAuthentication: ClientAuthenticationMethod | undefined
  readonly idTokenAlg: string | undefined
  /** Does the ID token describe the person well enough? */
  readonly idTokenSuffices: boolean
  readonly issuer: string | undefined
  /** Where the endpoints that are not configured are looked up. */
  readonly discovery: URL | undefined
  readonly authorization: ResolvedEndpoint
  readonly token: ResolvedEndpoint
  readonly userinfo: ResolvedEndpoint
  readonly revocation: ResolvedEndpoint
  readonly scope: string | undefined
  readonly codeChallengeEncoding: 'base64url' | 'hex'
  readonly requestProfile: Extract<OAuthConfig['userinfo'], { request?: unknown }>['request']
  readonly revokeOnSignOut: boolean
  /** The provider's own fetch, if it has one. */
  readonly fetch: typeof fetch | undefined
  /** What it was resolved from, for the functions of its own. */
  readonly config: OAuthConfig | OIDCConfig
}

/** A provider that a `@hono/oauth-providers` middleware stands for. */
export interface ResolvedMiddlewareProvider
  extends Pick<MiddlewareConfig, 'id' | 'name' | 'type' | 'profile' | 'account' | 'style'> {
  readonly clientId: string
  readonly clientSecret: string
  readonly middleware: MiddlewareConfig['middleware']
  readonly driver: MiddlewareConfig['driver']
}

export type RedirectProvider = ResolvedOAuthProvider | ResolvedMiddlewareProvider

export type ResolvedProvider = RedirectProvider | CredentialsConfig | ResolvedEmailProvider

/** An endpoint as configured: without a URL it is discovered. */
export interface ResolvedEndpoint {
  readonly url: URL | undefined
  readonly params: readonly (readonly [name: string, value: string])[]
}

export interface Providers {
  readonly usable: ReadonlyMap<string, ResolvedProvider>
  /** What is wrong with the others, by id. */
  readonly misconfigured: ReadonlyMap<string, ProviderMisconfigured>
}

/** Ids are path segments and parts of variable names. */
const ID = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/

const METHODS: ReadonlySet<string> = new Set([
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
] satisfies ClientAuthenticationMethod[])

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
  if ('middleware' in provider) return resolveMiddleware(provider, env)
  if (provider.type === 'oauth' || provider.type === 'oidc') return resolveOAuth(provider, env)
  if (provider.type === 'email') return resolveEmail(provider, env)
  const { id, type, authorize } = provider
  if (type !== 'credentials') {
    throw new ProviderMisconfigured(`Provider "${id}" has the unknown type "${String(type)}".`)
  }
  if (typeof authorize !== 'function') {
    throw new ProviderMisconfigured(`Provider "${id}" has no authorize function.`)
  }
  return provider
}

function resolveMiddleware(given: MiddlewareConfig, env: Environment): ResolvedMiddlewareProvider {
  const provider = fromEnvironment(given, env)
  const { id, name, type, middleware, driver, profile, account, style } = provider
  const { clientId, clientSecret } = provider
  if (!clientId) throw missing(provider, 'client id', 'ID')
  if (!clientSecret) throw missing(provider, 'client secret', 'SECRET')
  const own = { ...optional({ profile, account, style }), id, name, type }
  return Object.freeze({ ...own, clientId, clientSecret, middleware, driver })
}

function resolveOAuth(given: OAuthConfig | OIDCConfig, env: Environment): ResolvedOAuthProvider {
  // Each provider's own type of config goes in and comes out.
  const provider = given.fromEnvironment?.(env, given as never) ?? fromEnvironment(given, env)
  const { id, name = id, type, clientId, clientSecret } = provider
  const { profile, account, style, userinfoUrl, conform, revokes } = provider
  const issuerOf = provider.type === 'oidc' ? provider.issuerOf : undefined
  const clientAuthentication = provider.client?.token_endpoint_auth_method
  const clientPrivateKey = privateKeyOf(provider)
  const isSecretNeeded = clientAuthentication === undefined || /secret/.test(clientAuthentication)
  if (clientAuthentication !== undefined && !METHODS.has(clientAuthentication)) {
    throw new ProviderMisconfigured(
      `Provider "${id}" has the unknown token_endpoint_auth_method "${clientAuthentication}".`,
    )
  }
  if (!clientId) throw missing(provider, 'client id', 'ID')
  if (!clientSecret && isSecretNeeded) throw missing(provider, 'client secret', 'SECRET')
  if (clientAuthentication === 'private_key_jwt' && !clientPrivateKey) {
    throw new ProviderMisconfigured(`Provider "${id}" has no token.clientPrivateKey.`)
  }
  const issuer = provider.issuer || provider.defaultIssuer
  const endpoints = {
    authorization: endpoint(id, 'authorization', provider.authorization),
    token: endpoint(id, 'token', provider.token),
    userinfo: endpoint(id, 'userinfo', provider.userinfo),
    revocation: endpoint(id, 'revocation', provider.revocation),
  }
  const requestProfile = requestOf(provider)
  return Object.freeze({
    ...optional({ profile, account, style, userinfoUrl, conform, issuerOf, revokes }),
    ...(isSecretNeeded && clientSecret ? { clientSecret } : {}),
    ...endpoints,
    id,
    name,
    type,
    clientId,
    clientPrivateKey,
    clientAuthentication,
    idTokenAlg: provider.client?.id_token_signed_response_alg,
    idTokenSuffices: provider.type === 'oidc' && provider.idToken === true,
    issuer,
    discovery: discoveryOf(provider, issuer, endpoints, requestProfile !== undefined),
    scope: scopeOf(provider, endpoints.authorization),
    codeChallengeEncoding: provider.codeChallengeEncoding ?? 'base64url',
    requestProfile,
    revokeOnSignOut: provider.revokeOnSignOut === true,
    fetch: provider[customFetch],
    config: provider,
  })
}

function missing(
  { id, variables = variablePrefix(id) }: Pick<OAuthConfig, 'id' | 'variables'>,
  what: string,
  variable: string,
): ProviderMisconfigured {
  return new ProviderMisconfigured(
    `Provider "${id}" has no ${what}: set it in its options or in the environment (${variables}_${variable}).`,
  )
}

/** The rule for every provider: `AUTH_<ID>_ID`, `AUTH_<ID>_SECRET`, `AUTH_<ID>_ISSUER`. */
function fromEnvironment<Config extends OAuthConfig | OIDCConfig | MiddlewareConfig>(
  provider: Config,
  env: Environment,
): Config {
  const prefix = variablePrefix(provider.id)
  const issuer = 'issuer' in provider ? provider.issuer : undefined
  return {
    ...provider,
    ...optional({
      clientId: provider.clientId || textOf(env, `${prefix}_ID`),
      clientSecret: provider.clientSecret || textOf(env, `${prefix}_SECRET`),
      issuer: issuer || textOf(env, `${prefix}_ISSUER`),
    }),
  }
}

function privateKeyOf({ token }: OAuthConfig | OIDCConfig): ClientPrivateKey | undefined {
  return typeof token === 'object' && 'clientPrivateKey' in token
    ? token.clientPrivateKey
    : undefined
}

function requestOf({ userinfo }: OAuthConfig | OIDCConfig) {
  return typeof userinfo === 'object' && 'request' in userinfo ? userinfo.request : undefined
}

/**
 * Where to look endpoints up (OpenID Connect Discovery, section 4): always for OpenID, whose keys
 * are found there too; for OAuth where an endpoint is not configured.
 */
function discoveryOf(
  provider: OAuthConfig | OIDCConfig,
  issuer: string | undefined,
  {
    authorization,
    token,
    userinfo,
  }: Pick<ResolvedOAuthProvider, 'authorization' | 'token' | 'userinfo'>,
  hasProfileRequest: boolean,
): URL | undefined {
  const { id, type, wellKnown } = provider
  const incomplete = Object.entries({ authorization, token, userinfo }).flatMap(
    ([name, { url }]) => (url || (name === 'userinfo' && hasProfileRequest) ? [] : name),
  )
  if (type === 'oauth' && incomplete.length === 0) return undefined
  if (issuer === undefined) {
    if (type === 'oidc') throw missing(provider, 'issuer', 'ISSUER')
    throw new ProviderMisconfigured(`Provider "${id}" has no valid ${incomplete[0]} URL.`)
  }
  const address = wellKnown ?? `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
  return checkedUrl(id, wellKnown === undefined ? 'issuer' : 'wellKnown', address)
}

function scopeOf(
  { scope, type }: OAuthConfig | OIDCConfig,
  { url, params }: ResolvedEndpoint,
): string | undefined {
  const configured =
    scope ?? params.find(([name]) => name === 'scope')?.[1] ?? url?.searchParams.get('scope')
  if (type === 'oauth') return configured ?? undefined
  // Without this scope there is no ID token (OpenID Connect Core, section 3.1.2.1).
  const asked = configured ?? 'openid profile email'
  return asked.split(' ').includes('openid') ? asked : `openid ${asked}`
}

function endpoint(id: string, name: string, given: Endpoint | undefined): ResolvedEndpoint {
  const { url: address, params = {} } = endpointParts(given)
  const entries = Object.entries(params).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as const],
  )
  return {
    url: address === undefined ? undefined : checkedUrl(id, name, address),
    params: entries,
  }
}

function checkedUrl(id: string, name: string, address: string): URL {
  const url = URL.parse(address)
  if (!url) throw new ProviderMisconfigured(`Provider "${id}" has no valid ${name} URL.`)
  if (url.protocol !== 'https:' && !isLoopback(url)) {
    throw new ProviderMisconfigured(`The ${name} URL of provider "${id}" must be https.`)
  }
  return url
}

/** Plain http is for a server on this machine only (RFC 8252, section 7.3). */
export function isLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
}

type Optional<Members> = { [Key in keyof Members]?: Exclude<Members[Key], undefined> }

/** Only the members that are there. */
function optional<Members extends object>(members: Members): Optional<Members> {
  const there = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(there) as Optional<Members>
}
