import ts from 'typescript'
import type { App } from './app.js'
import { importsOf, moduleIn } from './bindings.js'
import { below, type Code } from './code.js'
import type { Changes } from './from-next-auth.js'
import { importedName, modulesOf, overwrite } from './move-imports.js'
import { decideRuntime } from './next-auth-middleware.js'
import { type Literal, memberAt } from './objects.js'
import { decideTokens, PAGES_ROUTER } from './pages-router.js'
import { decideWritten } from './written-sessions.js'

const OLD = 'unstable_update'
const NEW = 'update'

/** Renames the functions and options that changed, and lists the decisions for a person. */
export function changeVersion5(app: App, configs: readonly Literal[]): Changes {
  const gone = new Set<ts.Node>()
  const kept = new Set<ts.Node>()
  const calls = [...app.codes.values()].flatMap((code) =>
    [...below(code.tree)]
      .filter(ts.isCallExpression)
      .filter((node) => importedName(app, node.expression, /^next-auth$/) === 'default')
      .map((node) => ({ code, node })),
  )
  decideOthers(app, calls)
  const homes = new Set(calls.map(({ code }) => code))
  for (const home of homes) renameUpdate(app, home)
  const hasAuthorized = configs.some(({ node }) => memberAt(node, 'callbacks.authorized'))
  for (const code of app.codes.values()) {
    decideTokens(app, code, kept)
    if (usesInstance(app, code, homes)) decideRuntime(app, code)
    for (const node of below(code.tree)) {
      const isAsked = ts.isCallExpression(node) && isAuth(app, code, node.expression, homes)
      if (!isAsked) continue
      decideWritten(app, code, node)
      if (isOfPages(code, node)) app.decide(code, node, PAGES_ROUTER)
      else if (hasAuthorized && isHandler(node.arguments[0])) app.decide(code, node, NOT_ASKED)
    }
  }
  return { gone, kept, later: [] }
}

/** Does a file make an instance, import one, or export one? */
function usesInstance(app: App, code: Code, homes: ReadonlySet<Code>): boolean {
  if (homes.has(code)) return true
  return [...modulesOf(code)].some((module) => {
    const from = app.imported(code, module)
    return from !== undefined && homes.has(from)
  })
}

interface Call {
  readonly code: Code
  readonly node: ts.CallExpression
}

/** Only one instance has the whole configuration. */
function decideOthers(app: App, calls: readonly Call[]): void {
  if (calls.length < 2) return
  const [first] = calls
  const main = calls.find(({ node, code }) => /\bhandlers\b/.test(around(code, node))) ?? first
  for (const { code, node } of calls) {
    if (node === main?.node) continue
    app.decide(
      code,
      node,
      'A second instance renews sessions by the callbacks of its own configuration. Export `auth` of the whole instance here: no part of it needs the edge any more.',
    )
  }
}

/** The statement of a call without the call's own arguments. */
function around(code: Code, node: ts.CallExpression): string {
  let statement: ts.Node = node
  while (statement.parent && !ts.isSourceFile(statement.parent)) statement = statement.parent
  const text = code.text.slice(statement.getStart(code.tree), node.getStart(code.tree))
  const { parent } = statement
  const isWhole = ts.isVariableStatement(statement) && !text.includes('{')
  return isWhole ? parent.getText() : text + code.text.slice(node.end, statement.end)
}

/** Version 5 used a `Response` of `authorized` in the place of the handler. */
const NOT_ASKED =
  '`auth(handler)` does not ask `callbacks.authorized`: if that answers with a `Response`, such as a redirect, check `request.auth` in this handler too.'

function isHandler(node: ts.Expression | undefined): boolean {
  return (
    node !== undefined &&
    (ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isIdentifier(node))
  )
}

/** Is it `auth` of an instance of the app? */
function isAuth(app: App, code: Code, node: ts.Node, homes: ReadonlySet<Code>): boolean {
  if (ts.isPropertyAccessExpression(node)) return homes.has(code) && node.name.text === 'auth'
  if (!ts.isIdentifier(node)) return false
  const one = app.symbolOf(node)?.declarations?.[0]
  if (one && ts.isBindingElement(one)) {
    return homes.has(code) && (one.propertyName ?? one.name).getText(code.tree) === 'auth'
  }
  if (!one || !ts.isImportSpecifier(one) || (one.propertyName ?? one.name).text !== 'auth') {
    return false
  }
  const from = app.imported(code, moduleIn(one))
  return from !== undefined && homes.has(from)
}

/** `auth(req, res)`, and `auth(context)` in a page of the Pages Router. */
function isOfPages(code: Code, { arguments: args }: ts.CallExpression): boolean {
  const [first] = args
  const isPage = /^(?:src\/)?pages\//.test(code.path)
  return args.length > 1 || (isPage && first !== undefined && ts.isIdentifier(first))
}

/** `unstable_update` is called `update`: where the instance is made, and where it is imported. */
function renameUpdate(app: App, home: Code): void {
  const importers = [...app.codes.values()].flatMap((code) =>
    [...importsOf(code)]
      .filter(ts.isImportSpecifier)
      .filter((one) => (one.propertyName ?? one.name).text === OLD)
      .filter((one) => app.imported(code, moduleIn(one)) === home)
      .map((one) => ({ code, one })),
  )
  const isTaken = home.identifiers.some(({ text }) => text === NEW)
  for (const node of below(home.tree)) {
    if (ts.isPropertyAccessExpression(node) && node.name.text === OLD) {
      overwrite(home, node.name, NEW)
    }
    if (!ts.isBindingElement(node) || !ts.isIdentifier(node.name)) continue
    if (node.propertyName?.getText(home.tree) === OLD) {
      const isSame = node.name.text === NEW
      overwrite(home, node, isSame ? NEW : `${NEW}: ${node.name.text}`)
    } else if (node.name.text === OLD && !node.propertyName) {
      const uses = app.usesOf(node.name)
      if (isTaken || uses.some(({ parent }) => ts.isExportSpecifier(parent))) {
        overwrite(home, node, `${NEW}: ${OLD}`)
        continue
      }
      overwrite(home, node, NEW)
      for (const use of uses) renameUse(home, use)
      for (const { code, one } of importers) renameImported(app, code, one)
    }
  }
}

function renameImported(app: App, code: Code, one: ts.ImportSpecifier): void {
  const isTaken = code.identifiers.some(({ text }) => text === NEW)
  const uses = app.usesOf(one.name)
  if (one.propertyName || isTaken || uses.some(({ parent }) => ts.isExportSpecifier(parent))) {
    overwrite(code, one, `${NEW} as ${one.name.text}`)
    return
  }
  overwrite(code, one, NEW)
  for (const use of uses) renameUse(code, use)
}

function renameUse(code: Code, use: ts.Identifier): void {
  overwrite(code, use, ts.isShorthandPropertyAssignment(use.parent) ? `${OLD}: ${NEW}` : NEW)
}
