import ts from 'typescript'
import type { App } from './app.js'
import type { Code } from './code.js'
import { packageOf } from './move-imports.js'

/**
 * Imports a name behind the imports that are there.
 *
 * @param clause the text between `import` and `from`
 */
export function addImport(app: App, code: Code, clause: string, module: string): void {
  const { quote, end, newline } = code.style
  const line = `import ${clause} from ${quote}${module}${quote}${end}`
  const last = code.tree.statements.findLast(ts.isImportDeclaration)
  if (!module.startsWith('$')) app.needed.add(packageOf(module))
  if (last) code.edit.appendLeft(last.end, newline + line)
  else code.edit.prepend(line + newline + newline)
}
