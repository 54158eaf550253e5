import * as oauth from 'oauth4webapi'
import { isLoopback } from '../config/providers.js'
import type { Connection } from './connection.js'
import { USER_AGENT } from './provider-fetch.js'

/** What every request of ours to an authorization server is made with. */
export interface ClientRequest {
  readonly client: oauth.Client
  readonly authentication: oauth.ClientAuth
}

/**
 * How we prove that we are the client (OpenID Connect Core, section 9): as configured, else by
 * what the server says it supports, `client_secret_basic` before `client_secret_post`.
 */
export async function clientOf({ provider, server }: Connection): Promise<ClientRequest> {
  const { clientId, clientPrivateKey, clientSecret } = provider
  const client = { client_id: clientId }
  const method = provider.clientAuthentication ?? supportedMethod(server)
  if (method === 'none') return { client, authentication: oauth.None() }
  if (method === 'private_key_jwt' && clientPrivateKey) {
    return { client, authentication: oauth.PrivateKeyJwt(clientPrivateKey as oauth.PrivateKey) }
  }
  const secret = typeof clientSecret === 'function' ? await clientSecret() : clientSecret
  if (typeof secret !== 'string' || secret === '') throw new TypeError('There is no client secret.')
  const authenticate = method === 'client_secret_post' ? oauth.ClientSecretPost : clientSecretBasic
  return { client, authentication: authenticate(secret) }
}

/**
 * RFC 6749, section 2.3.1, by the encoding of forms. Many servers do not decode, so that nothing
 * may be encoded which need not be.
 */
function clientSecretBasic(secret: string): oauth.ClientAuth {
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return (_server, { client_id }, _body, headers) => {
    headers.set('authorization', `Basic ${btoa(`${encoded(client_id)}:${encoded(secret)}`)}`)
  }
}

function supportedMethod(server: oauth.AuthorizationServer): string {
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const isPostOnly =
    methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
  return isPostOnly ? 'client_secret_post' : 'client_secret_basic'
}

/** Plain http only for a server on this machine, which the configuration has checked. */
export function requestOptions({ fetch }: Connection, address: string | undefined) {
  const isLocal = address !== undefined && isLoopback(new URL(address))
  return {
    [oauth.customFetch]: fetch as never,
    headers: { 'user-agent': USER_AGENT },
    ...(isLocal ? { [oauth.allowInsecureRequests]: true as const } : {}),
  }
}
