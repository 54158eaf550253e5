import { calculatePKCECodeChallenge } from 'oauth4webapi'
import type { Flow } from '../flow-cookie.js'
import type { Connection } from './connection.js'

/**
 * Parameters that a caller of the sign-in route may not set: they decide who the request is from,
 * where the answer goes and what it proves. `request` and `request_uri` would replace them all
 * (RFC 9101).
 */
const RESERVED = new Set([
  'client_id',
  'client_key',
  'client_secret',
  'redirect_uri',
  'response_type',
  'response_mode',
  'state',
  'nonce',
  'scope',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
  // Ours, where a caller puts them into the query.
  'callbackurl',
  'csrftoken',
])

/**
 * Where the browser goes to sign in: the authorization request (RFC 6749, section 4.1.1) with
 * PKCE S256 and `state` always (RFC 9700, section 2.1.1).
 *
 * @param extra what the caller of the sign-in route adds, such as `login_hint`
 */
export async function authorizationUrl(
  { provider, server }: Connection,
  redirectUri: string,
  { state, nonce, codeVerifier }: Pick<Flow, 'state' | 'nonce' | 'codeVerifier'>,
  extra: URLSearchParams,
): Promise<URL> {
  const url = new URL(server.authorization_endpoint as string)
  addParameters(url, extra)
  const { searchParams: params } = url
  params.set('client_id', provider.clientId)
  params.set('response_type', 'code')
  params.set('redirect_uri', redirectUri)
  if (provider.scope !== undefined) params.set('scope', provider.scope)
  params.set('state', state)
  if (nonce !== undefined) params.set('nonce', nonce)
  params.set('code_challenge', await challengeOf(provider.codeChallengeEncoding, codeVerifier))
  params.set('code_challenge_method', 'S256')
  return url
}

/** Puts a caller's parameters into an authorization URL, but none of those that are ours. */
export function addParameters(url: URL, extra: URLSearchParams): void {
  for (const [name, value] of extra) {
    if (!RESERVED.has(name.toLowerCase())) url.searchParams.set(name, value)
  }
}

async function challengeOf(encoding: 'base64url' | 'hex', verifier: string): Promise<string> {
  if (encoding === 'base64url') return calculatePKCECodeChallenge(verifier)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
