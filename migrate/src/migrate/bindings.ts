import { posix } from 'node:path'
import ts from 'typescript'
import { addOwnImport } from './add-import.js'
import type { App } from './app.js'
import type { Code } from './code.js'
import { overwrite } from './move-imports.js'

/** A name that an import brings into a file. */
export type Imported = ts.ImportClause | ts.ImportSpecifier

/** Every name that the imports of a file bring, except a whole module. */
export function* importsOf({ tree }: Code): Generator<Imported & { readonly name: ts.Identifier }> {
  for (const statement of tree.statements) {
    if (!ts.isImportDeclaration(statement)) continue
    const { importClause: clause } = statement
    if (clause?.name) yield clause as ts.ImportClause & { name: ts.Identifier }
    const bindings = clause?.namedBindings
    if (bindings && ts.isNamedImports(bindings)) yield* bindings.elements
  }
}

/** The module that a name comes from. */
export function moduleIn(one: Imported): string {
  const { moduleSpecifier } = declarationOf(one)
  return ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ''
}

function declarationOf(one: Imported): ts.ImportDeclaration {
  return (ts.isImportClause(one) ? one.parent : one.parent.parent.parent) as ts.ImportDeclaration
}

/** A name for something new in a file: the usual one if the file has no such name yet. */
export function freeName(code: Code, names: readonly string[]): string {
  const isTaken = (name: string) => code.identifiers.some(({ text }) => text === name)
  const free = names.find((name) => !isTaken(name))
  if (free !== undefined) return free
  const [last = 'it'] = names.slice(-1)
  let count = 2
  while (isTaken(`${last}${count}`)) count++
  return `${last}${count}`
}

/** The text by which a file imports another one: as other files do, or relative. */
export function specifierOf(app: App, code: Code, target: Code): string {
  const alias = aliasesOf(app).get(target)
  if (alias !== undefined) return alias
  const bare = target.path.replace(/[.][cm]?[jt]sx?$/, '').replace(/(?<=\/)index$/, '')
  const path = posix.relative(posix.dirname(code.path), bare)
  return path.startsWith('.') ? path : `./${path}`
}

const aliases = new WeakMap<App, ReadonlyMap<Code, string>>()

/** The files that are imported by an alias, with the first one. */
function aliasesOf(app: App): ReadonlyMap<Code, string> {
  const known = aliases.get(app)
  if (known) return known
  const found = new Map<Code, string>()
  for (const code of app.codes.values()) {
    for (const one of importsOf(code)) {
      const module = moduleIn(one)
      const target = module.startsWith('.') ? undefined : app.imported(code, module)
      if (target && !found.has(target)) found.set(target, module)
    }
  }
  aliases.set(app, found)
  return found
}

/**
 * Imports names of another file of the app.
 *
 * @param instead an import whose name is not used any more
 */
export function importFrom(
  app: App,
  code: Code,
  target: Code,
  names: readonly string[],
  instead?: Imported,
): void {
  const list = names.join(', ')
  const module = specifierOf(app, code, target)
  if (!instead) {
    addOwnImport(code, `{ ${list} }`, module)
    return
  }
  const declaration = declarationOf(instead)
  const bindings = declaration.importClause?.namedBindings
  const elements = bindings && ts.isNamedImports(bindings) ? [...bindings.elements] : []
  const isSame = app.imported(code, moduleIn(instead)) === target
  if (isSame && ts.isImportSpecifier(instead)) {
    overwrite(code, instead, list)
    return
  }
  const others = elements.filter((one) => one !== instead).map((one) => one.getText(code.tree))
  const { name } = declaration.importClause ?? {}
  const isAlone = others.length === 0 && (ts.isImportClause(instead) || name === undefined)
  const { quote, end, newline } = code.style
  if (isAlone && (!bindings || elements.length > 0)) {
    const from = isSame ? moduleIn(instead) : module
    overwrite(code, declaration, `import { ${list} } from ${quote}${from}${quote}${end}`)
    return
  }
  if (isSame && elements.length > 0 && declaration.importClause) {
    overwrite(code, declaration.importClause, `{ ${[list, ...others].join(', ')} }`)
    return
  }
  // The rest of the import, and a separate line for the new names.
  const rest = ts.isImportClause(instead)
    ? (bindings?.getText(code.tree) ?? '')
    : [name?.text ?? '', others.length > 0 ? `{ ${others.join(', ')} }` : '']
        .filter((one) => one !== '')
        .join(', ')
  if (declaration.importClause) overwrite(code, declaration.importClause, rest)
  const line = `import { ${list} } from ${quote}${module}${quote}${end}`
  code.edit.appendLeft(declaration.end, newline + line)
}
