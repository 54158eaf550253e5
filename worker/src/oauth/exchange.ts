import * as oauth from 'oauth4webapi'
import { isLoopback, type ResolvedOAuthProvider } from '../config/providers.js'
import { OAuthCallbackError } from '../errors.js'
import { isRecord } from '../is-record.js'
import { printable } from '../printable.js'
import type { TokenSet } from '../types.js'
import type { Flow } from './flow-cookie.js'
import { limitedFetch } from './provider-fetch.js'

/** What a finished flow brought: the tokens, and the provider's description of the person. */
export interface Exchanged {
  readonly tokens: TokenSet
  readonly profile: Record<string, unknown>
}

/**
 * Exchanges an authorization response for tokens and a profile (RFC 6749, section 4.1.3).
 *
 * @param response what {@link checkResponse} returned
 * @throws {OAuthCallbackError} with the provider's error code and log id as its cause, whatever
 *   the provider did wrong; never with anything secret
 */
export async function exchange(
  provider: ResolvedOAuthProvider,
  redirectUri: string,
  flow: Flow,
  response: URLSearchParams,
  nowInSeconds: number,
): Promise<Exchanged> {
  const fetch = limitedFetch(provider.fetch ?? globalThis.fetch)
  let tokens: TokenSet = {}
  try {
    tokens = await requestTokens(provider, redirectUri, flow, response, fetch, nowInSeconds)
    return { tokens, profile: await requestProfile(provider, tokens, fetch) }
  } catch (error) {
    const { access_token, refresh_token, id_token } = tokens
    const sent = [provider.clientSecret, flow.codeVerifier, flow.state, response.get('code')]
    throw asCallbackError(provider.id, error, [...sent, access_token, refresh_token, id_token])
  }
}

/**
 * Checks that a callback answers the flow's own request, before anything is used up.
 *
 * @param response the parameters of the callback, exactly as they came
 * @throws {OAuthCallbackError} `code` is `access_denied` when the person cancelled
 */
export function checkResponse(
  provider: ResolvedOAuthProvider,
  flow: Flow,
  response: URLSearchParams,
): URLSearchParams {
  const parameters = new URLSearchParams(response)
  // There is nothing to compare `iss` with (RFC 9207) where the provider has no known issuer.
  if (provider.issuer === undefined) parameters.delete('iss')
  try {
    return oauth.validateAuthResponse(
      serverOf(provider),
      { client_id: provider.clientId },
      parameters,
      flow.state,
    )
  } catch (error) {
    throw asCallbackError(provider.id, error)
  }
}

type LimitedFetch = ReturnType<typeof limitedFetch>

async function requestTokens(
  provider: ResolvedOAuthProvider,
  redirectUri: string,
  flow: Flow,
  response: URLSearchParams,
  fetch: LimitedFetch,
  nowInSeconds: number,
): Promise<TokenSet> {
  const server = serverOf(provider)
  const client = { client_id: provider.clientId }
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    clientAuthentication(provider),
    response,
    redirectUri,
    flow.codeVerifier,
    { [oauth.customFetch]: fetch as never, ...insecure(provider.token) },
  )
  const { usable, idToken } = await readTokenAnswer(answer)
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, usable)
  return tokenSet({ ...tokens, ...idToken }, nowInSeconds)
}

async function requestProfile(
  provider: ResolvedOAuthProvider,
  tokens: TokenSet,
  fetch: LimitedFetch,
): Promise<Record<string, unknown>> {
  const url = new URL(provider.userinfo)
  const answer = await oauth.protectedResourceRequest(
    tokens.access_token as string,
    'GET',
    provider.userinfoUrl?.(url, tokens) ?? url,
    new Headers({ accept: 'application/json' }),
    null,
    { [oauth.customFetch]: fetch as never, ...insecure(url) },
  )
  const profile: unknown = await answer.json()
  if (!isRecord(profile)) throw new TypeError('The user info is not an object.')
  if (!answer.ok) throw new ProviderRefusal(answer.status, profile)
  return profile
}

/**
 * Some servers send token errors with status 200: the body decides, so that an error is never read
 * as a success. An ID token is set aside: in plain OAuth nobody asked for one, and nothing is
 * believed for it.
 */
