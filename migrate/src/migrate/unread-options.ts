import { unknownOfAdapter } from '@latchkey/host/shared'
import ts from 'typescript'
import { memberAt, nameOf, valueIn, withoutTypes } from './objects.js'

/** An option that nothing reads here, with what takes its place. */
export interface UnreadOption {
  readonly node: ts.Node
  /** Such as `session.strategy`. */
  readonly path: string
  readonly text: string
}

/**
 * The options of a configuration that nothing reads: by the list with which the service itself names them when
 * it starts.
 */
export function unreadOptions(config: ts.ObjectLiteralExpression): UnreadOption[] {
  const lines = unknownOfAdapter({ ...shapeOf(config), providers: [] })
  return lines.flatMap((line) => {
    const [, path = '', text = ''] = /^The option (\S+) does nothing[.] (.*)$/.exec(line) ?? []
    return path === '' ? [] : [{ path, text, node: memberAt(config, path) ?? config }]
  })
}

/** An object with the same members, and no values but texts. */
function shapeOf(node: ts.ObjectLiteralExpression): Record<string, unknown> {
  const members = node.properties.flatMap((one): [string, unknown][] => {
    const name = nameOf(one)
    const given = valueIn(one)
    const value = given && withoutTypes(given)
    if (name === undefined) return []
    if (value && ts.isObjectLiteralExpression(value)) return [[name, shapeOf(value)]]
    return [[name, value && ts.isStringLiteralLike(value) ? value.text : true]]
  })
  return Object.fromEntries(members)
}
