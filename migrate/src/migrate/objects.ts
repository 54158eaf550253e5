import ts from 'typescript'
import type { App } from './app.js'
import { below, type Code } from './code.js'

/** An object literal that is a configuration, and the file in which it stands. */
export interface Literal {
  readonly code: Code
  readonly node: ts.ObjectLiteralExpression
}

/**
 * The object literal behind an expression: itself, the result of a function, or the value of a
 * constant of this file or of an imported one.
 */
export function literalOf(
  app: App,
  code: Code,
  expression: ts.Expression | undefined,
): Literal | undefined {
  let at: { readonly code: Code; readonly node: ts.Node } | undefined = expression && {
    code,
    node: expression,
  }
  // Each step is a name or a function; a configuration that takes more is not understood.
  for (let step = 0; at && step < 8; step++) {
    const node = withoutTypes(at.node)
    if (ts.isObjectLiteralExpression(node)) return { code: at.code, node }
    at = nextOf(app, at.code, node)
  }
  return undefined
}

/** The expression inside of parentheses, `as` and `satisfies`. */
export function withoutTypes(node: ts.Node): ts.Node {
  let inner = node
  while (
    ts.isParenthesizedExpression(inner) ||
    ts.isAsExpression(inner) ||
    ts.isSatisfiesExpression(inner)
  ) {
    inner = inner.expression
  }
  return inner
}

function nextOf(app: App, code: Code, node: ts.Node): { code: Code; node: ts.Node } | undefined {
  if (ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isFunctionDeclaration(node)) {
    const result = node.body && (ts.isBlock(node.body) ? returned(node.body) : node.body)
    return result && { code, node: result }
  }
  if (ts.isVariableDeclaration(node)) {
    return node.initializer && { code, node: node.initializer }
  }
  if (ts.isExportAssignment(node)) return { code, node: node.expression }
  if (!ts.isIdentifier(node)) return undefined
  const declaration = app.symbolOf(node)?.declarations?.[0]
  if (!declaration) return undefined
  if (ts.isImportSpecifier(declaration)) {
    const name = (declaration.propertyName ?? declaration.name).text
    return exportedFrom(app, code, declaration.parent.parent.parent.moduleSpecifier, name)
  }
  return ts.isImportClause(declaration)
    ? exportedFrom(app, code, declaration.parent.moduleSpecifier, 'default')
    : { code, node: declaration }
}

/** Re-exports lead through other files; an app that needs more of them is not understood. */
const MAX_FILES = 8

/** The declaration of an export of another file, or of the file from which that file exports it. */
function exportedFrom(
  app: App,
  code: Code,
  module: ts.Expression | undefined,
  name: string,
): { code: Code; node: ts.Node } | undefined {
  let at = { code, module, name }
  for (let step = 0; step < MAX_FILES; step++) {
    const text = at.module && ts.isStringLiteral(at.module) ? at.module.text : undefined
    const other = text === undefined ? undefined : app.imported(at.code, text)
    if (!other) return undefined
    const found = declared(other, at.name)
    if (!found) return undefined
    if ('node' in found) return { code: other, node: found.node }
    at = { code: other, ...found }
  }
  return undefined
}

type Declared = { node: ts.Node } | { module: ts.Expression | undefined; name: string }

/** The declaration of an export outside of any function, or the module that it comes from. */
function declared(code: Code, name: string): Declared | undefined {
  for (const statement of code.tree.statements) {
    if (ts.isExportAssignment(statement)) {
      if (name === 'default') return { node: statement }
    } else if (ts.isExportDeclaration(statement)) {
      const found = exportedBy(code, statement, name)
      if (found) return found
    } else {
      const node = declaredBy(statement, name)
      if (node) return { node }
    }
  }
  return undefined
}

function exportedBy(
  code: Code,
  { exportClause, moduleSpecifier }: ts.ExportDeclaration,
  name: string,
): Declared | undefined {
  if (!exportClause || !ts.isNamedExports(exportClause)) return undefined
  const one = exportClause.elements.find((element) => element.name.text === name)
  if (!one) return undefined
  const inner = (one.propertyName ?? one.name).text
  if (moduleSpecifier) return { module: moduleSpecifier, name: inner }
  const local = code.tree.statements.map((statement) => declaredBy(statement, inner))
  const node = local.find((found) => found !== undefined)
  return node && { node }
}

function declaredBy(statement: ts.Statement, name: string): ts.Node | undefined {
  if (ts.isFunctionDeclaration(statement) && statement.name?.text === name) return statement
  if (!ts.isVariableStatement(statement)) return undefined
  return statement.declarationList.declarations.find(
    (one) => ts.isIdentifier(one.name) && one.name.text === name,
  )
}

function returned(body: ts.Block): ts.Expression | undefined {
  const last = body.statements.findLast(ts.isReturnStatement)
  return last?.expression
}

