import type { AuthorizationServer } from 'oauth4webapi'
import { type InTime, limitedFetch, timeLimit } from '../../http/limited-fetch.js'
import { asCallbackError } from '../failure.js'
import { MAX_WAIT } from '../provider-answer.js'
import type { ResolvedEndpoint } from './endpoints.js'
import type { ResolvedOAuthProvider } from './resolve.js'

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
  const { discovery } = provider
  const metadata = discovery && (await provider.openId?.discover(provider, discovery, limited, now))
  const [of, known] = servers.get(provider) ?? []
  if (known && of === metadata) return known
  const server = serverFrom(provider, metadata)
  servers.set(provider, [metadata, server])
  return server
}

/** The last one of each provider, and the discovery document that it is from. */
const servers = new WeakMap<
  ResolvedOAuthProvider,
  readonly [metadata: AuthorizationServer | undefined, server: AuthorizationServer]
>()

function serverFrom(
  provider: ResolvedOAuthProvider,
  metadata: AuthorizationServer | undefined,
): AuthorizationServer {
  const authorization = addressOf(provider.authorization, metadata?.authorization_endpoint)
  const token = addressOf(provider.token, metadata?.token_endpoint)
  const userinfo = addressOf(provider.userinfo, metadata?.userinfo_endpoint)
  const revocation = addressOf(provider.revocation, metadata?.revocation_endpoint)
  if (!authorization || !token) throw new TypeError('The provider names no endpoints.')
  return {
    ...metadata,
    // A provider without an issuer identifier has none to compare with.
    issuer: metadata?.issuer ?? provider.issuer ?? new URL(token).origin,
    authorization_endpoint: authorization,
    token_endpoint: token,
    ...(userinfo ? { userinfo_endpoint: userinfo } : {}),
    ...(revocation ? { revocation_endpoint: revocation } : {}),
  }
}

/** The configured address wins, and its parameters belong to the discovered one as well. */
function addressOf(
  { url, params }: ResolvedEndpoint,
  discovered: string | undefined,
): string | undefined {
  const base = url ?? discovered
  if (base === undefined) return undefined
  const address = new URL(base)
  for (const [name, value] of params) address.searchParams.set(name, value)
  return address.href
}
