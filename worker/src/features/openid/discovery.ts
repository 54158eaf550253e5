import type { AuthorizationServer } from 'oauth4webapi'
import { cachedDocument } from '../../http/cached-document.js'
import { isSameIssuer } from '../../http/issuer-keys.js'
import { fetchDocument } from '../../http/limited-fetch.js'
import { isLoopback } from '../../lib/is-loopback.js'
import type { ResolvedOAuthProvider } from '../../sign-in/oauth/resolve.js'

/** Reads a discovery document once an hour, whatever the number of sign-ins (OpenID Connect Discovery, section 4). */
export function discover(
  provider: ResolvedOAuthProvider,
  address: URL,
  limited: typeof fetch,
  now: number,
): Promise<AuthorizationServer> {
  const { issuer = '' } = provider
  return cachedDocument(`${issuer} ${address.href}`, {
    cachedBy: provider.fetch ?? globalThis.fetch,
    read: async () => metadataOf(await fetchDocument(limited, address.href), provider, address),
    now,
  })
}

const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'revocation_endpoint',
  'jwks_uri',
] as const

/**
 * The part of a discovery document that is used. It must be the issuer's own (RFC 8414, section
 * 3.3), with or without a slash at its end, have https URLs only, and have every needed endpoint:
 * any other document is not cached.
 */
function metadataOf(
  document: Record<string, unknown>,
  { type, issuer = '', authorization, token }: ResolvedOAuthProvider,
  discovery: URL,
): AuthorizationServer {
  const named = document.issuer
  if (!isSameIssuer(named, issuer)) {
    throw new TypeError('The discovery document belongs to another issuer.')
  }
  const needed = new Set<string>([
    ...(authorization.url ? [] : ['authorization_endpoint']),
    ...(token.url ? [] : ['token_endpoint']),
    ...(type === 'oidc' ? ['jwks_uri'] : []),
  ])
  const endpoints = ENDPOINTS.flatMap((name) => {
    const address = document[name]
    const isAbsent = address === undefined || address === null || address === ''
    if (isAbsent && !needed.has(name)) return []
    const url = typeof address === 'string' ? URL.parse(address) : null
    if (!url || (url.protocol !== 'https:' && !(isLoopback(discovery) && isLoopback(url)))) {
      // Sign-ins do without it.
      if (name === 'revocation_endpoint') return []
      throw new TypeError(`The discovery document has no valid ${name}.`)
    }
    return [[name, url.href] as const]
  })
  return {
    ...Object.fromEntries(endpoints),
    issuer: named,
    authorization_response_iss_parameter_supported:
      document.authorization_response_iss_parameter_supported === true,
    ...listOf(document, 'token_endpoint_auth_methods_supported'),
    ...listOf(document, 'id_token_signing_alg_values_supported'),
    ...listOf(document, 'claims_supported'),
  }
}

function listOf(document: Record<string, unknown>, name: string): Record<string, string[]> {
  const list = document[name]
  if (!Array.isArray(list)) return {}
  return { [name]: list.filter((value) => typeof value === 'string') }
}
