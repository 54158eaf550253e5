import { calculatePKCECodeChallenge } from 'oauth4webapi'
import { toHex } from '../../lib/hex.js'
import { addParameters } from '../caller-parameters.js'
import type { StartedFlow } from '../flow-cookie.js'
import { provedWithin } from '../step-up.js'
import type { Connection } from './connection.js'

/** A started sign-in at an OAuth or OpenID provider. */
export interface OAuthFlow extends StartedFlow {
  readonly codeVerifier: string
  /** OpenID only: ties the ID token to this flow. */
  readonly nonce?: string
  /** That of its provider, if it has one. */
  readonly bound?: string
}

type AskedFlow = Pick<
  OAuthFlow,
  'state' | 'nonce' | 'codeVerifier' | 'scope' | 'again' | 'maxAge' | 'acr'
>

/**
 * The URL that the browser goes to: the authorization request (RFC 6749, section 4.1.1) with PKCE
 * S256 and `state` always (RFC 9700, section 2.1.1).
 *
 * @param extra parameters that the caller of the sign-in route adds, such as `login_hint`
 */
export async function authorizationUrl(
  { provider, server }: Connection,
  redirectUri: string,
  flow: AskedFlow,
  extra: URLSearchParams,
): Promise<URL> {
  const { state, nonce, codeVerifier, scope = provider.scope, acr } = flow
  const maxAge = provedWithin(flow)
  const url = new URL(server.authorization_endpoint as string)
  addParameters(url, extra, maxAge === undefined ? [] : ['max_age', 'prompt'])
  const { searchParams: params } = url
  params.set('client_id', provider.clientId)
  params.set('response_type', 'code')
  params.set('redirect_uri', redirectUri)
  if (scope !== undefined) params.set('scope', scope)
  params.set('state', state)
  if (nonce !== undefined) params.set('nonce', nonce)
  params.set('code_challenge', await challengeOf(provider.codeChallengeEncoding, codeVerifier))
  params.set('code_challenge_method', 'S256')
  if (maxAge !== undefined) {
    // A provider that supports either parameter asks the user, and puts the time of that into the
    // ID token.
    params.set('max_age', String(maxAge))
    params.set('prompt', 'login')
    if (acr === '2' && provider.acrValues) params.set('acr_values', provider.acrValues)
  }
  return url
}

async function challengeOf(encoding: 'base64url' | 'hex', verifier: string): Promise<string> {
  if (encoding === 'base64url') return calculatePKCECodeChallenge(verifier)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return toHex(new Uint8Array(digest))
}
