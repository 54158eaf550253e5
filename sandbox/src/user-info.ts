import type { Context } from 'hono'
import type { SandboxContext } from './context.js'
import { derivedId } from './digest.js'
import type { Grant } from './grants.js'
import type { LogVariables } from './request-log.js'
import { scopeOfField, type UserField } from './scopes.js'
import { openIdOf } from './token.js'

const fieldValue = async (
  { clients }: SandboxContext,
  { clientKey, person }: Grant,
  field: UserField,
): Promise<string | number | boolean | undefined> => {
  if (field === 'open_id') return openIdOf({ clientKey }, person.id)
  if (field === 'union_id') {
    return derivedId('union', clients.get(clientKey)?.developer ?? 'sandbox-developer', person.id)
  }
  return person.profile[field]
}

/** `GET /v2/user/info/?fields=…`: the asked-for fields of the person behind a Bearer token. */
export const handleUserInfo = async (
  c: Context<LogVariables>,
  context: SandboxContext,
): Promise<Response> => {
  const refuse = (code: string, status: 400 | 401, message: string) => {
    c.set('outcome', code)
    return c.json({ data: {}, error: { code, message, log_id: context.logId() } }, status)
  }
  c.header('Cache-Control', 'no-store')

  const token = /^Bearer ([\w.~+/-]+=*)$/i.exec(c.req.header('Authorization') ?? '')?.[1]
  const grant = token === undefined ? undefined : context.grants.findByAccessToken(token)
  if (!grant) {
    return refuse('access_token_invalid', 401, 'The access token is missing, invalid or expired.')
  }

  const asked = c.req.queries('fields') ?? []
  if (asked.length !== 1 || !asked[0]) {
    return refuse('invalid_params', 400, 'The parameter fields is needed, once.')
  }
  const fields = asked[0].split(',')
  for (const field of fields) {
    const scope = scopeOfField(field)
    if (!scope) return refuse('invalid_params', 400, `There is no field "${field}".`)
  }
  const closed = fields.filter((field) => {
    const scope = scopeOfField(field)
    return scope === undefined || !grant.scopes.includes(scope)
  })
  if (closed.length > 0) {
    return refuse('scope_not_authorized', 401, `Not granted: ${closed.join(', ')}.`)
  }

  const user: Record<string, string | number | boolean> = {}
  for (const field of fields as UserField[]) {
    const value = await fieldValue(context, grant, field)
    if (value !== undefined) user[field] = value
  }
  return c.json({ data: { user }, error: { code: 'ok', message: '', log_id: context.logId() } })
}
