import ts from 'typescript'
import type { App } from './app.js'
import { below, type Code } from './code.js'
import type { Instance } from './instance.js'
import { importedName, overwrite } from './move-imports.js'
import { memberOf, valueIn } from './objects.js'

/** Serves and reads sessions by the configuration, wherever the instance did. */
export function changeUses(
  app: App,
  code: Code,
  instances: ReadonlyMap<ts.Identifier, Instance>,
): void {
  const wanted = new Set<string>()
  const changed = new Map<ts.Node, number>()
  const gone = new Set<ts.Node>()
  let used: Instance | undefined
  const instanceOf = (node: ts.Node | undefined) =>
    node && ts.isIdentifier(node) ? instanceNamed(app, code, node, instances) : undefined
  for (const node of below(code.tree)) {
    // typeof auth.$Infer.Session
    if (ts.isQualifiedName(node) && node.right.text === '$Infer' && instanceOf(node.left)) {
      app.decide(code, node, `${OTHER_SHAPE} Its type is \`Session\` of \`@latchkey/express\`.`)
    }
    if (!ts.isCallExpression(node)) continue
    const [first] = node.arguments
    if (importedName(app, node.expression, /^better-auth\/node$/) === 'toNodeHandler') {
      const instance = instanceOf(first)
      if (!instance || !first) {
        app.decide(code, node, 'Serve `MiddlewareAuth(config)` here.')
        continue
      }
      overwrite(code, node, `MiddlewareAuth(${instance.config})`)
      gone.add(node)
      useInsteadOfAll(code, node)
      wanted.add('MiddlewareAuth')
      count(changed, instance.name)
      used = instance
      continue
    }
    const asked = node.expression
    const api = ts.isPropertyAccessExpression(asked) ? asked.expression : undefined
    if (!api || !ts.isPropertyAccessExpression(api) || api.name.text !== 'api') continue
    const instance = instanceOf(api.expression)
    if (!instance || !ts.isPropertyAccessExpression(asked)) continue
    const request = asked.name.text === 'getSession' ? requestOf(app, first) : undefined
    if (!request) {
      const text = `\`api.${asked.name.text}\` asks the old instance, which does not know new sessions.`
      app.decide(code, node, text)
      continue
    }
    overwrite(code, node, `getSession(${request.getText(code.tree)}, ${instance.config})`)
    gone.add(node)
    wanted.add('getSession')
    count(changed, instance.name)
    used = instance
    changeMembers(app, code, node)
  }
  if (!used) return
  changeImports(app, code, used, { changed: changed.get(used.name) ?? 0, gone }, [...wanted])
}

function count(counts: Map<ts.Node, number>, name: ts.Node): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function instanceNamed(
  app: App,
  code: Code,
  node: ts.Identifier,
  instances: ReadonlyMap<ts.Identifier, Instance>,
): Instance | undefined {
  const declaration = app.symbolOf(node)?.declarations?.[0]
  if (!declaration) return undefined
  if (ts.isVariableDeclaration(declaration)) return instances.get(declaration.name as ts.Identifier)
  if (!ts.isImportSpecifier(declaration)) return undefined
  const { moduleSpecifier } = declaration.parent.parent.parent
  const from = ts.isStringLiteral(moduleSpecifier) && app.imported(code, moduleSpecifier.text)
  const name = (declaration.propertyName ?? declaration.name).text
  return [...instances.values()].find((one) => one.code === from && one.name.text === name)
}

