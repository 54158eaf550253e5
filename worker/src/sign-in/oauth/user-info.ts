import { isRecord } from '@latchkey/session/internal'
import type { TokenSet } from '../../types.js'
import { ProviderRefusal } from '../failure.js'
import type { Connection } from './connection.js'
import type { IdTokenClaims } from './openid.js'

/**
 * The provider's description of the person. With an ID token its claims win, and user info must be
 * about the same `sub`, since it describes any bearer of the access token (OpenID Connect Core,
 * section 5.3.2).
 */
export async function describePerson(
  connection: Connection,
  tokens: TokenSet,
  claims: IdTokenClaims | undefined,
): Promise<Record<string, unknown>> {
  const { provider, server } = connection
  const canAsk = server.userinfo_endpoint !== undefined || provider.requestProfile !== undefined
  if (claims && (provider.idTokenSuffices || !canAsk)) return { ...claims }
  const profile = await requestProfile(connection, tokens)
  if (claims && profile.sub !== claims.sub) {
    throw new TypeError('The user info and the ID token name two different people.')
  }
  if (!claims) return profile
  const { email_verified: _, ...described } = { ...profile, ...claims }
  const email_verified =
    'email' in claims ? verification(claims, profile) : verification(profile, claims)
  return { ...described, ...(email_verified === undefined ? {} : { email_verified }) }
}

type Claims = Readonly<Record<string, unknown>>

/**
 * Whether the address is verified, by the document that names it: the other one may mean another
 * address. Its "no" counts all the same. Some providers write booleans as text.
 */
function verification(naming: Claims, other: Claims): unknown {
  return String(other.email_verified) === 'false' ? other.email_verified : naming.email_verified
}

async function requestProfile(
  connection: Connection,
  tokens: TokenSet,
): Promise<Record<string, unknown>> {
  const { provider, server, fetch, inTime } = connection
  if (provider.requestProfile) {
    const asked = provider.requestProfile({ tokens, provider: provider.config, fetch })
    const profile = await inTime(Promise.resolve(asked))
    if (!isRecord(profile)) throw new TypeError('userinfo.request() returned no object.')
    return profile
  }
  if (!server.userinfo_endpoint) throw new TypeError('The provider has no user-info endpoint.')
  const url = new URL(server.userinfo_endpoint)
  const answer = await fetch((provider.userinfoUrl?.(url, tokens) ?? url).href, {
    headers: { accept: 'application/json', authorization: `Bearer ${tokens.access_token}` },
  })
  const profile: unknown = await answer.json()
  if (!isRecord(profile)) throw new TypeError('The user info is not an object.')
  if (!answer.ok) throw new ProviderRefusal(answer.status, profile)
  return profile
}
