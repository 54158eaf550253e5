import ts from 'typescript'
import type { App } from './app.js'
import type { Code } from './code.js'

/** What a route file makes of `NextAuth(options)`. */
export interface Route {
  /** The methods that it exports, in their order. */
  readonly methods: readonly string[]
  /** The statement of the handler, if it is exported under several names. */
  readonly statement: ts.VariableStatement | undefined
  /** Statements that export it. */
  readonly removed: readonly ts.Statement[]
  /** The whole expression. */
  readonly outer: ts.Node
}

const METHODS = /^(?:GET|POST)$/

/** @returns `undefined` for a handler that the file uses in another way */
export function routeOf(app: App, code: Code, call: ts.CallExpression): Route | undefined {
  let outer: ts.Node = call
  while (
    ts.isParenthesizedExpression(outer.parent) ||
    ts.isAsExpression(outer.parent) ||
    ts.isSatisfiesExpression(outer.parent) ||
    ts.isNonNullExpression(outer.parent)
  ) {
    outer = outer.parent
  }
  const { parent } = outer
  if (!ts.isVariableDeclaration(parent) || !ts.isIdentifier(parent.name)) return undefined
  const statement = parent.parent.parent
  if (!ts.isVariableStatement(statement) || statement.parent !== code.tree) return undefined
  const uses = app.usesOf(parent.name)
  if (isExported(statement) && METHODS.test(parent.name.text) && uses.length === 0) {
    return { methods: [parent.name.text], statement: undefined, removed: [], outer }
  }
  if (statement.declarationList.declarations.length > 1) return undefined
  const methods = new Set<string>()
  const removed = new Set<ts.Statement>()
  for (const { parent: use } of uses) {
    const given = ts.isExportSpecifier(use) ? exportedAs(use) : constantOf(use)
    if (!given || !METHODS.test(given.name)) return undefined
    methods.add(given.name)
    removed.add(given.statement)
  }
  return methods.size === 0
    ? undefined
    : { methods: [...methods], statement, removed: [...removed], outer }
}

function isExported(statement: ts.VariableStatement): boolean {
  return statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false
}

interface Given {
  readonly name: string
  readonly statement: ts.Statement
}

/** `export { handler as GET, handler as POST }`, with nothing else in it. */
function exportedAs({ name, parent }: ts.ExportSpecifier): Given | undefined {
  const statement = parent.parent
  const isAll = parent.elements.every((one) => METHODS.test(one.name.text))
  return isAll ? { name: name.text, statement } : undefined
}

/** `export const GET = handler` */
function constantOf(node: ts.Node): Given | undefined {
  if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name)) return undefined
  const statement = node.parent.parent
  if (!ts.isVariableStatement(statement) || !isExported(statement)) return undefined
  const isAlone = statement.declarationList.declarations.length === 1
  return isAlone ? { name: node.name.text, statement } : undefined
}
