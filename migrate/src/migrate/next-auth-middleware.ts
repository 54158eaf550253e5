import ts from 'typescript'
import type { App } from './app.js'
import { isAskedAlone } from './better-auth-uses.js'
import { specifierOf } from './bindings.js'
import { below, type Code } from './code.js'
import { importedName, moduleOf, overwrite, replace } from './move-imports.js'
import type { Work } from './next-auth-4.js'
import {
  addMembers,
  isPortable,
  memberAt,
  memberOf,
  nameOf,
  objectAt,
  some,
  textAt,
  valueIn,
} from './objects.js'
import { keep } from './pages-router.js'

const MIDDLEWARE = /^next-auth\/middleware$/
const BY_PERSON =
  'Write this proxy by hand: `auth((request) => …)` has the session in `request.auth` (docs/migrate-from-authjs-next.md). Until then it refuses new sessions.'

/** `next-auth/middleware` and `withAuth` become `auth` of the instance, with a guard that lets the same users in. */
export function changeMiddleware(app: App, code: Code, work: Work): void {
  let isChanged = false
  for (const node of below(code.tree)) {
    if (ts.isExportDeclaration(node) && MIDDLEWARE.test(moduleOf(node)?.text ?? '')) {
      if (changeExport(app, code, node, work)) isChanged = true
    } else if (ts.isIdentifier(node) && isWithAuth(app, node)) {
      if (changeUse(app, code, node, work)) isChanged = true
      else {
        app.decide(code, node, BY_PERSON)
        keep(app, node, work.kept)
      }
    }
  }
  if (isChanged) finish(app, code)
}

/** `export { default } from 'next-auth/middleware'` */
function changeExport(app: App, code: Code, node: ts.ExportDeclaration, work: Work): boolean {
  const { home } = work
  const clause = node.exportClause
  const [one, ...others] = clause && ts.isNamedExports(clause) ? clause.elements : []
  const imported = one && (one.propertyName ?? one.name).text
  const isKnown = imported === 'default' || imported === 'withAuth'
  if (!home || !one || others.length > 0 || !isKnown || !guard(work, SIGNED_IN)) {
    app.decide(code, node, BY_PERSON)
    work.gone.add(node)
    return false
  }
  const file = /(?:^|\/)(middleware|proxy)[.]\w+$/.exec(code.path)?.[1]
  const name = one.name.text === 'default' ? (file ?? 'default') : one.name.text
  const { quote, end } = code.style
  work.use(home.code, 'auth')
  const from = specifierOf(app, code, home.code)
  const inner = home.names.auth
  const text = name === inner ? name : `${inner} as ${name}`
  overwrite(code, node, `export { ${text} } from ${quote}${from}${quote}${end}`)
  work.gone.add(node)
  return true
}

function isWithAuth(app: App, node: ts.Identifier): boolean {
  if (ts.isImportSpecifier(node.parent) || ts.isImportClause(node.parent)) return false
  const name = importedName(app, node, MIDDLEWARE)
  return name === 'default' || name === 'withAuth'
}

function changeUse(app: App, code: Code, node: ts.Identifier, work: Work): boolean {
  const { parent } = node
  if (!work.home) return false
  if (ts.isExportAssignment(parent)) {
    if (!guard(work, SIGNED_IN)) return false
    overwrite(code, node, work.use(code, 'auth'))
    work.cover(node)
    return true
  }
  if (!ts.isCallExpression(parent) || parent.expression !== node) return false
  const isWhole = ts.isExportAssignment(parent.parent) || ts.isVariableDeclaration(parent.parent)
  const [first, second, ...others] = parent.arguments
  if (!isWhole || others.length > 0) return false
  const isHandler = first && (ts.isArrowFunction(first) || ts.isFunctionExpression(first))
  if (isHandler) return changeHandler(code, parent, first, second, work)
  if (second || (first && !ts.isObjectLiteralExpression(first))) return false
  const authorized = authorizedOf(app, first)
  if (authorized === undefined || !guard(work, authorized, first)) return false
  overwrite(code, parent, work.use(code, 'auth'))
  work.cover(parent)
  return true
}

/** `withAuth(handler, options)`, whose handler does not look into the token. */
function changeHandler(
  code: Code,
  { expression }: ts.CallExpression,
  handler: ts.Expression,
  options: ts.Expression | undefined,
  work: Work,
): boolean {
  if (options && !ts.isObjectLiteralExpression(options)) return false
  const reads = (one: ts.Node) => ts.isIdentifier(one) && one.text === 'nextauth'
  if (some(handler, reads) || !isSimple(options) || !changePages(work, options)) return false
  overwrite(code, expression, work.use(code, 'requireSession'))
  work.cover(expression)
  if (options) {
    replace(code, handler.end, options.end, '')
    work.cover(options)
  }
  return true
}

const SIGNED_IN = 'authorized: ({ auth }) => auth !== null'

const KNOWN = ['callbacks', 'cookies', 'pages', 'secret']

/** Does it let everybody in who is signed in, and nobody else? */
function isSimple(options: ts.ObjectLiteralExpression | undefined): boolean {
  const authorized = callbackOf(options)
  if (authorized === undefined) return false
  const text = authorized ? (valueIn(authorized)?.getText() ?? '').replaceAll(/\s/g, '') : ''
  return (
    authorized === null ||
    /^\(?\{token\}\)?=>(?:!!token|Boolean\(token\)|token!==?null)$/.test(text)
  )
}

