import { isRecord } from '@latchkey/session/internal'
import { AuthorizationResponseError } from 'oauth4webapi'
import { OAuthCallbackError } from '../errors.js'
import { hideSecrets, ownDetail, printable } from '../lib/printable.js'

/** The provider answered with an error of its own. Its message is cleaned before it is logged. */
export class ProviderRefusal extends Error {
  override name = 'ProviderRefusal'
  readonly status: number
  readonly body: object

  constructor(status: number, body: object) {
    super('The provider answered with an error.')
    this.status = status
    this.body = body
  }
}

/**
 * Any failure between us and a provider, as the one error that a person sees.
 *
 * @param secrets texts that the log must not show, even if the provider or its fetch repeats them
 * @param cancelErrors the provider's own words for a sign-in that the person cancels
 */
export function asCallbackError(
  provider: string,
  error: unknown,
  secrets: readonly unknown[] = [],
  cancelErrors: readonly string[] = [],
): OAuthCallbackError {
  if (error instanceof OAuthCallbackError) return error
  const clean = (text: unknown) =>
    printable(typeof text === 'string' ? hideSecrets(text, secrets) : undefined)
  const entries = Object.entries(describe(error)).flatMap(([name, value]) => {
    const shown = typeof value === 'number' ? value : clean(value)
    return shown === undefined ? [] : [[name, shown]]
  })
  const cause = ownDetail({ provider, ...Object.fromEntries(entries) })
  const failure = new OAuthCallbackError(`Sign-in with "${provider}" failed.`, { cause })
  if (error instanceof AuthorizationResponseError) {
    const isCanceled = error.error === 'access_denied' || cancelErrors.includes(error.error)
    if (isCanceled) failure.code = 'access_denied'
  }
  return failure
}

/**
 * The parts of a failure that may be logged: error codes and our own messages, never a body, a
 * token or an authorization code.
 */
function describe(error: unknown): Record<string, unknown> {
  if (error instanceof ProviderRefusal) {
    return { status: error.status, ...errorDetail(error.body) }
  }
  if (error instanceof AuthorizationResponseError) return { error: error.error }
  const { name, message } = error instanceof Error ? error : new Error('unknown')
  // A JSON parser's error quotes its input, which may hold a token.
  return {
    reason: error instanceof SyntaxError ? 'The answer is not JSON.' : `${name}: ${message}`,
  }
}

/** `error` as a string (RFC 6749) or as an object with `code` and `log_id`. */
function errorDetail(body: object): Record<string, unknown> {
  const { error, error_description, log_id } = body as Record<string, unknown>
  const nested = isRecord(error) ? error : {}
  return {
    error: nested.code ?? error,
    description: nested.message ?? error_description,
    log_id: nested.log_id ?? log_id,
  }
}