/** A member of an object literal by its name. A spread has none. */
export function memberOf(
  node: ts.ObjectLiteralExpression | undefined,
  name: string,
): ts.ObjectLiteralElementLike | undefined {
  return node?.properties.find((one) => nameOf(one) === name)
}

export function nameOf(one: ts.ObjectLiteralElementLike): string | undefined {
  const { name } = one
  return name && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : undefined
}

/** The value of a member; for a method the method itself. */
export function valueIn(one: ts.ObjectLiteralElementLike | undefined): ts.Expression | undefined {
  if (!one) return undefined
  if (ts.isPropertyAssignment(one)) return one.initializer
  return ts.isShorthandPropertyAssignment(one) ? one.name : undefined
}

/** The member's own object literal. */
export function objectAt(
  node: ts.ObjectLiteralExpression | undefined,
  name: string,
): ts.ObjectLiteralExpression | undefined {
  const value = valueIn(memberOf(node, name))
  return value && ts.isObjectLiteralExpression(value) ? value : undefined
}

/** A member by its path, such as `session.maxAge`. */
export function memberAt(
  node: ts.ObjectLiteralExpression,
  path: string,
): ts.ObjectLiteralElementLike | undefined {
  const names = path.split('.')
  const last = names.pop() ?? ''
  let holder: ts.ObjectLiteralExpression | undefined = node
  for (const name of names) holder = objectAt(holder, name)
  return memberOf(holder, last)
}

/** A text that stands there as it is. */
export function textAt(node: ts.ObjectLiteralExpression, name: string): string | undefined {
  const value = valueIn(memberOf(node, name))
  return value && ts.isStringLiteralLike(value) ? value.text : undefined
}

/** A number that stands there as it is, or as a product of such numbers. */
export function numberOf(node: ts.Expression | undefined): number | undefined {
  if (!node) return undefined
  if (ts.isNumericLiteral(node)) return Number(node.text)
  if (ts.isParenthesizedExpression(node)) return numberOf(node.expression)
  if (!ts.isBinaryExpression(node)) return undefined
  if (node.operatorToken.kind !== ts.SyntaxKind.AsteriskToken) return undefined
  const [left, right] = [numberOf(node.left), numberOf(node.right)]
  return left === undefined || right === undefined ? undefined : left * right
}

/** Empty objects that have got members. */
const filled = new WeakSet<ts.Node>()

/** Adds members behind the ones that are there, in the way in which these are written. */
export function addMembers({ code, node }: Literal, members: readonly string[]): void {
  const last = node.properties.at(-1)
  if (!last) {
    const before = filled.has(node) ? ', ' : ' '
    filled.add(node)
    return void code.edit.appendLeft(node.end - 1, `${before}${members.join(', ')}`)
  }
  const isOneLine = !node.getText(code.tree).includes('\n')
  const separator = isOneLine ? ', ' : `,${code.style.newline}${indentAt(code, last)}`
  const text = members.map((one) => indented(one, indentAt(code, last))).join(separator)
  const { hasTrailingComma } = node.properties
  // Behind a trailing comma, so that the line of the last member does not change.
  const end = hasTrailingComma ? node.properties.end : last.end
  const before = hasTrailingComma ? separator.slice(1) : separator
  code.edit.appendLeft(end, before + text + (hasTrailingComma ? ',' : ''))
}

/** The text before a node in its line. */
export function indentAt(code: Code, node: ts.Node): string {
  const start = node.getStart(code.tree)
  const line = code.text.slice(code.text.lastIndexOf('\n', start - 1) + 1, start)
  return /^\s*/.exec(line)?.[0] ?? ''
}

/** Text of several lines at another depth. */
function indented(text: string, indent: string): string {
  return text.replaceAll('\n', `\n${indent}`)
}

/** Removes a member with the comma behind it, and its line if it has one of its own. */
export function removeMember({ code, node }: Literal, one: ts.ObjectLiteralElementLike): void {
  const at = node.properties.indexOf(one)
  const next = node.properties[at + 1]
  if (next) return void code.edit.remove(one.getStart(code.tree), next.getStart(code.tree))
  const previous = node.properties[at - 1]
  code.edit.remove(previous?.end ?? one.getStart(code.tree), one.end)
}

/** Is there anything in the tree below that is so? */
export function some(node: ts.Node, is: (node: ts.Node) => boolean): boolean {
  for (const one of below(node)) if (is(one)) return true
  return false
}

/** Does a piece of code mean the same in every file? */
export function isPortable(app: App, node: ts.Node): boolean {
  const file = node.getSourceFile()
  return !some(node, (one) => {
    if (!ts.isIdentifier(one)) return false
    if (ts.isPropertyAccessExpression(one.parent) && one.parent.name === one) return false
    const declarations = app.symbolOf(one)?.declarations ?? []
    return declarations.some(
      (at) => at.getSourceFile() === file && (at.pos < node.pos || at.end > node.end),
    )
  })
}