/** @returns `null` if there is none, `undefined` for options that the command does not read */
function callbackOf(
  options: ts.ObjectLiteralExpression | undefined,
): ts.ObjectLiteralElementLike | null | undefined {
  if (!options) return null
  if (!options.properties.every((one) => KNOWN.includes(nameOf(one) ?? ''))) return undefined
  const callbacks = objectAt(options, 'callbacks')
  if (!callbacks) return memberOf(options, 'callbacks') ? undefined : null
  const authorized = memberOf(callbacks, 'authorized')
  if (callbacks.properties.length !== (authorized ? 1 : 0)) return undefined
  return authorized ?? null
}

/** The callback of the configuration that decides as the proxy's did. */
function authorizedOf(
  app: App,
  options: ts.ObjectLiteralExpression | undefined,
): string | undefined {
  if (isSimple(options)) {
    const pages = objectAt(options, 'pages')
    const page = pages && textAt(pages, 'error')
    if (page === undefined || /['"\\\n]/.test(page)) return SIGNED_IN
    return `authorized: ({ auth, request }) => auth !== null || request.nextUrl.pathname === '${page}'`
  }
  const member = callbackOf(options)
  const made = member && (ts.isMethodDeclaration(member) ? member : valueIn(member))
  if (!made || !(ts.isMethodDeclaration(made) || ts.isArrowFunction(made))) return undefined
  const [parameter, ...others] = made.parameters
  if (!parameter || others.length > 0 || !ts.isObjectBindingPattern(parameter.name))
    return undefined
  const names: string[] = []
  for (const { name, propertyName, initializer, dotDotDotToken } of parameter.name.elements) {
    const isPlain = ts.isIdentifier(name) && !propertyName && !initializer && !dotDotDotToken
    if (!isPlain) return undefined
    if (name.text === 'token' && !app.usesOf(name).every(isAskedAlone)) return undefined
    const other = { req: 'request: req', token: 'auth: token' }[name.text]
    if (other === undefined) return undefined
    names.push(other)
  }
  const reads = (one: ts.Node) => ts.isStringLiteral(one) && one.text.startsWith('next-auth')
  if (!made.body || !isPortable(app, made) || some(made, reads)) return undefined
  const isAsync = made.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword)
  const head = `${isAsync ? 'async ' : ''}({ ${names.join(', ')} }) =>`
  const file = made.getSourceFile()
  const line = file.text.slice(0, made.getStart()).split('\n').at(-1) ?? ''
  const [indent = ''] = /^[ \t]*/.exec(line) ?? []
  return `authorized: ${head} ${made.body.getText().replaceAll(`\n${indent}`, '\n')}`
}

/** Lets the proxy ask the configuration. @returns `false` if that cannot be changed so */
function guard(work: Work, authorized: string, options?: ts.ObjectLiteralExpression): boolean {
  const { literal } = work.home ?? {}
  if (!literal) return false
  const { code, node } = literal
  const object = objectAt(node, 'callbacks')
  if (!object && memberOf(node, 'callbacks')) return false
  if (!isOwn(node, 'callbacks')) return false
  if (memberAt(node, 'callbacks.authorized') || work.isGuarded) return false
  if (!changePages(work, options)) return false
  work.isGuarded = true
  if (object) addMembers({ code, node: object }, [authorized])
  else addMembers(literal, [`callbacks: { ${authorized} }`])
  return true
}

/** Does no other object, which is spread into this one, decide about a member? */
function isOwn(node: ts.ObjectLiteralExpression, name: string): boolean {
  const last = node.properties.findLastIndex((one) => ts.isSpreadAssignment(one))
  const own = node.properties.findIndex((one) => nameOf(one) === name)
  return last < 0 || own > last
}

/** The proxy leads to the configuration's own pages. */
function changePages(work: Work, options?: ts.ObjectLiteralExpression): boolean {
  const { literal } = work.home ?? {}
  const pages = objectAt(options, 'pages')
  if (!literal || !pages) return options === undefined || !memberOf(options, 'pages')
  if (!isOwn(literal.node, 'pages')) return false
  const own = objectAt(literal.node, 'pages')
  const texts = pages.properties.map((one) => {
    const name = nameOf(one)
    return name === undefined ? [] : [name, textAt(pages, name)]
  })
  if (texts.some(([, text]) => text === undefined)) return false
  if (!own && !memberOf(literal.node, 'pages')) {
    const { quote } = literal.code.style
    const list = texts.map(([name, text]) => `${name}: ${quote}${text}${quote}`)
    addMembers(literal, [`pages: { ${list.join(', ')} }`])
    return true
  }
  return texts.every(([name, text]) => own && textAt(own, name ?? '') === text)
}

/** Version 4 let files of Next pass by itself. */
function finish(app: App, code: Code): void {
  const { newline, quote, end } = code.style
  const hasMatcher = code.tree.statements.some((one) =>
    /^export\b[^=]*\bconfig\b/.test(one.getText(code.tree)),
  )
  const last = code.tree.statements.at(-1)
  if (!hasMatcher && last) {
    // The pattern alone leaves the front page out below a `basePath` of Next.
    const paths = ['/', '/((?!_next|favicon.ico).*)'].map((path) => quote + path + quote)
    const matcher = `{ matcher: [${paths.join(', ')}] }`
    code.edit.appendLeft(last.end, `${newline}${newline}export const config = ${matcher}${end}`)
  }
  decideRuntime(app, code)
}

/** The edge has no stores, so an app that serves the routes itself is refused there. */
export function decideRuntime(app: App, code: Code): void {
  const isOfEdge = /(?:^|\/)middleware[.]\w+$/.test(code.path)
  if (!isOfEdge || /\bruntime:\s*['"]nodejs['"]/.test(code.text)) return
  app.decide(
    code,
    code.tree.statements[0] ?? code.tree,
    "Next 15 runs `middleware.ts` at the edge, which has no stores. Set `runtime: 'nodejs'` in its `config`, or call the file `proxy.ts` in Next 16.",
  )
}
