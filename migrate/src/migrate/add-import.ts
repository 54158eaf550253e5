import ts from 'typescript'
import type { App } from './app.js'
import type { Code } from './code.js'
import { packageOf } from './move-imports.js'

/**
 * Imports a name of a package behind the imports that are there.
 *
 * @param clause the text between `import` and `from`
 */
export function addImport(app: App, code: Code, clause: string, module: string): void {
  if (!module.startsWith('$')) app.needed.add(packageOf(module))
  addOwnImport(code, clause, module)
}

/** Imports a name of another file of the app, or of its framework. */
export function addOwnImport(code: Code, clause: string, module: string): void {
  const { quote, end, newline } = code.style
  const line = `import ${clause} from ${quote}${module}${quote}${end}`
  const last = code.tree.statements.findLast(
    (one) => ts.isImportDeclaration(one) && !code.removed.has(one),
  )
  const before = last ?? lastDirective(code)
  // Code may go on behind it in the same line.
  const after = before && /^[ \t]*[^\s/]/.test(code.text.slice(before.end)) ? newline : ''
  if (before) code.edit.appendLeft(before.end, newline + line + after)
  else code.edit.prepend(line + newline + newline)
}

/** `'use server'` and its like stay first. */
function lastDirective({ tree: { statements } }: Code): ts.Statement | undefined {
  const isDirective = (one: ts.Statement) =>
    ts.isExpressionStatement(one) && ts.isStringLiteral(one.expression)
  const first = statements.findIndex((one) => !isDirective(one))
  const count = first < 0 ? statements.length : first
  return count === 0 ? undefined : statements[count - 1]
}