async function readTokenAnswer(
  answer: Response,
): Promise<{ usable: Response; idToken: { id_token?: string } }> {
  if (!answer.ok) return { usable: answer, idToken: {} }
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined)
  if (!isRecord(body)) return { usable: answer, idToken: {} }
  if (body.error !== undefined && body.error !== null) {
    throw new ProviderRefusal(answer.status, body)
  }
  const { id_token, ...rest } = body
  if (id_token === undefined) return { usable: answer, idToken: {} }
  return {
    usable: new Response(JSON.stringify(rest), answer),
    idToken: typeof id_token === 'string' ? { id_token } : {},
  }
}

function tokenSet(answer: oauth.TokenEndpointResponse, nowInSeconds: number): TokenSet {
  const { expires_in, token_type, expires_at: _, ...rest } = answer
  return {
    ...(rest as TokenSet),
    token_type: token_type.toLowerCase() as Lowercase<string>,
    ...(expires_in === undefined
      ? {}
      : { expires_in, expires_at: nowInSeconds + Math.floor(expires_in) }),
  }
}

function serverOf(provider: ResolvedOAuthProvider): oauth.AuthorizationServer {
  return {
    // A provider without an issuer identifier has none to compare with.
    issuer: provider.issuer ?? provider.token.origin,
    authorization_endpoint: provider.authorization.href,
    token_endpoint: provider.token.href,
  }
}

function clientAuthentication(provider: ResolvedOAuthProvider): oauth.ClientAuth {
  const { clientSecret, clientAuthentication: method } = provider
  if (method === 'none' || clientSecret === undefined) return oauth.None()
  return method === 'client_secret_post'
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret)
}

/** Plain http only for a server on this machine, which the configuration has checked. */
function insecure(url: URL): { [oauth.allowInsecureRequests]?: true } {
  return isLoopback(url) ? { [oauth.allowInsecureRequests]: true } : {}
}

/** The provider answered with an error of its own. Keeps its code and log id, and nothing else. */
class ProviderRefusal extends Error {
  override name = 'ProviderRefusal'
  readonly detail: Record<string, unknown>

  constructor(status: number, body: Record<string, unknown>) {
    super('The provider answered with an error.')
    this.detail = { status, ...errorDetail(body) }
  }
}

/** @param secrets what the log must not show, should the provider or its fetch repeat it */
function asCallbackError(
  provider: string,
  error: unknown,
  secrets: readonly unknown[] = [],
): OAuthCallbackError {
  if (error instanceof OAuthCallbackError) return error
  const detail = { provider, ...without(secrets, describe(error)) }
  const failure = new OAuthCallbackError(`Sign-in with "${provider}" failed.`, { cause: detail })
  if (error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied') {
    failure.code = 'access_denied'
  }
  return failure
}

/** What may be logged of a failure: codes and our own words, never a body, a token or a code. */
function describe(error: unknown): Record<string, unknown> {
  if (error instanceof ProviderRefusal) return error.detail
  if (error instanceof oauth.ResponseBodyError) {
    return { status: error.status, ...errorDetail(error.cause) }
  }
  if (error instanceof oauth.AuthorizationResponseError) return { error: printable(error.error) }
  if (error instanceof oauth.WWWAuthenticateChallengeError) return { status: error.status }
  const { name, message } = error instanceof Error ? error : new Error('unknown')
  // A JSON parser quotes what it could not read, which may hold a token.
  return {
    reason: error instanceof SyntaxError ? 'The answer is not JSON.' : `${name}: ${message}`,
  }
}

function without(
  secrets: readonly unknown[],
  detail: Record<string, unknown>,
): Record<string, unknown> {
  const hide = (text: string, secret: unknown) =>
    typeof secret === 'string' && secret !== '' ? text.replaceAll(secret, '…') : text
  const entries = Object.entries(detail).map(([name, value]) => [
    name,
    typeof value === 'string' ? secrets.reduce(hide, value) : value,
  ])
  return Object.fromEntries(entries)
}

/** `error` as a string (RFC 6749) or as an object with `code` and `log_id`. */
function errorDetail(body: Record<string, unknown> | object): Record<string, unknown> {
  const { error, error_description, log_id } = body as Record<string, unknown>
  const nested = isRecord(error) ? error : {}
  const detail = {
    error: printable(nested.code ?? error),
    description: printable(nested.message ?? error_description),
    log_id: printable(nested.log_id ?? log_id),
  }
  return Object.fromEntries(Object.entries(detail).filter(([, value]) => value !== undefined))
}
