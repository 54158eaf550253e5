import { isRecord } from '@latchkey/session/internal'
import {
  type ClientAuth,
  ClientSecretPost,
  None,
  type PrivateKey,
  PrivateKeyJwt,
} from 'oauth4webapi'
import { AuthError } from '../../errors.js'
import type { InTime } from '../../http/limited-fetch.js'
import type { OAuthConfig, TokenSet } from '../../types.js'
import { ProviderRefusal } from '../failure.js'
import type { Connection } from './connection.js'

/** Parameters of a request that are credentials. */
const CREDENTIALS = [
  'client_secret',
  'client_assertion',
  'code',
  'code_verifier',
  'refresh_token',
  'token',
]

/**
 * A request that only the client itself may make: for tokens, or to revoke one. Client
 * authentication is added by the server's method (OpenID Connect Core, section 9): as configured,
 * else by what discovery says, `client_secret_basic` before `client_secret_post`.
 *
 * @param parameters sent as a form (RFC 6749, appendix B)
 * @param secrets collects texts that must not be logged, even if an error quotes the request
 */
export async function requestAsClient(
  { provider, server, fetch, inTime }: Connection,
  address: string,
  parameters: Record<string, string>,
  secrets: unknown[],
): Promise<Response> {
  const { clientId, clientSecret, clientPrivateKey } = provider
  const method = provider.clientAuthentication ?? supportedMethod(server)
  const needsSecret = method === 'client_secret_basic' || method === 'client_secret_post'
  const secret = needsSecret ? await secretOf(clientSecret, inTime) : undefined
  if (needsSecret && (typeof secret !== 'string' || secret === '')) {
    throw new TypeError('There is no client secret.')
  }
  secrets.push(secret)
  const authenticate = {
    none: () => None(),
    private_key_jwt: () => PrivateKeyJwt(clientPrivateKey as PrivateKey),
    client_secret_post: () => ClientSecretPost(secret as string),
    client_secret_basic: () => clientSecretBasic(secret as string),
  }[method]()
  const body = new URLSearchParams(parameters)
  const headers = new Headers({
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  })
  await authenticate(server, { client_id: clientId }, body, headers)
  const proof = headers.get('authorization')
  secrets.push(proof, proof?.slice('Basic '.length), ...CREDENTIALS.map((name) => body.get(name)))
  return fetch(address, { method: 'POST', headers, body })
}

async function secretOf(
  secret: OAuthConfig['clientSecret'],
  inTime: InTime,
): Promise<string | undefined> {
  if (typeof secret !== 'function') return secret
  try {
    return await inTime(secret())
  } catch (error) {
    if (error instanceof AuthError) throw error
    // The original error may quote the key.
    throw new TypeError('clientSecret() made no secret.')
  }
}

/**
 * RFC 6749, section 2.3.1, by the encoding of forms. Many servers do not decode, so only characters
 * that need it are encoded.
 */
function clientSecretBasic(secret: string): ClientAuth {
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return (_server, { client_id }, _body, headers) => {
    headers.set('authorization', `Basic ${btoa(`${encoded(client_id)}:${encoded(secret)}`)}`)
  }
}

function supportedMethod({
  token_endpoint_auth_methods_supported: methods = ['client_secret_basic'],
}: Connection['server']) {
  const isPostOnly =
    methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
  return isPostOnly ? 'client_secret_post' : 'client_secret_basic'
}

/**
 * Reads the answer of a token endpoint (RFC 6749, sections 5.1 and 5.2). Some servers send errors
 * with status 200: the body decides, so that an error is never read as a success. An ID token is
 * not checked here.
 *
 * @throws {ProviderRefusal} with the provider's own error; {@link TypeError} for an invalid answer
 */
export async function readTokenAnswer(answer: Response, nowInSeconds: number): Promise<TokenSet> {
  const body: unknown = await answer.json()
  if (!isRecord(body)) throw new TypeError('The token answer is not an object.')
  if (!answer.ok || (body.error !== undefined && body.error !== null)) {
    throw new ProviderRefusal(answer.status, body)
  }
  const { expires_at: _, expires_in, token_type, ...rest } = body
  // Some servers list the scopes.
  if (Array.isArray(rest.scope)) rest.scope = rest.scope.join(' ')
  // A member that only adds to the access token is left out if it is malformed, and refuses nobody. Plain OAuth did not ask
  // for an ID token; for OpenID it then counts as missing.
  for (const name of ['refresh_token', 'scope', 'id_token'] as const) {
    if (!isVisible(rest[name]) || rest[name] === '') delete rest[name]
  }
  if (!isVisible(rest.access_token) || rest.access_token === '') throw malformed('access_token')
  const type = isVisible(token_type) ? token_type.toLowerCase() : ''
  // A token of another type cannot be sent as `Bearer`, so it is useless here.
  if (type !== 'bearer') throw malformed('token_type')
  return { ...rest, token_type: type, ...lifetime(expires_in, nowInSeconds) }
}

/**
 * Some servers send the seconds as text, and 0 or -1 for a token that does not end. An unusable value tells no more
 * than none does: the access token is tried as long as the provider takes it.
 */
function lifetime(expiresIn: unknown, nowInSeconds: number): Partial<TokenSet> {
  const expires_in = typeof expiresIn === 'string' ? Number.parseFloat(expiresIn) : expiresIn
  if (typeof expires_in !== 'number' || !(expires_in > 0 && expires_in <= MAX_LIFETIME)) return {}
  return { expires_in, expires_at: nowInSeconds + Math.floor(expires_in) }
}

/** A hundred years, in seconds. A longer life does not end. */
const MAX_LIFETIME = 3_155_760_000

/** Visible ASCII (RFC 6749, appendix A): it goes into headers. */
function isVisible(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)
}

function malformed(name: string): TypeError {
  return new TypeError(`"${name}" of the token answer is not as it must be.`)
}
