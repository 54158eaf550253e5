import { needsFeature } from '../../config/needs-feature.js'
import { instanceAt } from '../../config/preset.js'
import { ProviderMisconfigured } from '../../errors.js'
import type { Kind, ResolvedProvider } from '../../http/kind.js'
import { customFetch } from '../../lib/symbols.js'
import type { SignedIn } from '../../session/signed-in.js'
import type {
  ClientAuthenticationMethod,
  ClientPrivateKey,
  Environment,
  OAuthConfig,
  OIDCConfig,
  Provider,
} from '../../types.js'
import { missing, optional, withEnvironment } from '../provider-client.js'
import { discoveryOf, endpoint, type ResolvedEndpoint } from './endpoints.js'
import type { OpenId } from './openid.js'

/** An OAuth or OpenID provider with everything that its flow needs. */
export interface ResolvedOAuthProvider
  extends ResolvedProvider,
    Pick<
      OIDCConfig,
      | 'profile'
      | 'account'
      | 'style'
      | 'userinfoUrl'
      | 'conform'
      | 'issuerOf'
      | 'revokes'
      | 'cancelErrors'
      | 'clientSecret'
    > {
  readonly type: 'oauth' | 'oidc'
  /** Left out: its endpoints are configured, and it sends no ID token. */
  readonly openId?: OpenId | undefined
  readonly clientId: string
  readonly clientPrivateKey: ClientPrivateKey | undefined
  /** `undefined`: a method that the discovery document lists. */
  readonly clientAuthentication: ClientAuthenticationMethod | undefined
  readonly idTokenAlg: string | undefined
  /** Does the ID token suffice as the profile? */
  readonly idTokenSuffices: boolean
  readonly issuer: string | undefined
  /** The URL of the discovery document for endpoints that are not configured. */
  readonly discovery: URL | undefined
  readonly authorization: ResolvedEndpoint
  readonly token: ResolvedEndpoint
  readonly userinfo: ResolvedEndpoint
  readonly revocation: ResolvedEndpoint
  readonly scope: string | undefined
  readonly scopeSeparator: ' ' | ','
  /** The scopes that may be asked for beside `scope` when a way is added. */
  readonly moreScopes: readonly string[]
  readonly codeChallengeEncoding: 'base64url' | 'hex'
  readonly requestProfile: Extract<OAuthConfig['userinfo'], { request?: unknown }>['request']
  readonly revokeOnSignOut: boolean
  /** The provider's own fetch, if it has one. */
  readonly fetch: typeof fetch | undefined
  /** The provider's configuration, for its own functions. */
  readonly config: OAuthConfig | OIDCConfig
  /** The `acr_values` of a step-up that asks for two factors. */
  readonly acrValues?: string
  /** Names the client of a flow, since the provider's id may mean another client tomorrow: the flow goes on for the same one alone. */
  readonly bound?: string
  /** Completes the account that a provider of this kind describes. @throws {AuthError} the provider may not name it */
  readonly complete?: (signedIn: SignedIn) => Promise<SignedIn>
}

const METHODS: ReadonlySet<string> = new Set([
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
] satisfies ClientAuthenticationMethod[])

/** @throws {ProviderMisconfigured} naming the option or the variable */
export function resolveOAuth(
  kind: Kind,
  config: Provider,
  env: Environment,
  openId?: OpenId,
): ResolvedOAuthProvider {
  const own = config as OAuthConfig | OIDCConfig
  // The result keeps each provider's own type of config.
  const provider = own.fromEnvironment?.(env, own as never) ?? withEnvironment(own, env)
  const { id, name = id, type, clientId, clientSecret } = provider
  const { profile, account, style, userinfoUrl, conform, revokes, cancelErrors } = provider
  const issuerOf = provider.type === 'oidc' ? provider.issuerOf : undefined
  const clientAuthentication = provider.client?.token_endpoint_auth_method
  const clientPrivateKey = privateKeyOf(provider)
  const isSecretNeeded = clientAuthentication === undefined || /secret/.test(clientAuthentication)
  if (clientAuthentication !== undefined && !METHODS.has(clientAuthentication)) {
    throw new ProviderMisconfigured(
      `Provider "${id}" has the unknown token_endpoint_auth_method "${clientAuthentication}".`,
    )
  }
  if (provider.baseUrl !== undefined && instanceAt(provider.baseUrl) === undefined) {
    throw new ProviderMisconfigured(
      `The baseUrl of provider "${id}" must be https, without a query, a fragment or a user.`,
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
  const discovery = discoveryOf(provider, issuer, endpoints, requestProfile !== undefined)
  if (discovery && !openId) throw needsFeature(`The provider "${id}"`, 'openid')
  return Object.freeze({
    kind,
    ...optional({ profile, account, style, userinfoUrl, conform, issuerOf, revokes, cancelErrors }),
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
    discovery,
    openId,
    scope: scopeOf(provider, endpoints.authorization),
    scopeSeparator: provider.scopeSeparator ?? ' ',
    moreScopes: moreScopesOf(provider),
    codeChallengeEncoding: provider.codeChallengeEncoding ?? 'base64url',
    requestProfile,
    revokeOnSignOut: provider.revokeOnSignOut === true,
    fetch: provider[customFetch],
    config: provider,
  })
}

function privateKeyOf({ token }: OAuthConfig | OIDCConfig): ClientPrivateKey | undefined {
  return typeof token === 'object' && 'clientPrivateKey' in token
    ? token.clientPrivateKey
    : undefined
}

function requestOf({ userinfo }: OAuthConfig | OIDCConfig) {
  return typeof userinfo === 'object' && 'request' in userinfo ? userinfo.request : undefined
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

function moreScopesOf({ id, connection }: OAuthConfig | OIDCConfig): readonly string[] {
  const scopes: unknown = connection ? connection.scopes : []
  const isList = Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string')
  if (isList) return scopes
  throw new ProviderMisconfigured(`Provider "${id}" has no list of texts as connection.scopes.`)
}
