import ts from 'typescript'
import { addImport } from './add-import.js'
import type { App } from './app.js'
import { freeName, type Imported, importFrom, importsOf } from './bindings.js'
import { below, type Code } from './code.js'
import type { Changes } from './from-next-auth.js'
import { importedName, overwrite, removeStatement } from './move-imports.js'
import { type Home, homeOf, type InstanceExport } from './next-auth-home.js'
import { changeMiddleware } from './next-auth-middleware.js'
import { routeOf } from './next-auth-route.js'
import { type Literal, literalOf } from './objects.js'
import { decideTokens, isInPages, keep, PAGES_ROUTER } from './pages-router.js'
import { decideWritten } from './written-sessions.js'

const SERVER = /^next-auth(?:\/next)?$/
const OLD = /^next-auth(?:\/(?:next|middleware))?$/

/**
 * Makes the one instance of an app that gave its options to each function of `next-auth` 4, and uses that instance
 * everywhere.
 *
 * @returns `undefined` if the app must be changed by a person first
 */
export function changeVersion4(app: App, configs: readonly Literal[]): Changes | undefined {
  const places = callsOf(app)
  // A package may have the configuration alone, for the apps beside it.
  const [only, ...more] = places.length === 0 ? configs : []
  const first = mainOf(app, places) ?? (more.length === 0 ? only : undefined)
  // An app that has an instance from an earlier run gets no second one. A person changes the calls that the run left.
  const main = hasInstance(app) ? undefined : first
  if (main && !isReady(app, main)) return undefined
  const found = main && homeOf(app, main)
  const isUsable = !found?.inline || routeOf(app, found.code, found.inline)?.statement
  const home = isUsable ? found : undefined
  if (main && !home) {
    const text =
      'The command does not find a constant for the configuration: write `export const authOptions = { … }` in a file of its own, such as `auth.ts`, and run it again.'
    app.decide(main.code, main.node, text)
    return undefined
  }
  const work = new Work(app, home)
  if (home && places.length === 0) home.isRead = true
  for (const place of places) work.change(place)
  for (const code of app.codes.values()) {
    decideTokens(app, code, work.kept)
    changeMiddleware(app, code, work)
  }
  work.finish()
  return work
}

/** A call of `NextAuth` or `getServerSession`. */
interface Place {
  readonly code: Code
  readonly node: ts.CallExpression
  readonly of: 'routes' | 'session'
}

function callsOf(app: App): Place[] {
  const places: Place[] = []
  for (const code of app.codes.values()) {
    for (const node of below(code.tree)) {
      if (!ts.isCallExpression(node)) continue
      const name = importedName(app, node.expression, SERVER)
      if (name === 'default') places.push({ code, node, of: 'routes' })
      if (name?.endsWith('getServerSession')) places.push({ code, node, of: 'session' })
    }
  }
  return places
}

function hasInstance(app: App): boolean {
  return [...app.codes.values()].some((code) =>
    [...importsOf(code)].some(
      ({ name }) => importedName(app, name, /^@latchkey\/next$/) === 'default',
    ),
  )
}

/** The configuration of the routes, or else the one by which sessions are read. */
function mainOf(app: App, places: readonly Place[]): Literal | undefined {
  const inOrder = [...places].sort((a, b) => rank(a) - rank(b))
  for (const { code, node } of inOrder) {
    const literal = literalOf(app, code, node.arguments.at(-1))
    if (literal) return literal
  }
  return undefined
}

function rank({ code, of }: Place): number {
  if (of === 'session') return 2
  return isInPages(code.path) ? 1 : 0
}

