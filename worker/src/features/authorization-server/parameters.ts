import { readBytes } from '../../http/body.js'
import type { AuthRequest } from '../../http/request.js'
import { BadRequest } from '../../lib/bad-request.js'
import { OAuthError } from './oauth-error.js'

/** The longest query, in characters. */
const MAX_QUERY = 2_048

/** The most parameters of one request. The standards have some twenty. */
const MAX_PARAMETERS = 100

/** The parameters of a request (RFC 6749, 3.1 and 3.2). */
export interface Parameters {
  /** The first value. One without a value counts as left out. */
  get(name: string): string | undefined
  /** Was it sent, if only without a value? */
  has(name: string): boolean
  /** The parameters that came more than once, which is an error (RFC 6749, 3.1). */
  readonly repeated: ReadonlySet<string>
}

/**
 * The parameters of the query.
 *
 * @returns `undefined`: there are too many
 */
export function queryParameters({ original }: AuthRequest): Parameters | undefined {
  const { url } = original
  const start = url.indexOf('?') + 1
  const query = start === 0 ? '' : url.slice(start)
  return query.length > MAX_QUERY ? undefined : parametersIn(query)
}

/**
 * The parameters of a form, each of which is there once.
 *
 * @throws {OAuthError} `invalid_request`: it is not a form, is too long, or has a field twice
 */
export async function formParameters(request: AuthRequest): Promise<Parameters> {
  const parameters = parametersIn(await formText(request))
  if (!parameters || parameters.repeated.size > 0) {
    throw new OAuthError('invalid_request', 'Send each field once.')
  }
  return parameters
}

/** @returns `undefined`: there are too many */
export function parametersIn(text: string): Parameters | undefined {
  const values = new Map<string, string>()
  const repeated = new Set<string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (values.has(name)) repeated.add(name)
    else values.set(name, value)
    if (values.size > MAX_PARAMETERS) return undefined
  }
  return {
    get: (name) => values.get(name) || undefined,
    has: (name) => values.has(name),
    repeated,
  }
}

/**
 * The text of a form, at most 64 KiB.
 *
 * @throws {OAuthError} `invalid_request`
 */
export async function formText({ original }: AuthRequest): Promise<string> {
  const type = original.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new OAuthError('invalid_request', 'Send a form: application/x-www-form-urlencoded.')
  }
  try {
    const bytes = await readBytes(original)
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (error instanceof BadRequest) throw new OAuthError('invalid_request', error.message)
    if (error instanceof TypeError) throw new OAuthError('invalid_request', 'Send UTF-8.')
    throw error
  }
}
