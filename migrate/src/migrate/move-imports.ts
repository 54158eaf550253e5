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

/** Names that an import brings into a file, and imports, that other changes have decided on. */
export interface Bindings {
  /** Nothing uses them any more. */
  readonly gone: ReadonlySet<ts.Node>
  /** A use of them stays as it is. */
  readonly kept: ReadonlySet<ts.Node>
}

const NO_BINDINGS: Bindings = { gone: new Set(), kept: new Set() }

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
  bindings = NO_BINDINGS,
): void {
  for (const node of below(code.tree)) {
    const named = moduleOf(node)
    if (!named || bindings.gone.has(node)) continue
    const destination = destinationOf(named.text)
    if (!destination) continue
    if ('why' in destination) app.decide(code, node, destination.why)
    else if (ts.isImportDeclaration(node)) moveImport(app, code, node, destination, bindings)
    else if (ts.isExportDeclaration(node)) moveExport(app, code, node, destination)
    else if (ts.isImportTypeNode(node)) moveImportType(app, code, node, destination)
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

/** The modules that a file names. */
export function* modulesOf({ tree }: Code): Generator<string> {
  for (const node of below(tree)) {
    const module = moduleOf(node)
    if (module) yield module.text
  }
}

function moveImport(
  app: App,
  code: Code,
  node: ts.ImportDeclaration,
  { to, names }: Move,
  { gone, kept }: Bindings,
): void {
  const { importClause: clause } = node
  const bindings = clause?.namedBindings
  if (bindings && ts.isNamespaceImport(bindings)) {
    app.decide(code, node, `Import the names that you need from ${to}, not all as one.`)
    return
  }
  const whole = clause?.name ? [clause] : []
  const all = [...whole, ...(bindings?.elements ?? [])]
  const left = all.filter(({ name }) => !name || !gone.has(name))
  const staying = left.filter(
    (one) => (one.name && kept.has(one.name)) || ownOf(names, imported(one)) === undefined,
  )
  for (const one of staying) {
    if (one.name && kept.has(one.name)) continue
    app.decide(code, one, `\`${imported(one)}\` has no counterpart in ${to}.`)
  }
  const moving = left.filter((one) => !staying.includes(one))
  const isAll = all.length > 0
  if (isAll && moving.length === 0 && left.length === all.length) return
  const written = new Map(moving.map((one) => [one, rename(app, code, one, names)]))
  if (moving.length > 0 || !isAll) app.needed.add(packageOf(to))
  if (staying.length === 0 && left.length === all.length) {
    overwriteModule(code, node.moduleSpecifier, to)
    for (const [one, text] of written) if (ts.isImportSpecifier(one)) overwrite(code, one, text)
    return
  }
  const lines = [
    lineOf(code, node, new Map(staying.map((one) => [one, textOf(code, one)]))),
    lineOf(code, node, written, to),
  ].filter((line) => line !== '')
  if (lines.length === 0) removeStatement(code, node)
  else overwrite(code, node, lines.join(code.style.newline))
}

/** One import, written again for some of its names. */
function lineOf(
  code: Code,
  node: ts.ImportDeclaration,
  list: ReadonlyMap<Binding, string>,
  from = (node.moduleSpecifier as ts.StringLiteral).text,
): string {
  if (list.size === 0) return ''
  const { quote, end } = code.style
  const type = node.importClause?.isTypeOnly ? 'type ' : ''
  const parts = [...list].filter(([one]) => ts.isImportClause(one)).map(([, text]) => text)
  const braced = [...list].filter(([one]) => ts.isImportSpecifier(one)).map(([, text]) => text)
  if (braced.length > 0) parts.push(`{ ${braced.join(', ')} }`)
  return `import ${type}${parts.join(', ')} from ${quote}${from}${quote}${end}`
}

type Binding = ts.ImportClause | ts.ImportSpecifier

function textOf(code: Code, one: Binding): string {
  return (ts.isImportClause(one) ? (one.name ?? one) : one).getText(code.tree)
}

/** Removes a statement with its line, and the empty lines that would begin or end the file. */
export function removeStatement(code: Code, node: ts.Statement): void {
  const { text, tree, removed } = code
  const start = node.getStart(tree)
  const before = tree.statements.findLast((one) => one.pos < node.pos && !removed.has(one))
  const isLast = text.slice(node.end).trim() === ''
  const hasComment = node.getFullText(tree).trimStart() !== node.getText(tree)
  removed.add(node)
  if (before && isLast && !hasComment) {
    replace(code, before.end, node.end, '')
    return
  }
  const lines = text.slice(0, start).trim() === '' ? /^\s*/ : /^[ \t]*(?:\r?\n)?/
  const [rest = ''] = lines.exec(text.slice(node.end)) ?? []
  replace(code, start, node.end + rest.length, '')
}

/** `import('next-auth').Session` */
function moveImportType(app: App, code: Code, node: ts.ImportTypeNode, { to, names }: Move): void {
  const { qualifier, argument } = node
  const first = qualifier && (ts.isIdentifier(qualifier) ? qualifier : undefined)
  const after = first && ownOf(names, first.text)
  if (!first || after === undefined || !ts.isLiteralTypeNode(argument)) {
    app.decide(code, node, `Import the names that you need from ${to}.`)
    return
  }
  app.needed.add(packageOf(to))
  overwriteModule(code, argument.literal, to)
  if (after !== first.text) overwrite(code, first, after)
}

/** Renames what an import brings wherever it is used. @returns the import's new text */
function rename(app: App, code: Code, one: Binding, names: Move['names']): string {
  if (ts.isImportClause(one)) return textOf(code, one)
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

function imported(one: Binding): string {
  if (ts.isImportClause(one)) return 'default'
  return (one.propertyName ?? one.name).text
}

function exported({ propertyName, name }: ts.ExportSpecifier): string {
  return (propertyName ?? name).text
}

/** Another name of a module, in the quotes that are there. */
export function overwriteModule(code: Code, node: ts.Node, to: string): void {
  replace(code, node.getStart(code.tree) + 1, node.end - 1, to)
}

export function overwrite(code: Code, node: ts.Node, text: string): void {
  replace(code, node.getStart(code.tree), node.end, text)
}

/** Gives a place another text, unless what is around it has one already. */
export function replace(code: Code, start: number, end: number, text: string): void {
  if (code.replaced.some((one) => one.start <= start && end <= one.end)) return
  code.replaced.push({ start, end })
  if (text === '') code.edit.remove(start, end)
  else code.edit.overwrite(start, end, text)
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
