import { each } from '../../scripts/generate/omissions.ts'
import { operatorMethod } from '../src/features/operate/operator/method.js'
import { METHOD_TABLE } from '../src/service/operations.js'
import { OPERATOR_METHODS } from './operator-methods.ts'
import { answer, response } from './responses.ts'
import type { Operation } from './routes.ts'
import { closed, list, nothing, number, object, orNull, ref, type Schema } from './schema.ts'

const name: Schema = { type: 'string', minLength: 1, maxLength: 255 }
const id: Schema = { type: 'string', minLength: 1 }

/** The members that bodies have, by their names. A test names one that is missing here. */
const MEMBERS: Readonly<Record<string, Schema>> = {
  sub: { ...name, description: 'The id of the person, `user.id` of their session.' },
  except: { ...name, description: 'The `sid` of the session that goes on.' },
  session: { ...name, description: 'The `id` of the session.' },
  provider: { ...name, description: 'The id of the provider.' },
  reason: { type: 'string', minLength: 1, maxLength: 200 },
  id: { ...id, description: 'The `id` of the record.' },
  ip: { type: 'string', description: 'An address: records of its network.' },
  event: { type: 'string', description: 'A name of docs/log-events.md.' },
  since: { type: 'string', description: 'ISO 8601: records of this time and later ones.' },
  until: { type: 'string', description: 'ISO 8601: records before this time.' },
  after: { type: 'string', description: '`next` of the answer before.' },
  email: { type: 'string', description: 'The address that a person signs in with.' },
  person: { type: 'string', description: '`person` of a line of the log.' },
  company: { ...name, description: 'The id of a company.' },
  subject: {
    ...name,
    description: 'The `sub` that the provider of a company gives to the person.',
  },
  limit: { ...number, minimum: 1, maximum: 200, default: 50 },
}

/** @param text the name of a schema, with `[]` or `| null`; `boolean`, `string` or `null` */
function schemaOfResult(text: string): Schema {
  if (text === 'null') return nothing
  const [, name = '', more] = /^(\w+)(\[\]| \| null)?$/.exec(text) ?? []
  const one = name === 'boolean' || name === 'string' ? { type: name } : ref(name)
  return more === '[]' ? list(one) : more ? orNull(one) : one
}

/** The operation of each method of the operator API, by its path. */
export function operatorOperations(): [path: string, operation: Operation][] {
  return each(Object.keys(METHOD_TABLE.operations), (name): [string, Operation][] => {
    const method = operatorMethod(METHOD_TABLE, name)
    if (!method) return []
    const members = each(method.members, (one) => [one, schemaOf(name, one.replace('?', ''))])
    const body = closed(Object.fromEntries(members))
    const [summary, result] = OPERATOR_METHODS[name] ?? missing(`the method ${name}`)
    return [
      [
        `/operator/${name}`,
        operationOf(summary, body, schemaOfResult(result), method.scope === 'manage'),
      ],
    ]
  }).flat()
}

function schemaOf(method: string, member: string): Schema {
  return MEMBERS[member] ?? missing(`the member ${member} of ${method}`)
}

/** @throws {Error} says what to do */
function missing(what: string): never {
  throw new Error(`worker/openapi/operator.ts lacks ${what}: add it to MEMBERS.`)
}

function operationOf(summary: string, body: Schema, result: Schema, isManage: boolean): Operation {
  return {
    summary,
    security: 'operatorKey',
    body: { schema: body, types: ['application/json'] },
    responses: {
      '200': answer('It is done.', object({ result })),
      '400': response('OperatorMalformed'),
      '401': response('OperatorKeyRequired'),
      ...(isManage ? { '403': response('ScopeRequired') } : {}),
      '404': response('OperatorNotFound'),
      '408': response('OperatorTooSlow'),
      '413': response('OperatorTooLong'),
      '415': response('OperatorWrongType'),
      '429': response('OperatorTooMany'),
      '500': response('Misconfigured'),
      '503': response('OperatorUnavailable'),
    },
  }
}
