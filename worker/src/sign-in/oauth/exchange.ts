import { isRecord } from '@latchkey/session/internal'
import type { TokenSet } from '../../types.js'
import { saysUnverified } from '../email-verified.js'
import { asCallbackError, ProviderRefusal } from '../failure.js'
import type { Exchanged } from '../provider-answer.js'
import { provedWithin } from '../step-up.js'
import type { OAuthFlow } from './authorization-url.js'
import { readTokenAnswer, requestAsClient } from './client.js'
import type { Connection } from './connection.js'
import type { IdTokenClaims } from './openid.js'

/**
 * Exchanges an authorization response for tokens and a profile (RFC 6749, section 4.1.3).
 *
 * @param response its parameters, which {@link acceptResponse} has checked
 * @throws {OAuthCallbackError} for every failure, with the provider's error code and log id as its
 * cause, and never with a secret
 */
export async function exchange(
  connection: Connection,
  redirectUri: string,
  flow: OAuthFlow,
  response: URLSearchParams,
): Promise<Exchanged> {
  const { provider, server, now } = connection
  const secrets: unknown[] = [flow.state, flow.nonce]
  try {
    const code = response.get('code')
    if (!code) throw new TypeError('The answer has no code.')
    const parameters = {
      ...alsoSent(provider.config.responseParameters, response),
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: flow.codeVerifier,
    }
    const answer = await requestAsClient(
      connection,
      server.token_endpoint ?? '',
      parameters,
      secrets,
    )
    const tokens = await readTokenAnswer(answer, Math.floor(now / 1000))
    secrets.push(tokens.access_token, tokens.refresh_token, tokens.id_token)
    const claims = await claimsOf(connection, flow, tokens)
    const profile = await describePerson(connection, tokens, claims)
    const authTime = provedWithin(flow) === undefined ? undefined : (claims?.auth_time as number)
    return { tokens, profile: provider.conform?.(profile, response) ?? profile, authTime }
  } catch (error) {
    throw asCallbackError(provider.id, error, secrets)
  }
}

/** Longer parameters are left out, as those that stand twice are. Characters. */
const MAX_PARAMETER = 512

/**
 * The parameters of the provider's answer that it wants back. The browser may have changed them.
 */
function alsoSent(
  names: readonly string[] = [],
  response: URLSearchParams,
): Record<string, string> {
  const entries = names.flatMap((name) => {
    const [value, ...more] = response.getAll(name)
    const isSent = value !== undefined && more.length === 0 && value.length <= MAX_PARAMETER
    return isSent ? [[name, value] as const] : []
  })
  return Object.fromEntries(entries)
}

/** Plain OAuth asks for no ID token, so an unrequested one is ignored. */
async function claimsOf(
  connection: Connection,
  flow: OAuthFlow,
  { id_token, access_token }: TokenSet,
): Promise<IdTokenClaims | undefined> {
  const [{ nonce }, maxAge] = [flow, provedWithin(flow)]
  const { type, openId } = connection.provider
  if (type === 'oauth') {
    if (maxAge === undefined) return undefined
    throw new TypeError('The provider cannot say when somebody has proved who they are.')
  }
  if (!openId || id_token === undefined || access_token === undefined || nonce === undefined) {
    throw new TypeError('The provider sent no ID token.')
  }
  return openId.verifyIdToken(connection, id_token, { nonce, accessToken: access_token, maxAge })
}

/**
 * The provider's description of the person. With an ID token its claims win, and user info must be
 * about the same `sub`, since it describes any bearer of the access token (OpenID Connect Core,
 * section 5.3.2).
 */
async function describePerson(
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
 * address. Its "no" counts all the same.
 */
function verification(naming: Claims, other: Claims): unknown {
  return saysUnverified(other.email_verified) ? false : naming.email_verified
}

async function requestProfile(
  connection: Connection,
  tokens: TokenSet,
): Promise<Record<string, unknown>> {
  const { provider, server, fetch, inTime } = connection
  if (provider.requestProfile) {
    const asked = provider.requestProfile({ tokens, provider: provider.config, fetch })
    const profile = await inTime(asked)
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
