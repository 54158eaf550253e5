import type { Fields } from '../../../http/body.js'
import type { AuthRequest } from '../../../http/request.js'
import { WrongArgument } from '../../../lib/wrong-argument.js'
import type { OperationScope } from '../../../service/operations.js'

type MethodTable = AuthRequest['features']['methods']

/** A method as the operator API calls it. */
export interface OperatorMethod {
  readonly scope: OperationScope
  /** The members of its body; one that may be left out has `?` behind its name. */
  readonly members: readonly string[]
  /**
   * The arguments in a body.
   *
   * @param body without a prototype, so that every member is one that was sent
   * @throws {TypeError} naming the member that is wrong, and never its value
   */
  read(body: Fields): unknown[]
}

/** @param name any text @returns `undefined`: the operator API has no such method */
export function operatorMethod(
  { operations, takes }: MethodTable,
  name: string,
): OperatorMethod | undefined {
  const method = Object.hasOwn(operations, name) ? operations[name] : undefined
  if (!method?.scope) return undefined
  const { scope } = method
  const kinds = method.takes.map((kind) => ({
    kind,
    ...(takes[kind] as MethodTable['takes'][string]),
  }))
  const members = kinds.flatMap(({ kind, members }) => members ?? kind)
  const read = (body: Fields) => {
    checkKnown(name, members, body)
    return kinds.map(({ kind, members, check }) => check(members ? body : body[kind], name))
  }
  return { scope, members, read }
}

/** @throws {WrongArgument} a member that the method does not have */
function checkKnown(name: string, members: readonly string[], body: Fields): void {
  const unknown = Object.keys(body).find(
    (one) => !members.includes(one) && !members.includes(`${one}?`),
  )
  if (unknown === undefined) return
  // The caller has chosen the name.
  const named = unknown.slice(0, 32).replace(/[^\x20-\x7e]/g, '?')
  throw new WrongArgument(`${name} has no member "${named}".`)
}
