import ts from 'typescript'
import { addImport } from './add-import.js'
import type { App } from './app.js'
import type { Adapter } from './authjs-modules.js'
import { AUTHJS_OPTIONS, DATABASE_SESSIONS } from './authjs-options.js'
import { below, type Code } from './code.js'
import { importedName, isFrom } from './move-imports.js'
import { decideVersion4 } from './next-auth-4-options.js'
import {
  addMembers,
  indentAt,
  isPortable,
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
import { renamedText } from './variables-in-code.js'

/** How long a session of Auth.js lives unless the configuration says otherwise. */
const MAX_AGE = 30 * 24 * 60 * 60

/** The library that a configuration was written for, and the package that reads it now. */
export interface Kind {
  readonly adapter: Adapter
  /** Version 4 is `next-auth` alone. */
  readonly version: 4 | 5
}

/**
 * Changes configurations. Configurations that spread another one get its additions from there, so they
 * are added once.
 */
export function changeConfigs(app: App, configs: readonly Literal[], kind: Kind): void {
  const chains = configs.map((config) => chainOf(app, config))
  const spread = new Set(chains.flatMap(([, ...bases]) => bases.map(({ node }) => node)))
  const done = new Map<ts.Node, Literal>()
  for (const chain of chains) {
    const [own] = chain
    if (own && !spread.has(own.node)) changeChain(app, chain, kind, done)
  }
}

/** A configuration and those that are spread into it, the outermost first. */
function chainOf(app: App, config: Literal): Literal[] {
  const chain = [config]
  // The list grows while it is read; a configuration is in it once.
  for (const { code, node } of chain) {
    for (const one of node.properties) {
      if (!ts.isSpreadAssignment(one)) continue
      const base = literalOf(app, code, one.expression)
      if (base && !chain.some((other) => other.node === base.node)) chain.push(base)
    }
  }
  return chain
}

function changeChain(
  app: App,
  chain: readonly Literal[],
  kind: Kind,
  done: Map<ts.Node, Literal>,
): void {
  const fresh = chain.filter(({ node }) => !done.has(node))
  for (const config of fresh) {
    done.set(config.node, config)
    decideOptions(app, config, chain, kind)
    decideProviders(app, config)
    if (kind.version === 4) decideVersion4(app, config)
  }
  const [own] = chain
  if (!own || fresh.length === 0) return
  const strategy = found(chain, 'session.strategy')
  const adapter = found(chain, 'adapter')
  const how = strategy && textOf(strategy.member)
  const isInDatabase = how === 'database' || (how !== 'jwt' && adapter !== undefined)
  if (isInDatabase) {
    const { code, member } = strategy ?? adapter ?? { code: own.code, member: own.node }
    app.decide(code, member, DATABASE_SESSIONS)
  }
  const members = new Map<Literal, string[]>()
  const add = (config: Literal, text: string) => {
    members.set(config, [...(members.get(config) ?? []), text])
  }
  const isOfProvider = kind.version === 4 && adapter === undefined
  for (const config of fresh) {
    const subject = subjectOf(app, config, isOfProvider)
    if (subject && !memberOf(config.node, 'subject')) add(config, subject)
  }
  if (!isInDatabase && !found(chain, 'migrateFrom')) {
    const place = placeIn(app, chain)
    add(place, migrateFromOf(app, chain, place, kind))
    for (const config of fresh) keepToken(app, config)
  }
  for (const [config, texts] of members) addMembers(config, texts)
}

interface Found {
  readonly code: Code
  readonly config: Literal
  readonly member: ts.ObjectLiteralElementLike
}

/** A member by its path, in the outermost configuration that has it. */
function found(chain: readonly Literal[], path: string): Found | undefined {
  for (const config of chain) {
    const member = memberAt(config.node, path)
    if (member) return { code: config.code, config, member }
  }
  return undefined
}

function textOf(member: ts.ObjectLiteralElementLike): string | undefined {
  const value = valueIn(member)
  const inner = value && ts.isAsExpression(value) ? value.expression : value
  return inner && ts.isStringLiteralLike(inner) ? inner.text : undefined
}

/**
 * Old sessions move in wherever the configuration is used, so the innermost one reads them, unless only
 * another file can name what it needs.
 */
function placeIn(app: App, chain: readonly Literal[]): Literal {
  const [own] = chain
  const inner = chain.at(-1) ?? own
  for (const path of ['cookies.sessionToken.name', 'jwt.secret', 'secret']) {
    const one = found(chain, path)
    const value = one && valueIn(one.member)
    if (one && value && one.code !== inner?.code && !isPortable(app, value)) {
      return one.config
    }
  }
  return inner as Literal
}

/** Lists the decisions for the developer about each option that differs here. */
function decideOptions(
  app: App,
  { code, node }: Literal,
  chain: readonly Literal[],
  { adapter }: Kind,
): void {
  for (const { path, node: at, text } of unreadOptions(node)) {
    if (path === 'callbacks.authorized' && adapter === '@latchkey/next') continue
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
    const base = ts.isSpreadAssignment(one) ? literalOf(app, code, one.expression) : undefined
    if (base && chain.some((other) => other.node === base.node)) continue
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
        'An address links no accounts here: users add ways to sign in by two proofs (docs/accounts.md).',
      )
    }
  }
}

