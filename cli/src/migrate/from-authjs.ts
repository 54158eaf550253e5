import ts from 'typescript'
import { addImport } from './add-import.js'
import type { App } from './app.js'
import { type Adapter, authjsModule, presetChange } from './authjs-modules.js'
import { AUTHJS_OPTIONS, DATABASE_SESSIONS } from './authjs-options.js'
import { below, type Code } from './code.js'
import {
  importedName,
  isFrom,
  moduleOf,
  moveImports,
  overwrite,
  overwriteModule,
} from './move-imports.js'
import {
  addMembers,
  indentAt,
  type Literal,
  literalOf,
  memberAt,
  memberOf,
  nameOf,
  numberOf,
  objectAt,
  removeMember,
  some,
  textAt,
  valueIn,
} from './objects.js'
import { ownOf } from './own-of.js'
import { unreadOptions } from './unread-options.js'
import { untilOf } from './until.js'

/** How long a session of Auth.js lives unless the configuration says otherwise. */
const MAX_AGE = 30 * 24 * 60 * 60

/** The functions that are given a configuration, with the place of their argument. */
const SERVES: Readonly<Record<string, number>> = { ExpressAuth: 0, SvelteKitAuth: 0, Auth: 1 }
const CONFIG_TYPE = /^(?:ExpressAuthConfig|SvelteKitAuthConfig|AuthConfig)$/

