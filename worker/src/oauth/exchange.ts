import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  validateAuthResponse,
} from 'oauth4webapi'
import type { RedirectProvider } from '../config/providers.js'
import type { TokenSet } from '../types.js'
import { clientOf, requestOptions } from './client.js'
import type { Connection } from './connection.js'
import { asCallbackError } from './failure.js'
import type { Flow } from './flow-cookie.js'
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
  try {
    return validateAuthResponse(server, { client_id: provider.clientId }, parameters, flow.state)
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
  const { provider } = connection
  let tokens: TokenSet = {}
  try {
    tokens = await requestTokens(connection, redirectUri, flow, response)
    const claims = await claimsOf(connection, flow, tokens)
    const profile = await describePerson(connection, tokens, claims)
    return { tokens, profile: provider.conform?.(profile, response) ?? profile }
  } catch (error) {
    const { access_token, refresh_token, id_token } = tokens
    const sent = [provider.clientSecret, flow.codeVerifier, flow.state, response.get('code')]
    throw asCallbackError(provider.id, error, [...sent, access_token, refresh_token, id_token])
  }
}

async function requestTokens(
  connection: Connection,
  redirectUri: string,
  flow: Flow,
  response: URLSearchParams,
): Promise<TokenSet> {
  const { server, now } = connection
  const { client, authentication } = await clientOf(connection)
  const answer = await authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    response,
    redirectUri,
    flow.codeVerifier,
    requestOptions(connection, server.token_endpoint),
  )
  return readTokenAnswer(answer, Math.floor(now / 1000))
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
