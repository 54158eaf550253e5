import { type AuthorizationServer, validateAuthResponse } from 'oauth4webapi'
import type { RedirectProvider } from '../../config/providers.js'
import type { TokenSet } from '../../types.js'
import type { Flow } from '../flow-cookie.js'
import { requestAsClient } from './client.js'
import type { Connection } from './connection.js'
import { asCallbackError } from './failure.js'
import { type IdTokenClaims, verifyIdToken } from './id-token.js'
import { readTokenAnswer } from './token-answer.js'
import { describePerson } from './user-info.js'

/** What a finished flow brought: the tokens, and the provider's description of the person. */
export interface Exchanged {
  readonly tokens: TokenSet
  readonly profile: Record<string, unknown>
}

/**
 * Checks that a callback answers the flow's own request, before anything is used up.
 *
 * @param response the parameters of the callback, exactly as they came
 * @throws {OAuthCallbackError} `code` is `access_denied` when the person cancelled
 */
export function checkResponse(
  provider: RedirectProvider,
  server: AuthorizationServer,
  flow: Flow,
  response: URLSearchParams,
): URLSearchParams {
  const parameters = new URLSearchParams(response)
  // There is nothing to compare `iss` with (RFC 9207) where a provider has no known issuer, or
  // one for each tenant.
  const hasIssuer = 'issuer' in provider && provider.issuer !== undefined && !provider.issuerOf
  if (!hasIssuer) parameters.delete('iss')
  const compared = hasIssuer ? server : { issuer: server.issuer }
  try {
    return validateAuthResponse(compared, { client_id: provider.clientId }, parameters, flow.state)
  } catch (error) {
    throw asCallbackError(provider.id, error)
  }
}

/**
 * Exchanges an authorization response for tokens and a profile (RFC 6749, section 4.1.3).
 *
 * @param response what {@link checkResponse} returned
 * @throws {OAuthCallbackError} with the provider's error code and log id as its cause, whatever
 *   the provider did wrong; never with anything secret
 */
export async function exchange(
  connection: Connection,
  redirectUri: string,
  flow: Flow,
  response: URLSearchParams,
): Promise<Exchanged> {
  const { provider, server, now } = connection
  const secrets: unknown[] = [flow.state, flow.nonce]
  try {
    const code = response.get('code')
    if (!code) throw new TypeError('The answer has no code.')
    const parameters = {
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
    return { tokens, profile: provider.conform?.(profile, response) ?? profile }
  } catch (error) {
    throw asCallbackError(provider.id, error, secrets)
  }
}

/** In plain OAuth nobody asked for an ID token, and nothing is believed for one. */
async function claimsOf(
  connection: Connection,
  { nonce }: Flow,
  { id_token, access_token }: TokenSet,
): Promise<IdTokenClaims | undefined> {
  if (connection.provider.type === 'oauth') return undefined
  if (id_token === undefined || access_token === undefined || nonce === undefined) {
    throw new TypeError('The provider sent no ID token.')
  }
  return verifyIdToken(connection, id_token, { nonce, accessToken: access_token })
}