/** An app that has only the Pages Router, or its configuration there, is left as it is. */
function isReady(app: App, main: Literal): boolean {
  const has = (pattern: RegExp) => [...app.codes.keys()].some((path) => pattern.test(path))
  if (isInPages(main.code.path)) {
    const text =
      'Move the configuration to a file of its own, such as `auth.ts`, and the routes to `app/api/auth/[...nextauth]/route.ts`. Then run the command again.'
    app.decide(main.code, main.node, text)
    return false
  }
  if (has(/^(?:src\/)?pages\//) && !has(/^(?:src\/)?app\//)) {
    app.decide(main.code, main.node, PAGES_ROUTER)
    return false
  }
  return true
}

/** The changes so far. */
export class Work implements Changes {
  readonly gone = new Set<ts.Node>()
  readonly kept = new Set<ts.Node>()
  readonly later: (() => void)[] = []
  readonly home: Home | undefined
  /** Does the configuration say which users the proxy lets in? */
  isGuarded = false
  readonly #app: App
  /** Names that no use needs any more where they stand. */
  readonly #covered = new Set<ts.Node>()
  readonly #wanted = new Map<Code, Map<string, string>>()
  #isServed = false

  constructor(app: App, home: Home | undefined) {
    this.#app = app
    this.home = home
  }

  /** The name by which a file calls an export of the instance. */
  use(code: Code, name: InstanceExport): string {
    if (code === this.home?.code) {
      this.home.isRead = true
      return this.home.names[name]
    }
    const exported = this.home?.names[name] ?? name
    const wanted = this.#wanted.get(code) ?? new Map<string, string>()
    this.#wanted.set(code, wanted)
    const local = wanted.get(exported) ?? freeName(code, [exported, 'currentSession'])
    wanted.set(exported, local)
    return local
  }

  cover(node: ts.Node): void {
    for (const one of below(node)) if (ts.isIdentifier(one)) this.#covered.add(one)
  }

  change({ code, node, of }: Place): void {
    const [first, second] = node.arguments
    const isMain = !first || this.#isMain(code, first)
    if (of === 'session') {
      decideWritten(this.#app, code, node)
      if (this.home && isMain && !second) {
        overwrite(code, node, `${this.use(code, 'auth')}()`)
        this.cover(node)
        return
      }
      if (this.home && first && second && this.#isPassedOn(code, first, second)) {
        overwrite(code, node, `${this.use(code, 'auth')}()`)
        this.cover(node)
        this.#app.decide(code, node, PAGES_ROUTER)
        return
      }
      const text = second ? PAGES_ROUTER : 'Read the session by `auth()` of the one instance.'
      this.#app.decide(code, node, text)
    } else if (this.home && first && isMain && !second && !isInPages(code.path)) {
      if (this.#changeRoute(code, node)) return
      const text = 'Export `GET` and `POST` of `handlers` here.'
      this.#app.decide(code, node, text)
    } else {
      const text = isInPages(code.path)
        ? 'Delete this route, and add `app/api/auth/[...nextauth]/route.ts` with `export const { GET, POST } = handlers`.'
        : second
          ? 'A configuration of each request is a function here: `NextAuth((request) => config)`.'
          : 'Export `GET` and `POST` of `handlers` of the one instance here.'
      this.#app.decide(code, node, text)
    }
    keep(this.#app, node.expression, this.kept)
  }

  /** `getServerSession(...args, authOptions)`, in a function for both routers. */
  #isPassedOn(code: Code, first: ts.Expression, second: ts.Expression): boolean {
    return ts.isSpreadElement(first) && this.#isMain(code, second)
  }

  #isMain(code: Code, node: ts.Expression): boolean {
    return literalOf(this.#app, code, node)?.node === this.home?.literal.node
  }

  #changeRoute(code: Code, node: ts.CallExpression): boolean {
    const route = routeOf(this.#app, code, node)
    if (!route || !this.home) return false
    if (this.home.inline === node || (this.home.code === code && route.statement)) {
      // The instance takes the place of the handler.
      if (!route.statement || this.#isServed) return false
      this.#isServed = true
      this.home.route = { node, methods: route.methods, statement: route.statement }
      for (const one of route.removed) removeStatement(code, one)
      return true
    }
    const handlers = this.use(code, 'handlers')
    if (route.statement) {
      const { end } = code.style
      const methods = route.methods.join(', ')
      overwrite(code, route.statement, `export const { ${methods} } = ${handlers}${end}`)
      for (const one of route.removed) removeStatement(code, one)
    } else overwrite(code, route.outer, `${handlers}.${route.methods[0]}`)
    this.cover(node)
    return true
  }

  /** Makes the instance, and changes the imports of the files that use it. */
  finish(): void {
    const { home } = this
    if (!home) return
    if (this.#wanted.size > 0 || home.isRead || home.route) this.#make(home)
    for (const code of this.#app.codes.values()) this.#finishImports(code, home)
  }

  #make(home: Home): void {
    const { code, names, route } = home
    const { newline, end } = code.style
    const wanted = new Set([...this.#wanted.values()].flatMap((one) => [...one.keys()]))
    const isAuth = wanted.has(names.auth) || home.isRead || !route
    const inner = (name: InstanceExport) =>
      names[name] === name ? name : `${name}: ${names[name]}`
    const others = [
      ...(isAuth ? [inner('auth')] : []),
      ...(wanted.has(names.requireSession) ? [inner('requireSession')] : []),
    ]
    if (route) {
      const methods = `handlers: { ${route.methods.join(', ')} }`
      const pattern = `{ ${[methods, ...others].join(', ')} }`
      const start = route.statement.getStart(code.tree)
      code.edit.overwrite(start, route.node.getStart(code.tree), `export const ${pattern} = `)
      if (/[.]tsx?$/.test(code.path) && others.length > 0) {
        const text =
          'Next allows no other exports in a route file: move the instance to a file of its own, such as `auth.ts`.'
        this.#app.decide(code, route.statement, text)
      }
      return
    }
    const maker = nextAuthIn(this.#app, code)
    const pattern = [inner('handlers'), ...others].join(', ')
    // A route file that nothing else imports gives only what Next allows.
    const isRoute = /(?:^|\/)route[.]\w+$/.test(code.path) && wanted.size === 0
    const line = `${isRoute ? '' : 'export '}const { ${pattern} } = ${maker ?? 'NextAuth'}(${home.options ?? ''})${end}`
    code.edit.appendLeft(home.statement.end, newline + newline + line)
    if (!maker) this.later.push(() => addImport(this.#app, code, 'NextAuth', '@latchkey/next'))
  }

  #finishImports(code: Code, home: Home): void {
    const wanted = this.#wanted.get(code)
    let instead: Imported | undefined
    for (const one of importsOf(code)) {
      const uses = this.#app.usesOf(one.name)
      const isUnused = uses.length > 0 && uses.every((use) => this.#covered.has(use))
      const isServer = importedName(this.#app, one.name, OLD) !== undefined
      if (!isUnused || (isServer && this.kept.has(one.name))) continue
      if (isServer) this.gone.add(one.name)
      else if (this.#isMain(code, one.name)) instead = one
    }
    if (!wanted || wanted.size === 0) return
    const names = [...wanted].map(([name, local]) =>
      name === local ? name : `${name} as ${local}`,
    )
    this.later.push(() => importFrom(this.#app, code, home.code, names, instead))
  }
}

/** The name by which a file has `NextAuth` already. */
function nextAuthIn(app: App, code: Code): string | undefined {
  for (const { name } of importsOf(code)) {
    if (importedName(app, name, SERVER) === 'default') return name.text
  }
  return undefined
}
