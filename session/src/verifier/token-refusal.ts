import type { AccessTokenFault } from '../token/access-token.js'
import type { SessionNeeds } from '../token/is-enough.js'

/** What a route demands of an access token. */
export interface TokenNeeds extends Omit<SessionNeeds, 'bound'> {
  /** The scopes that the token has to have, separated by spaces or as a list. Default: none. */
  readonly scope?: string | readonly string[] | undefined
}

/** Why a request has no token that counts. For logs; a client learns less. */
export type TokenRefusalReason =
  | AccessTokenFault
  | 'no-token'
  | 'api-key'
  | 'grant-ended'
  | 'machine'
  | 'stale'
  | 'scope'
  | 'max-age'
  | 'acr'

/** Why a request is refused, and how it is answered. */
export interface TokenRefusal {
  /** The status of HTTP. */
  readonly status: 401 | 403
  /** As in the body of the answer, and but for `token_required` as in the challenge. */
  readonly error:
    | 'token_required'
    | 'invalid_token'
    | 'insufficient_scope'
    | 'insufficient_user_authentication'
  /** For the log. */
  readonly reason: TokenRefusalReason
  /** The value of `WWW-Authenticate` (RFC 6750, section 3). */
  readonly challenge: string
}

/** RFC 6749, 3.3. These characters may stand in a text in quotes too. */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]+$/

/**
 * The scopes of an option, each once: a text with spaces between them, or a list. An empty one would ask for nothing.
 *
 * @returns `undefined`: it names none
 */
export function readScopes(value: unknown): readonly string[] | undefined {
  const scopes: unknown = typeof value === 'string' ? value.split(/ +/).filter(Boolean) : value
  if (!Array.isArray(scopes) || scopes.length === 0) return undefined
  return scopes.every((one) => typeof one === 'string' && isScope(one))
    ? [...new Set<string>(scopes)]
    : undefined
}

/** The scopes that are asked for, each once. */
function scopesOf({ scope }: TokenNeeds): readonly string[] {
  if (scope === undefined) return []
  const scopes: unknown = typeof scope === 'string' ? scope.split(/ +/).filter(Boolean) : scope
  return Array.isArray(scopes) ? [...new Set(scopes.map(String))] : [String(scopes)]
}

/** Has a token all the scopes that are asked for? Invalid ones no token has, and an empty text is invalid too. */
export function hasScopes(scopes: readonly string[], needs: TokenNeeds): boolean {
  if (needs.scope === undefined) return true
  return readScopes(needs.scope)?.every((one) => scopes.includes(one)) === true
}

/** Is it a scope by its characters? */
function isScope(scope: string): boolean {
  return SCOPE.test(scope)
}

/**
 * The refusal of a request.
 *
 * @param metadata where the metadata of the resource is (RFC 9728, 5.1), if it has some
 */
export function refusalOf(
  reason: TokenRefusalReason,
  needs: TokenNeeds,
  metadata?: string,
): TokenRefusal {
  const { status, error } = KINDS[reason] ?? INVALID
  const challenge = ['Bearer', parametersOf(reason, error, needs, metadata).join(', ')]
  return Object.freeze({ status, error, reason, challenge: challenge.join(' ').trim() })
}

const INVALID = { status: 401, error: 'invalid_token' } as const
const INSUFFICIENT = { status: 401, error: 'insufficient_user_authentication' } as const

const KINDS: Partial<Record<TokenRefusalReason, Pick<TokenRefusal, 'status' | 'error'>>> = {
  'no-token': { status: 401, error: 'token_required' },
  scope: { status: 403, error: 'insufficient_scope' },
  'max-age': INSUFFICIENT,
  acr: INSUFFICIENT,
}

/** The descriptions of RFC 9470, section 3, and ours. */
function descriptionOf(reason: TokenRefusalReason): string {
  if (reason === 'scope') return 'The access token has not all of the scopes'
  if (reason === 'max-age') return 'More recent authentication is required'
  if (reason === 'acr') return 'A different authentication level is required'
  return 'The access token is not valid here'
}

function parametersOf(
  reason: TokenRefusalReason,
  error: TokenRefusal['error'],
  needs: TokenNeeds,
  metadata: string | undefined,
): string[] {
  const parameters: string[] = []
  if (error !== 'token_required') {
    parameters.push(`error="${error}"`, `error_description="${descriptionOf(reason)}"`)
  }
  if (error === 'insufficient_user_authentication') {
    const { maxAge, acr } = needs
    if (maxAge !== undefined) parameters.push(`max_age="${Number(maxAge)}"`)
    if (acr !== undefined) parameters.push(`acr_values="${Number(acr)}"`)
  } else {
    // Needs of an app without types may have any text, which must not end the header.
    const scopes = scopesOf(needs).filter(isScope)
    if (scopes.length > 0) parameters.push(`scope="${scopes.join(' ')}"`)
  }
  if (metadata !== undefined) parameters.push(`resource_metadata="${metadata}"`)
  return parameters
}
