import { isRecord } from '@latchkey/session/internal'
import type { TokenSet } from '../../types.js'
import { ProviderRefusal } from '../failure.js'

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
  for (const name of ['refresh_token', 'scope'] as const) {
    if (rest[name] === null || rest[name] === '') delete rest[name]
    if (rest[name] !== undefined && !isVisible(rest[name])) throw malformed(name)
  }
  // Plain OAuth did not ask for an ID token; for OpenID it then counts as missing.
  if (!isVisible(rest.id_token)) delete rest.id_token
  if (!isVisible(rest.access_token) || rest.access_token === '') throw malformed('access_token')
  const type = isVisible(token_type) ? token_type.toLowerCase() : ''
  // A token of another type cannot be sent as `Bearer`, so it is useless here.
  if (type !== 'bearer') throw malformed('token_type')
  return { ...rest, token_type: type, ...lifetime(expires_in, nowInSeconds) }
}

/** Some servers send the seconds as text, and 0 for a token that does not end. */
function lifetime(expiresIn: unknown, nowInSeconds: number): Partial<TokenSet> {
  if (expiresIn === undefined || expiresIn === null) return {}
  const expires_in = typeof expiresIn === 'string' ? Number.parseFloat(expiresIn) : expiresIn
  if (typeof expires_in !== 'number' || !Number.isFinite(expires_in) || expires_in < 0) {
    throw malformed('expires_in')
  }
  if (expires_in === 0) return {}
  return { expires_in, expires_at: nowInSeconds + Math.floor(expires_in) }
}

/** Visible ASCII (RFC 6749, appendix A): it goes into headers. */
function isVisible(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)
}

function malformed(name: string): TypeError {
  return new TypeError(`"${name}" of the token answer is not as it must be.`)
}
