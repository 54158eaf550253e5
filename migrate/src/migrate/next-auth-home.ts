import ts from 'typescript'
import type { App } from './app.js'
import { freeName } from './bindings.js'
import type { Code } from './code.js'
import { importedName } from './move-imports.js'
import type { Literal } from './objects.js'

/** What an instance gives, and the app uses now. */
export type InstanceExport = 'auth' | 'handlers' | 'requireSession'

/** The one file of an app's instance. */
export interface Home {
  readonly code: Code
  readonly literal: Literal
  /** The statement that has the configuration. */
  readonly statement: ts.Statement
  /** The constant of the configuration. */
  readonly options: string | undefined
  /** The call that has the configuration as its argument. */
  readonly inline: ts.CallExpression | undefined
  /** The names of the instance's exports in this file. */
  readonly names: Readonly<Record<InstanceExport, string>>
  /** The call in this file whose result was the route handler. */
  route?: {
    readonly node: ts.CallExpression
    readonly methods: readonly string[]
    readonly statement: ts.Statement
  }
  /** Does this file read the session itself? */
  isRead: boolean
}

/** The constant of a configuration at the top of its file, or the call that has it. */
export function homeOf(app: App, literal: Literal): Home | undefined {
  const { code, node } = literal
  let outer: ts.Node = node
  while (
    ts.isParenthesizedExpression(outer.parent) ||
    ts.isAsExpression(outer.parent) ||
    ts.isSatisfiesExpression(outer.parent)
  ) {
    outer = outer.parent
  }
  const { parent } = outer
  const isCall =
    ts.isCallExpression(parent) &&
    importedName(app, parent.expression, /^next-auth(?:\/next)?$/) === 'default'
  const statement = code.tree.statements.find((one) => one.pos <= node.pos && node.end <= one.end)
  const isConstant = ts.isVariableDeclaration(parent) && ts.isIdentifier(parent.name)
  const isTop = isConstant && parent.parent.parent === statement
  if (!statement || (!isCall && !isTop)) return undefined
  return {
    code,
    literal,
    statement,
    options: isTop ? parent.name.getText(code.tree) : undefined,
    inline: isCall ? parent : undefined,
    names: {
      auth: freeName(code, ['auth', 'currentSession']),
      handlers: freeName(code, ['handlers']),
      requireSession: freeName(code, ['requireSession']),
    },
    isRead: false,
  }
}
