import type { Context } from 'hono'
import { invalidParams, notAuthorized, withGrant } from './api.js'
import type { SandboxContext } from './context.js'
import { derivedId } from './digest.js'
import type { Grant } from './grants.js'
import type { LogVariables } from './request-log.js'
import { basicScope, scopeOfField, type UserField } from './scopes.js'
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
export const handleUserInfo = (c: Context<LogVariables>, context: SandboxContext) =>
  withGrant(c, context, basicScope, async (grant) => {
    const asked = c.req.queries('fields') ?? []
    if (asked.length !== 1 || !asked[0]) {
      return invalidParams('The parameter fields is needed, once.')
    }
    const fields = asked[0].split(',')
    for (const field of fields) {
      if (!scopeOfField(field)) return invalidParams(`There is no field "${field}".`)
    }
    const closed = fields.filter((field) => {
      const scope = scopeOfField(field)
      return scope === undefined || !grant.scopes.includes(scope)
    })
    if (closed.length > 0) return notAuthorized(closed.join(', '))

    const user: Record<string, string | number | boolean> = {}
    for (const field of fields as UserField[]) {
      const value = await fieldValue(context, grant, field)
      if (value !== undefined) user[field] = value
    }
    return { data: { user } }
  })
