import { type InTime, timeLimit } from '@latchkey/session/internal'
import type { AuthorizationServer } from 'oauth4webapi'
import { fetchDocument, limitedFetch } from '../../http/limited-fetch.js'
import { isLoopback } from '../../lib/is-loopback.js'
import { asCallbackError } from '../failure.js'
import { MAX_WAIT } from '../provider-answer.js'
import { cachedDocument } from './documents.js'
import type { ResolvedEndpoint, ResolvedOAuthProvider } from './resolve.js'

/** A connection to a provider: its endpoints, and a fetch with limits. */
export interface Connection {
  readonly provider: ResolvedOAuthProvider
  /** Its metadata (RFC 8414): from discovery, overridden by the configuration. */
  readonly server: AuthorizationServer
  readonly fetch: typeof fetch
  /** The limit that all steps share. */
  readonly inTime: InTime
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Finds a provider's endpoints. Configured endpoints need no request; a discovery document is read
 * once an hour, whatever the number of sign-ins.
 *
 * @param inTime the limit of all requests of this connection; left out, it begins now
 * @throws {OAuthCallbackError} when the document cannot be read or is not this issuer's
 */
export async function connect(
  provider: ResolvedOAuthProvider,
  now: number,
  inTime = timeLimit(MAX_WAIT),
): Promise<Connection> {
  const fetch = limitedFetch(provider.fetch ?? globalThis.fetch, inTime)
  try {
    return { provider, server: await serverOf(provider, fetch, now), fetch, inTime, now }
  } catch (error) {
    throw asCallbackError(provider.id, error)
  }
}

async function serverOf(
  provider: ResolvedOAuthProvider,
  limited: typeof fetch,
  now: number,
): Promise<AuthorizationServer> {
  const issuer = await discovered(provider, limited, now)
  const authorization = addressOf(provider.authorization, issuer?.authorization_endpoint)
  const token = addressOf(provider.token, issuer?.token_endpoint)
  const userinfo = addressOf(provider.userinfo, issuer?.userinfo_endpoint)
  const revocation = addressOf(provider.revocation, issuer?.revocation_endpoint)
  if (!authorization || !token) throw new TypeError('The provider names no endpoints.')
  return {
    ...issuer,
    // A provider without an issuer identifier has none to compare with.
    issuer: issuer?.issuer ?? provider.issuer ?? new URL(token).origin,
    authorization_endpoint: authorization,
    token_endpoint: token,
    ...(userinfo ? { userinfo_endpoint: userinfo } : {}),
    ...(revocation ? { revocation_endpoint: revocation } : {}),
  }
}

/** OpenID Connect Discovery, section 4. */
async function discovered(
  provider: ResolvedOAuthProvider,
  limited: typeof globalThis.fetch,
  now: number,
): Promise<AuthorizationServer | undefined> {
  const { discovery, issuer = '', fetch = globalThis.fetch } = provider
  if (!discovery) return undefined
  const { href } = discovery
  return cachedDocument(`${issuer} ${href}`, {
    cachedBy: fetch,
    read: async () => metadataOf(await fetchDocument(limited, href), provider, discovery),
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
  if (typeof named !== 'string' || withoutSlash(named) !== withoutSlash(issuer)) {
    throw new TypeError('The discovery document belongs to another issuer.')
  }
  const needed = new Set<string>([
    ...(authorization.url ? [] : ['authorization_endpoint']),
    ...(token.url ? [] : ['token_endpoint']),
    ...(type === 'oidc' ? ['jwks_uri'] : []),
  ])
  const endpoints = ENDPOINTS.flatMap((name) => {
    const address = document[name]
    if (address === undefined && !needed.has(name)) return []
    const url = typeof address === 'string' ? URL.parse(address) : null
    if (!url || (url.protocol !== 'https:' && !(isLoopback(discovery) && isLoopback(url)))) {
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

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, '')
}

/** The configured address wins, and its parameters belong to the discovered one as well. */
function addressOf(
  { url, params }: ResolvedEndpoint,
  issuer: string | undefined,
): string | undefined {
  const base = url ?? issuer
  if (base === undefined) return undefined
  const address = new URL(base)
  for (const [name, value] of params) address.searchParams.set(name, value)
  return address.href
}