/**
 * People who sign in with a password keep the id that `authorize` answers.
 *
 * @param isOfProvider every id is that of the provider's account, as in version 4 without an adapter
 */
function subjectOf(app: App, { code, node }: Literal, isOfProvider: boolean): string | undefined {
  const providers = valueIn(memberOf(node, 'providers'))
  if (!providers) return undefined
  if (isOfProvider) {
    const [, ...others] = ts.isArrayLiteralExpression(providers) ? providers.elements : [1, 2]
    if (others.length === 0) return 'subject: ({ account }) => account.providerAccountId'
    const text =
      'The id of a user was that of the provider’s account. Two providers may have the same ids, so users of OAuth get new ones at their next sign-in: `subject` can keep them.'
    app.decide(code, providers, text)
  }
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

function migrateFromOf(
  app: App,
  chain: readonly Literal[],
  place: Literal,
  { adapter, version }: Kind,
): string {
  const { code, node } = place
  const { quote } = code.style
  const maxAge = found(chain, 'session.maxAge')
  const seconds = maxAge ? numberOf(valueIn(maxAge.member)) : MAX_AGE
  const until = untilOf(app.now, seconds ?? MAX_AGE)
  const secret = secretOf(app, chain)
  const cookie = cookieOf(app, chain)
  const cookies = version === 4 ? [`cookie: ${quote}next-auth.session-token${quote}`] : []
  const options = [
    `secret: ${secret ?? variableOf(app, code, adapter)}`,
    `until: ${quote}${until}${quote}`,
    ...(cookie === undefined ? cookies : [`cookie: ${cookie}`]),
  ]
  app.decide(
    maxAge?.code ?? code,
    maxAge?.member ?? node,
    `Old cookies are read until ${until}: the day of the deployment and \`session.maxAge\`. Set \`until\` to the end of the last old session.`,
  )
  addImport(app, code, '{ authjs }', '@latchkey/worker/migrate')
  const text = `authjs({ ${options.join(', ')} })`
  return text.length < 84 ? `migrateFrom: [${text}]` : `migrateFrom: [\n  ${text},\n]`
}

/** The secret that a configuration names. Version 4 has another one for its tokens. */
function secretOf(app: App, chain: readonly Literal[]): string | undefined {
  const secret = found(chain, 'jwt.secret') ?? found(chain, 'secret')
  const value = secret && valueIn(secret.member)
  return secret && value && renamedText(app, secret.code, value)
}

/**
 * The `jwt` callback runs once for a session that moves in. The contents that it put into the old
 * token are kept, as they were at each read of the old session.
 */
function keepToken(app: App, { code, node }: Literal): void {
  const callback = memberAt(node, 'callbacks.jwt')
  if (!callback) return
  decideData(app, code, callback)
  const made = ts.isMethodDeclaration(callback) ? callback : valueIn(callback)
  const isFunction =
    made &&
    (ts.isMethodDeclaration(made) || ts.isArrowFunction(made) || ts.isFunctionExpression(made))
  const [given] = isFunction ? made.parameters : []
  // A type of the app's own may lack a member.
  const isTyped = given?.type !== undefined && given.type.kind !== ts.SyntaxKind.AnyKeyword
  const parameter = isTyped ? undefined : given?.name
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

/** What a browser hands to `update` had the type `any`. */
function decideData(app: App, code: Code, callback: ts.ObjectLiteralElementLike): void {
  if (!/[.][cm]?tsx?$/.test(code.path)) return
  const data = [...below(callback)].find(
    (one) => ts.isBindingElement(one) && one.name.getText(code.tree) === 'session',
  )
  const text = '`session`, the data of `update`, comes from the browser and is `unknown`: check it.'
  if (data) app.decide(code, data, text)
}

/** Does each name of a pattern stand for the member of that name? */
function isPlain(pattern: ts.ObjectBindingPattern): boolean {
  return pattern.elements.every(
    ({ name, propertyName, dotDotDotToken }) =>
      ts.isIdentifier(name) && !propertyName && !dotDotDotToken,
  )
}

/** The secret's variable as the app's framework has it. */
function variableOf(app: App, code: Code, adapter: Adapter): string {
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
function cookieOf(app: App, chain: readonly Literal[]): string | undefined {
  const name = found(chain, 'cookies.sessionToken.name')
  const value = name && valueIn(name.member)
  const token = objectAt(objectAt(name?.config.node, 'cookies'), 'sessionToken')
  if (!name || !value || !token) return undefined
  app.decide(name.code, name.member, 'The old cookie keeps this name; the new one has its own.')
  removeMember({ code: name.code, node: token }, name.member)
  return value.getText(name.code.tree)
}
