import ts from 'typescript'
import type { App } from './app.js'
import { below, type Code } from './code.js'
import { ownOf } from './own-of.js'

/** The new modules of an old module's exports. */
interface Move {
  readonly to: string
  /** Each export that has a counterpart, with its name. */
  readonly names: Readonly<Record<string, string>>
}

/** The future of a module: another module, a text that a person must read, or no change. */
export type Destination = Move | { readonly why: string } | undefined

/**
 * Changes imports and exports of a module that has moved its exports, the names that they
 * bring into the file, and the declarations that extend its types. Names without a counterpart
 * stay.
 *
 * @param destinationOf asked for each module that is named
 */
export function moveImports(
  app: App,
  code: Code,
  destinationOf: (module: string) => Destination,
): void {
  for (const node of below(code.tree)) {
    const named = moduleOf(node)
    if (!named) continue
    const destination = destinationOf(named.text)
    if (!destination) continue
    if ('why' in destination) app.decide(code, node, destination.why)
    else if (ts.isImportDeclaration(node)) moveImport(app, code, node, destination)
    else if (ts.isExportDeclaration(node)) moveExport(app, code, node, destination)
    else app.decide(code, node, `Import the names that you need from ${destination.to}.`)
  }
}

/** The name of a module, wherever one can stand but in `declare module`. */
export function moduleOf(node: ts.Node): ts.StringLiteral | undefined {
  let found: ts.Node | undefined
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) found = node.moduleSpecifier
  else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    found = node.argument.literal
  } else if (ts.isCallExpression(node)) {
    const { expression, arguments: args } = node
    const isRequire = ts.isIdentifier(expression) && expression.text === 'require'
    if (isRequire || expression.kind === ts.SyntaxKind.ImportKeyword) found = args[0]
  }
  return found && ts.isStringLiteral(found) ? found : undefined
}

function moveImport(app: App, code: Code, node: ts.ImportDeclaration, { to, names }: Move): void {
  const { importClause: clause } = node
  const bindings = clause?.namedBindings
  if (bindings && ts.isNamespaceImport(bindings)) {
    app.decide(code, node, `Import the names that you need from ${to}, not all as one.`)
    return
  }
  const elements = [...(bindings?.elements ?? [])]
  const staying = elements.filter((one) => ownOf(names, imported(one)) === undefined)
  const isDefaultStaying = clause?.name !== undefined && names.default === undefined
  for (const one of staying) {
    app.decide(code, one, `\`${imported(one)}\` has no counterpart in ${to}.`)
  }
  if (isDefaultStaying || (staying.length > 0 && staying.length === elements.length)) return
  const moving = elements.filter((one) => !staying.includes(one))
  const written = new Map(moving.map((one) => [one, rename(app, code, one, names)]))
  app.needed.add(packageOf(to))
  if (staying.length === 0) {
    overwriteModule(code, node.moduleSpecifier, to)
    for (const [one, text] of written) overwrite(code, one, text)
    return
  }
  const { quote, end, newline } = code.style
  const type = clause?.isTypeOnly ? 'type ' : ''
  const line = (list: readonly string[], from: string) =>
    `import ${type}{ ${list.join(', ')} } from ${quote}${from}${quote}${end}`
  const rest = line(
    staying.map((one) => one.getText(code.tree)),
    (node.moduleSpecifier as ts.StringLiteral).text,
  )
  overwrite(code, node, rest + newline + line([...written.values()], to))
}

/** Renames what an import brings wherever it is used. @returns the import's new text */
function rename(app: App, code: Code, one: ts.ImportSpecifier, names: Move['names']): string {
  const before = imported(one)
  const after = ownOf(names, before) ?? before
  const type = one.isTypeOnly ? 'type ' : ''
  if (after === before) return one.getText(code.tree)
  const uses = app.usesOf(one.name)
  const isTaken = code.identifiers.some(({ text }) => text === after)
  if (one.propertyName || isTaken || uses.some(({ parent }) => ts.isExportSpecifier(parent))) {
    return `${type}${after} as ${one.name.text}`
  }
  for (const use of uses) {
    const isShort = ts.isShorthandPropertyAssignment(use.parent)
    overwrite(code, use, isShort ? `${before}: ${after}` : after)
  }
  return type + after
}

function moveExport(app: App, code: Code, node: ts.ExportDeclaration, { to, names }: Move): void {
  const { exportClause: clause, moduleSpecifier } = node
  const elements = clause && ts.isNamedExports(clause) ? [...clause.elements] : undefined
  if (!moduleSpecifier || !elements?.every((one) => ownOf(names, exported(one)) !== undefined)) {
    app.decide(code, node, `Export the names that you need from ${to}.`)
    return
  }
  app.needed.add(packageOf(to))
  overwriteModule(code, moduleSpecifier, to)
  for (const one of elements) {
    const after = ownOf(names, exported(one))
    const type = one.isTypeOnly ? 'type ' : ''
    if (after !== exported(one)) overwrite(code, one, `${type}${after} as ${one.name.text}`)
  }
}

function imported({ propertyName, name }: ts.ImportSpecifier): string {
  return (propertyName ?? name).text
}

function exported({ propertyName, name }: ts.ExportSpecifier): string {
  return (propertyName ?? name).text
}

/** Another name of a module, in the quotes that are there. */
export function overwriteModule(code: Code, node: ts.Node, to: string): void {
  code.edit.overwrite(node.getStart(code.tree) + 1, node.end - 1, to)
}

export function overwrite(code: Code, node: ts.Node, text: string): void {
  code.edit.overwrite(node.getStart(code.tree), node.end, text)
}

/** The package of a module, such as `@latchkey/express` of one of its providers. */
export function packageOf(module: string): string {
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/')
}

/** The name in the module that it was imported from. */
export function importedName(app: App, node: ts.Node, from: RegExp): string | undefined {
  if (!ts.isIdentifier(node)) return undefined
  const one = app.symbolOf(node)?.declarations?.[0]
  if (!one) return undefined
  if (ts.isImportClause(one)) {
    return isFrom(one.parent, from) ? 'default' : undefined
  }
  if (!ts.isImportSpecifier(one) || !isFrom(one.parent.parent.parent, from)) return undefined
  return (one.propertyName ?? one.name).text
}

/** Does it import from such a module? */
export function isFrom(node: ts.ImportDeclaration | ts.JSDocImportTag, from: RegExp): boolean {
  return ts.isStringLiteral(node.moduleSpecifier) && from.test(node.moduleSpecifier.text)
}