/** Changes the code of an app that uses `@auth/express`, `@auth/sveltekit` or `@auth/core`. */
export function fromAuthjs(app: App): void {
  const modules = new Set([...app.codes.values()].flatMap((code) => [...modulesOf(code)]))
  if (![...modules].some((name) => /^@auth\//.test(name) || isForeignFramework(name))) return
  const uses = (name: string) => [...modules].some((one) => one.startsWith(`@auth/${name}`))
  const adapter: Adapter = uses('sveltekit')
    ? '@latchkey/sveltekit'
    : uses('express')
      ? '@latchkey/express'
      : '@latchkey/worker'
  if (adapter === '@latchkey/worker' && [...modules].some(isForeignFramework)) {
    const text =
      'The command changes only apps that use `@auth/express`, `@auth/sveltekit` or `@auth/core` alone: docs/migrate-from-authjs.md.'
    app.decisions.push({ path: 'package.json', text })
    return
  }
  const configs = configsOf(app)
  for (const code of app.codes.values()) {
    for (const node of below(code.tree)) {
      changeCall(app, code, node)
      changeDeclared(app, code, node)
      const module = moduleOf(node)?.text ?? ''
      const change = module.startsWith('@auth/') ? presetChange(module) : undefined
      if (change !== undefined) app.decide(code, node, change)
    }
    const isForeign = [...modulesOf(code)].some(isForeignFramework)
    moveImports(app, code, (module) => {
      const destination = authjsModule(module, adapter)
      // Code that stays with Auth.js keeps its providers too.
      const isKept = isForeign && module.startsWith('@auth/core')
      return isKept && destination && 'to' in destination ? undefined : destination
    })
    changeReferences(code)
  }
  for (const config of configs) changeConfig(app, config, adapter)
  if (configs.length === 0 && (uses('express') || uses('sveltekit'))) {
    const text =
      'No configuration was found as an object: add `migrateFrom` yourself, or all users are signed out.'
    app.decisions.push({ path: 'package.json', text })
  }
  if (adapter !== '@latchkey/worker') app.needed.add('@latchkey/worker')
}

function* modulesOf({ tree }: Code): Generator<string> {
  for (const node of below(tree)) {
    const module = moduleOf(node)
    if (module) yield module.text
  }
}

/** Another framework's Auth.js, which has no counterpart here. */
function isForeignFramework(module: string): boolean {
  return /^(?:next-auth|@hono\/auth-js|@auth\/(?:qwik|solid-start|fastify|nuxt|astro|remix))(?:\/|$)/.test(
    module,
  )
}

/** The configurations, each once, wherever they are written as an object. */
function configsOf(app: App): Literal[] {
  const literals = new Map<ts.Node, Literal>()
  const add = (code: Code, node: ts.Expression | undefined) => {
    const literal = literalOf(app, code, node)
    if (literal) literals.set(literal.node, literal)
  }
  for (const code of app.codes.values()) {
    for (const node of below(code.tree)) {
      if (ts.isCallExpression(node)) {
        const name = importedName(app, node.expression, /^@auth\/(?:express|sveltekit|core)$/)
        const place = ownOf(SERVES, name ?? '')
        if (place !== undefined) add(code, node.arguments[place])
      }
      const { type, of } = typed(node)
      if (type && CONFIG_TYPE.test(importedName(app, type, /^@auth\//) ?? '')) add(code, of)
    }
  }
  return [...literals.values()]
}

/** The type of a declaration, or of an expression that satisfies one. */
function typed(node: ts.Node): { type?: ts.EntityName; of?: ts.Expression | undefined } {
  const isTyped = ts.isVariableDeclaration(node) || ts.isSatisfiesExpression(node)
  if (!isTyped || !node.type || !ts.isTypeReferenceNode(node.type)) return {}
  return {
    type: node.type.typeName,
    of: ts.isVariableDeclaration(node) ? node.initializer : node.expression,
  }
}

function changeCall(app: App, code: Code, node: ts.Node): void {
  if (!ts.isCallExpression(node)) return
  const client = importedName(app, node.expression, /^@auth\/sveltekit\/client$/)
  if (client !== undefined) {
    const options = node.arguments[client === 'signIn' ? 1 : 0]
    if (!options || !ts.isObjectLiteralExpression(options)) return
    const old = memberOf(options, 'callbackUrl')
    if (!old?.name || memberOf(options, 'redirectTo')) return
    const isShort = ts.isShorthandPropertyAssignment(old)
    overwrite(code, old.name, isShort ? 'redirectTo: callbackUrl' : 'redirectTo')
  } else changeFirstRelease(app, code, node)
}

/** What `@auth/sveltekit` was before 1.0: a hook as the answer, and `locals.getSession()`. */
function changeFirstRelease(app: App, code: Code, node: ts.CallExpression): void {
  const { expression, parent } = node
  if (importedName(app, expression, /^@auth\/sveltekit$/) === 'SvelteKitAuth') {
    if (ts.isVariableDeclaration(parent) && parent.name.getText(code.tree) === 'handle') {
      overwrite(code, parent.name, '{ handle }')
    } else if (ts.isCallExpression(parent) && parent.expression.getText(code.tree) === 'sequence') {
      code.edit.appendLeft(node.end, '.handle')
    }
    return
  }
  if (!ts.isPropertyAccessExpression(expression) || node.arguments.length > 0) return
  const isOfLocals = /(?:^|[.])locals$/.test(expression.expression.getText(code.tree))
  if (isOfLocals && expression.name.text === 'getSession') overwrite(code, expression.name, 'auth')
}

/** `declare module`, by which an app extends types. */
function changeDeclared(app: App, code: Code, node: ts.Node): void {
  if (!ts.isModuleDeclaration(node) || !ts.isStringLiteral(node.name)) return
  const module = node.name.text
  if (!/^(?:@auth\/|next-auth)/.test(module) || !node.body || !ts.isModuleBlock(node.body)) return
  const isJwt = module.endsWith('/jwt')
  const pattern = isJwt ? /^JWT$/ : /^(?:Session|User)$/
  const unknown = node.body.statements.find(
    (one) => !ts.isInterfaceDeclaration(one) || !pattern.test(one.name.text),
  )
  if (unknown) {
    app.decide(
      code,
      unknown,
      'Only `Session` and `User` of `@latchkey/session`, and `JWT` of `@latchkey/worker/types`, can be extended.',
    )
    return
  }
  const to = isJwt ? '@latchkey/worker/types' : '@latchkey/session'
  app.needed.add(isJwt ? '@latchkey/worker' : to)
  overwriteModule(code, node.name, to)
}

/** `/// <reference types="@auth/sveltekit" />` */
function changeReferences(code: Code): void {
  for (const { fileName, pos, end } of code.tree.typeReferenceDirectives) {
    if (fileName === '@auth/sveltekit') code.edit.overwrite(pos, end, '@latchkey/sveltekit')
  }
}

function changeConfig(app: App, config: Literal, adapter: Adapter): void {
  const { code, node } = config
  const session = objectAt(node, 'session')
  decideOptions(app, code, node)
  decideProviders(app, config)
  const strategy = session && textAt(session, 'strategy')
  const isInDatabase =
    strategy === 'database' || (strategy !== 'jwt' && memberOf(node, 'adapter') !== undefined)
  if (isInDatabase) {
    app.decide(
      code,
      memberOf(session, 'strategy') ?? memberOf(node, 'adapter') ?? node,
      DATABASE_SESSIONS,
    )
  }
  const members: string[] = []
  const subject = subjectOf(app, config)
  if (subject && !memberOf(node, 'subject')) members.push(subject)
  if (!isInDatabase && !memberOf(node, 'migrateFrom')) {
    members.push(migrateFromOf(app, config, adapter))
    keepToken(app, config)
  }
  if (members.length > 0) addMembers(config, members)
}

/** Lists the decisions for the developer about each option that differs here. */
function decideOptions(app: App, code: Code, node: ts.ObjectLiteralExpression): void {
  for (const { path, node: at, text } of unreadOptions(node)) {
    // `jwt` and others are groups, of which each member is named.
    const [group = ''] = path.split('.')
    const own = ownOf(AUTHJS_OPTIONS, path) ?? ownOf(AUTHJS_OPTIONS, group)
    app.decide(code, at, `\`${path}\`: ${own ?? text}`)
  }
  for (const name of ['events.session', 'events.signOut', 'cookies.sessionToken.options']) {
    const member = memberAt(node, name)
    if (member) app.decide(code, member, `\`${name}\`: ${AUTHJS_OPTIONS[name]}`)
  }
  for (const one of node.properties) {
    if (nameOf(one) !== undefined) continue
    app.decide(code, one, 'The command does not read a spread part of the configuration.')
  }
}

function decideProviders(app: App, { code, node }: Literal): void {
  const providers = valueIn(memberOf(node, 'providers'))
  if (!providers) return
  for (const one of below(providers)) {
    if (!ts.isPropertyAssignment(one)) continue
    if (nameOf(one) === 'allowDangerousEmailAccountLinking') {
      app.decide(
        code,
        one,
        'An address links no accounts here: users add sign-in methods by two proofs (docs/accounts.md).',
      )
    }
  }
}

/** People who sign in with a password keep the id that `authorize` answers. */
function subjectOf(app: App, { code, node }: Literal): string | undefined {
  const providers = valueIn(memberOf(node, 'providers'))
  if (!providers) return undefined
  const ids: string[] = []
  for (const one of below(providers)) {
    if (!ts.isCallExpression(one)) continue
    const { expression, arguments: args } = one
    if (importedName(app, expression, /\/providers\/credentials$/) !== 'default') continue
    const [options] = args
    const isRead = options && ts.isObjectLiteralExpression(options)
    ids.push((isRead && textAt(options, 'id')) || 'credentials')
  }
  if (ids.length === 0) return undefined
  const { quote } = code.style
  const is = ids.map((id) => `provider === ${quote}${id}${quote}`).join(' || ')
  return `subject: ({ provider, account }) =>\n  ${is} ? account.providerAccountId : undefined`
}

function migrateFromOf(app: App, config: Literal, adapter: Adapter): string {
  const { code, node } = config
  const { quote } = code.style
  const value = valueIn(memberOf(node, 'secret'))
  const maxAge = memberOf(objectAt(node, 'session'), 'maxAge')
  const seconds = maxAge ? numberOf(valueIn(maxAge)) : MAX_AGE
  const until = untilOf(app.now, seconds ?? MAX_AGE)
  const options = [
    `secret: ${value ? value.getText(code.tree) : secretOf(app, code, adapter)}`,
    `until: ${quote}${until}${quote}`,
    ...cookieOf(app, config),
  ]
  app.decide(
    code,
    maxAge ?? node,
    `Old cookies are read until ${until}: the day of the deployment and \`session.maxAge\`. Set \`until\` to the end of the last old session.`,
  )
  addImport(app, code, '{ authjs }', '@latchkey/worker/migrate')
  return `migrateFrom: [authjs({ ${options.join(', ')} })]`
}

/**
 * The `jwt` callback runs once for a session that moves in. The contents that it put into the old
 * token are kept, as they were at each read of the old session.
 */
function keepToken(app: App, { code, node }: Literal): void {
  const callback = memberAt(node, 'callbacks.jwt')
  if (!callback) return
  const made = ts.isMethodDeclaration(callback) ? callback : valueIn(callback)
  const isFunction =
    made &&
    (ts.isMethodDeclaration(made) || ts.isArrowFunction(made) || ts.isFunctionExpression(made))
  const parameter = isFunction ? made.parameters[0]?.name : undefined
  const body = isFunction ? made.body : undefined
  const first = body && ts.isBlock(body) ? body.statements[0] : undefined
  if (!first || !parameter || !ts.isObjectBindingPattern(parameter) || !isPlain(parameter)) {
    const text =
      'For an old session it runs with `account.provider` `authjs` and the old token as `profile`: copy from it the values that it had put there.'
    app.decide(code, callback, text)
    return
  }
  const names = parameter.elements.map(({ name }) => name.getText(code.tree))
  const missing = ['token', 'account', 'profile'].filter((name) => !names.includes(name))
  const last = parameter.elements.at(-1)
  if (last && missing.length > 0) code.edit.appendLeft(last.end, `, ${missing.join(', ')}`)
  const { quote, end, newline } = code.style
  const indent = newline + indentAt(code, first)
  code.edit.appendLeft(
    first.getStart(code.tree),
    [
      '// An old session keeps the contents of its token.',
      `if (account?.provider === ${quote}authjs${quote}) return Object.assign({}, profile, token)${end}`,
      '',
    ].join(indent),
  )
}

/** Does each name of a pattern stand for the member of that name? */
function isPlain(pattern: ts.ObjectBindingPattern): boolean {
  return pattern.elements.every(
    ({ name, propertyName, dotDotDotToken }) =>
      ts.isIdentifier(name) && !propertyName && !dotDotDotToken,
  )
}

/** The secret as the app's framework has it. */
function secretOf(app: App, code: Code, adapter: Adapter): string {
  if (adapter !== '@latchkey/sveltekit') return 'process.env.AUTH_SECRET'
  const isThere = code.tree.statements.some(
    (one) =>
      ts.isImportDeclaration(one) &&
      isFrom(one, /^[$]env\/dynamic\/private$/) &&
      some(one, (node) => ts.isImportSpecifier(node) && node.name.text === 'env'),
  )
  if (!isThere) addImport(app, code, '{ env }', '$env/dynamic/private')
  return 'env.AUTH_SECRET'
}

/** Old sessions under a name of the app's own are read under it; the new ones have another name. */
function cookieOf(app: App, { code, node }: Literal): string[] {
  const cookies = objectAt(node, 'cookies')
  const token = objectAt(cookies, 'sessionToken')
  const name = memberOf(token, 'name')
  const value = valueIn(name)
  if (!cookies || !token || !name || !value) return []
  app.decide(code, name, 'The old cookie keeps this name; the new one has its own.')
  removeMember({ code, node: token }, name)
  return [`cookie: ${value.getText(code.tree)}`]
}
