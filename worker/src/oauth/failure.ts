import { AuthorizationResponseError } from 'oauth4webapi'
import { OAuthCallbackError } from '../errors.js'
import { isRecord } from '../is-record.js'
import { printable } from '../printable.js'

/** The provider answered with an error of its own. Keeps its code and log id, and nothing else. */
export class ProviderRefusal extends Error {
  override name = 'ProviderRefusal'
  readonly detail: Record<string, unknown>

  constructor(status: number, body: Record<string, unknown>) {
    super('The provider answered with an error.')
    this.detail = { status, ...errorDetail(body) }
  }
}

/**
 * Whatever went wrong between us and a provider, as the one error that a person meets.
 *
 * @param secrets what the log must not show, should the provider or its fetch repeat it
 */
export function asCallbackError(
  provider: string,
  error: unknown,
  secrets: readonly unknown[] = [],
): OAuthCallbackError {
  if (error instanceof OAuthCallbackError) return error
  const detail = { provider, ...without(secrets, describe(error)) }
  const failure = new OAuthCallbackError(`Sign-in with "${provider}" failed.`, { cause: detail })
  if (error instanceof AuthorizationResponseError && error.error === 'access_denied') {
    failure.code = 'access_denied'
  }
  return failure
}

/** What may be logged of a failure: codes and our own words, never a body, a token or a code. */
function describe(error: unknown): Record<string, unknown> {
  if (error instanceof ProviderRefusal) return error.detail
  if (error instanceof AuthorizationResponseError) return { error: printable(error.error) }
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