/** `app.all(path, …)` becomes `app.use(path, …)`: a mount knows its base path. */
function useInsteadOfAll(code: Code, node: ts.CallExpression): void {
  const call = node.parent
  if (!ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return
  const { name } = call.expression
  if (name.text === 'all') overwrite(code, name, 'use')
}

/** The request of `{ headers: fromNodeHeaders(request.headers) }`. */
function requestOf(app: App, expression: ts.Expression | undefined): ts.Expression | undefined {
  if (!expression || !ts.isObjectLiteralExpression(expression) || expression.properties.length > 1)
    return undefined
  const headers = valueIn(memberOf(expression, 'headers'))
  if (!headers || !ts.isCallExpression(headers)) return undefined
  if (importedName(app, headers.expression, /^better-auth\/node$/) !== 'fromNodeHeaders')
    return undefined
  const [of] = headers.arguments
  const isOfRequest = of && ts.isPropertyAccessExpression(of) && of.name.text === 'headers'
  return isOfRequest ? of.expression : undefined
}

/** better-auth answers `{ session, user }`; ours is the session itself, whose `user` a callback may leave out. */
function changeMembers(app: App, code: Code, call: ts.CallExpression): void {
  const answer = unwrapped(call)
  const { parent } = answer
  if (!ts.isVariableDeclaration(parent)) {
    useOf(app, code, answer)
    return
  }
  if (!ts.isIdentifier(parent.name)) {
    app.decide(code, parent, OTHER_SHAPE)
    return
  }
  for (const use of app.usesOf(parent.name)) useOf(app, code, use)
}

const OTHER_SHAPE = 'The session is `{ user, expires }`, not `{ session, user }`.'

/** The user's members in a session of better-auth and in one of ours. */
const SHARED = new Set(['id', 'name', 'email', 'image', 'emailVerified'])

/** One place that reads a session, or hands it to code that the command does not read. */
function useOf(app: App, code: Code, node: ts.Node): void {
  const use = unwrapped(node)
  const { parent } = use
  if (ts.isPropertyAccessExpression(parent) && parent.expression === use) {
    if (parent.name.text === 'user') userOf(app, code, parent)
    else if (parent.name.text !== 'expires') app.decide(code, parent, OTHER_SHAPE)
  } else if (!isAskedAlone(use)) app.decide(code, use, OTHER_SHAPE)
}

function userOf(app: App, code: Code, user: ts.PropertyAccessExpression): void {
  const member = user.parent
  if (!ts.isPropertyAccessExpression(member) || member.expression !== user) return
  if (!member.questionDotToken) code.edit.appendLeft(user.end, '?')
  const { text } = member.name
  if (SHARED.has(text)) return
  app.decide(
    code,
    member,
    `\`user.${text}\` is not in the session: add it in the \`session\` callback.`,
  )
}

/** Is a value only compared with nothing, or asked whether it is there? */
export function isAskedAlone(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isPrefixUnaryExpression(parent) || ts.isExpressionStatement(parent)) return true
  if (ts.isIfStatement(parent)) return parent.expression === node
  if (ts.isConditionalExpression(parent)) return parent.condition === node
  if (!ts.isBinaryExpression(parent)) return false
  const { kind } = parent.operatorToken
  return parent.left === node
    ? kind === ts.SyntaxKind.AmpersandAmpersandToken || COMPARES.has(kind)
    : COMPARES.has(kind)
}

const COMPARES: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
])

/** The whole of `(await node)!`. */
function unwrapped(node: ts.Node): ts.Node {
  let outer = node
  while (
    ts.isAwaitExpression(outer.parent) ||
    ts.isParenthesizedExpression(outer.parent) ||
    ts.isNonNullExpression(outer.parent)
  ) {
    outer = outer.parent
  }
  return outer
}

/**
 * Imports the configuration, the functions that read it, and the old names that are still in use.
 */
function changeImports(
  app: App,
  code: Code,
  instance: Instance,
  { changed, gone }: { readonly changed: number; readonly gone: ReadonlySet<ts.Node> },
  wanted: readonly string[],
): void {
  const { quote, end, newline } = code.style
  const ours = `import { ${[...wanted].sort(byName).join(', ')} } from ${quote}@latchkey/express${quote}${end}`
  app.needed.add('@latchkey/express')
  for (const node of code.tree.statements) {
    if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) continue
    const bindings = node.importClause?.namedBindings
    if (!bindings || !ts.isNamedImports(bindings)) continue
    if (node.moduleSpecifier.text === 'better-auth/node') {
      const isAll = bindings.elements.every(({ name }) =>
        app.usesOf(name).every((use) => isIn(use, gone)),
      )
      if (isAll) overwrite(code, node, ours)
      else code.edit.appendLeft(node.end, newline + ours)
    }
    const one = bindings.elements.find(
      (element) =>
        instanceNamedBy(app, code, node) === instance.code &&
        element.name.text === instance.name.text,
    )
    if (!one) continue
    const isUsed = app.usesOf(one.name).length > changed
    overwrite(code, one, isUsed ? `${one.name.text}, ${instance.config}` : instance.config)
  }
}

function isIn(node: ts.Node, nodes: ReadonlySet<ts.Node>): boolean {
  for (let at = node; at; at = at.parent) if (nodes.has(at)) return true
  return false
}

function byName(a: string, b: string): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1
}

function instanceNamedBy(app: App, code: Code, node: ts.ImportDeclaration): Code | undefined {
  return ts.isStringLiteral(node.moduleSpecifier)
    ? app.imported(code, node.moduleSpecifier.text)
    : undefined
}
