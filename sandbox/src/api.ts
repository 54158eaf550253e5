import type { Context } from 'hono'
import type { SandboxContext } from './context.js'
import type { Grant } from './grants.js'
import type { LogVariables } from './request-log.js'
import type { Scope } from './scopes.js'

interface Refusal {
  readonly code: string
  readonly status: 400 | 401
  readonly message: string
}

type ApiAnswer = { readonly data: Record<string, unknown> } | Refusal

export const invalidParams = (message: string): Refusal => ({
  code: 'invalid_params',
  status: 400,
  message,
})

export const notAuthorized = (what: string): Refusal => ({
  code: 'scope_not_authorized',
  status: 401,
  message: `Not granted: ${what}.`,
})

/**
 * Answers a request to the API in the name of the person behind a Bearer token, in the envelope of
 * every answer of the real one: `{ data, error }`, with the code `ok` for a success.
 *
 * @param needed the scopes for any answer
 */
export const withGrant = async (
  c: Context<LogVariables>,
  context: SandboxContext,
  needed: Scope,
  work: (grant: Grant) => Promise<ApiAnswer> | ApiAnswer,
): Promise<Response> => {
  const decide = (): Promise<ApiAnswer> | ApiAnswer => {
    const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(c.req.header('Authorization') ?? '')?.[1]
    const grant = token === undefined ? undefined : context.grants.findByAccessToken(token)
    const message = 'The access token is missing, invalid or expired.'
    if (!grant) return { code: 'access_token_invalid', status: 401, message }
    return grant.scopes.includes(needed) ? work(grant) : notAuthorized(needed)
  }
  const answer = await decide()
  c.header('Cache-Control', 'no-store')
  const log_id = context.logId()
  if ('data' in answer) return c.json({ ...answer, error: { code: 'ok', message: '', log_id } })
  const { code, status, message } = answer
  c.set('outcome', code)
  return c.json({ data: {}, error: { code, message, log_id } }, status)
}
