import ts from 'typescript'
import type { App } from './app.js'
import { below, type Code } from './code.js'
import { overwrite } from './move-imports.js'
import { ownOf } from './own-of.js'
import { RENAMED } from './variables.js'

/** A name in code that stands for a renamed variable, and the text that takes its place. */
interface Renamed {
  readonly node: ts.Node
  readonly text: string
}

/** `process.env.NEXTAUTH_SECRET`, and every other read of a renamed variable. */
export function changeReads(app: App): void {
  if (app.needed.size === 0) return
  for (const code of app.codes.values()) {
    for (const { node, text } of renamedBelow(app, code, code.tree)) overwrite(code, node, text)
  }
}

/** The text of an expression with the new names. */
export function renamedText(app: App, code: Code, expression: ts.Expression): string {
  const start = expression.getStart(code.tree)
  let text = expression.getText(code.tree)
  const all = [...renamedBelow(app, code, expression)].sort((a, b) => b.node.pos - a.node.pos)
  for (const { node, text: name } of all) {
    const [from, to] = [node.getStart(code.tree) - start, node.end - start]
    text = text.slice(0, from) + name + text.slice(to)
  }
  return text
}

function* renamedBelow(app: App, code: Code, root: ts.Node): Generator<Renamed> {
  for (const node of below(root)) {
    const renamed = renamedAt(app, code, node)
    if (renamed) yield renamed
  }
}

function renamedAt(app: App, code: Code, node: ts.Node): Renamed | undefined {
  if (ts.isPropertyAccessExpression(node)) {
    const other = ownOf(RENAMED, node.name.text)
    return other !== undefined && isEnvironment(app, code, node.expression)
      ? { node: node.name, text: other }
      : undefined
  }
  if (ts.isElementAccessExpression(node)) {
    const { argumentExpression: name } = node
    const other = ts.isStringLiteral(name) ? ownOf(RENAMED, name.text) : undefined
    return other !== undefined && isEnvironment(app, code, node.expression)
      ? { node: name, text: `${code.style.quote}${other}${code.style.quote}` }
      : undefined
  }
  if (ts.isBindingElement(node) && ts.isVariableDeclaration(node.parent.parent)) {
    const from = node.parent.parent.initializer
    const name = node.propertyName ?? node.name
    const other = ts.isIdentifier(name) ? ownOf(RENAMED, name.text) : undefined
    if (!from || other === undefined || !isEnvironment(app, code, from)) return undefined
    const isShort = node.propertyName === undefined
    return { node: name, text: isShort ? `${other}: ${name.getText(code.tree)}` : other }
  }
  return undefined
}

/** Is it the environment itself, and not an object that the app has made of it? */
function isEnvironment(app: App, code: Code, node: ts.Expression): boolean {
  if (!/(?:^|[.])env$/.test(node.getText(code.tree))) return false
  if (!ts.isIdentifier(node)) return true
  const [declaration] = app.symbolOf(node)?.declarations ?? []
  if (!declaration || !ts.isImportSpecifier(declaration)) return true
  const { moduleSpecifier } = declaration.parent.parent.parent
  return !ts.isStringLiteral(moduleSpecifier) || !app.imported(code, moduleSpecifier.text)
}
