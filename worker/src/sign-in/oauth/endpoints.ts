import { endpointParts } from '../../config/preset.js'
import { ProviderMisconfigured } from '../../errors.js'
import { isLoopback } from '../../lib/is-loopback.js'
import type { Endpoint, OAuthConfig, OIDCConfig } from '../../types.js'
import { missing } from '../provider-client.js'
import type { ResolvedOAuthProvider } from './resolve.js'

/** An endpoint as configured: without a URL it is discovered. */
export interface ResolvedEndpoint {
  readonly url: URL | undefined
  readonly params: readonly (readonly [name: string, value: string])[]
}

/**
 * The URL of the discovery document (OpenID Connect Discovery, section 4): always for OpenID, whose
 * keys it names too; for OAuth if an endpoint is not configured.
 */
export function discoveryOf(
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
  if (wellKnown === undefined && /\/\.well-known\/[\w-]+\/?$/.test(issuer)) {
    throw new ProviderMisconfigured(
      `The issuer of provider "${id}" is the address of its discovery document: leave out "/.well-known/" and what follows.`,
    )
  }
  const address = wellKnown ?? `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`
  return checkedUrl(id, wellKnown === undefined ? 'issuer' : 'wellKnown', address)
}

export function endpoint(id: string, name: string, option: Endpoint | undefined): ResolvedEndpoint {
  const { url: address, params = {} } = endpointParts(option)
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
