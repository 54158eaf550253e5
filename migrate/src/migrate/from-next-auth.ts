import ts from 'typescript'
import type { App } from './app.js'
import { changeConfigs } from './authjs-config.js'
import { type ConfigPlaces, configsOf } from './authjs-configs-of.js'
import { presetChange } from './authjs-modules.js'
import { importsOf } from './bindings.js'
import { changeTarget } from './client-target.js'
import { below, type Code } from './code.js'
import { changeDeclared } from './declared-modules.js'
import { type Bindings, importedName, moduleOf, modulesOf, moveImports } from './move-imports.js'
import { changeVersion4 } from './next-auth-4.js'
import { changeVersion5 } from './next-auth-5.js'
import { nextAuthModule } from './next-auth-modules.js'
import { ownOf } from './own-of.js'

const PLACES: ConfigPlaces = {
  from: /^next-auth(?:\/next)?$/,
  functions: { default: 0, getServerSession: 0, unstable_getServerSession: 0 },
  types: /^(?:NextAuthConfig|NextAuthOptions|AuthOptions|AuthConfig)$/,
}

/** What an app's calls and declarations have become, for its imports. */
export interface Changes extends Bindings {
  readonly gone: Set<ts.Node>
  /** Imports that are written when the old ones have changed. */
  readonly later: readonly (() => void)[]
}

/** Changes the code of a Next.js app that uses `next-auth`, 4 or 5. */
export function fromNextAuth(app: App): void {
  const version = versionOf(app)
  const configs = configsOf(app, PLACES)
  const changes = version === 4 ? changeVersion4(app, configs) : changeVersion5(app, configs)
  if (!changes) return
  for (const code of app.codes.values()) changeCode(app, code, changes)
  for (const write of changes.later) write()
  changeConfigs(app, configs, { adapter: '@latchkey/next', version })
  if (configs.length > 0) app.needed.add('@latchkey/worker')
  else if (isServed(app)) {
    const text =
      'No configuration was found as an object: add `migrateFrom` yourself, or all users are signed out.'
    app.decisions.push({ path: 'package.json', text })
  }
  decideFramework(app)
  if (version === 4 && configs.length > 0) decideEnvironment(app)
}

/** By the manifest, else by names that only one of them has. */
function versionOf(app: App): 4 | 5 {
  const [major] = /\d+/.exec(String(app.dependencies['next-auth'] ?? '')) ?? []
  if (major === '4' || major === '5') return major === '4' ? 4 : 5
  const is4 = [...app.codes.values()].some((code) => {
    const isOld = (module: string) => /^next-auth\/(?:next|middleware)$/.test(module)
    const names = [...importsOf(code)].map(({ name }) => importedName(app, name, /^next-auth$/))
    return [...modulesOf(code)].some(isOld) || names.some((name) => NAMES_OF_4.has(name ?? ''))
  })
  return is4 ? 4 : 5
}

const NAMES_OF_4: ReadonlySet<string> = new Set([
  'AuthOptions',
  'NextAuthOptions',
  'getServerSession',
  'unstable_getServerSession',
])

/** Does it make an instance? */
function isServed(app: App): boolean {
  const isMaker = ({ name }: { readonly name: ts.Identifier }) =>
    importedName(app, name, /^next-auth(?:\/next)?$/) === 'default'
  return [...app.codes.values()].some((code) => [...importsOf(code)].some(isMaker))
}

function changeCode(app: App, code: Code, changes: Changes): void {
  for (const node of below(code.tree)) {
    if (ts.isCallExpression(node)) {
      const client = importedName(app, node.expression, /^next-auth\/react$/)
      if (client === 'signIn') changeTarget(code, node.arguments[1])
      if (client === 'signOut') changeTarget(code, node.arguments[0])
    }
    decideProperties(app, code, node)
    decideText(app, code, node)
    changeDeclared(app, code, node, changes.gone)
    const change = presetChange(moduleOf(node)?.text ?? '')
    if (change !== undefined) app.decide(code, node, change)
  }
  moveImports(app, code, nextAuthModule, changes)
  changeComments(code)
}

/** The types that comments of JavaScript import. */
function changeComments(code: Code): void {
  if (!/[.][cm]?jsx?$/.test(code.path)) return
  for (const {
    index,
    0: whole,
    1: start = '',
    2: module = '',
    3: middle = '',
    4: name = '',
  } of code.text.matchAll(/(import\(["'])(next-auth(?:\/[\w-]+)?)(["']\)[.])(\w+)/g)) {
    const destination = nextAuthModule(module)
    if (!destination || !('to' in destination)) continue
    const after = ownOf(destination.names, name)
    if (after === undefined) continue
    code.edit.overwrite(index, index + whole.length, start + destination.to + middle + after)
  }
}

const PROPERTIES: Readonly<Record<string, string>> = {
  baseUrl: 'only `basePath` can differ.',
  refetchInterval: 'nothing is polled. `getSession()` asks.',
  refetchOnWindowFocus: 'the session is read again whenever a user comes back to the page.',
  refetchWhenOffline: 'nothing is polled.',
}

/** Properties of `<SessionProvider>` that ours does not have. */
function decideProperties(app: App, code: Code, node: ts.Node): void {
  if (!ts.isJsxAttribute(node)) return
  const { tagName } = node.parent.parent
  if (importedName(app, tagName, /^next-auth\/react$/) !== 'SessionProvider') return
  const name = node.name.getText(code.tree)
  const why = Object.hasOwn(PROPERTIES, name) ? PROPERTIES[name] : undefined
  if (why !== undefined) app.decide(code, node, `Remove \`${name}\`: ${why}`)
}

/** The names of old modules and cookies where they are only text: in mocks, settings, and middleware. */
function decideText(app: App, code: Code, node: ts.Node): void {
  if (!ts.isStringLiteralLike(node)) return
  const isModule = moduleOf(node.parent) === node || ts.isModuleDeclaration(node.parent)
  if (/^next-auth(?:\/|$)/.test(node.text) && !isModule && !ts.isLiteralTypeNode(node.parent)) {
    app.decide(
      code,
      node,
      'The name of the old package stays here: name the new one, or remove it.',
    )
  } else if (/(?:^|[-_])(?:next-auth|authjs)[.]session-token/.test(node.text) && !isName(node)) {
    app.decide(
      code,
      node,
      'The cookie of a session has another name: read the session by `auth()`.',
    )
  }
}

/** The name that the configuration gives to the cookie is a decision of its own. */
function isName(node: ts.Node): boolean {
  for (let at = node; at && !ts.isStatement(at); at = at.parent) {
    if (ts.isPropertyAssignment(at) && at.name.getText() === 'name') return true
  }
  return false
}

/** `@latchkey/next` needs Next 15.2. */
function decideFramework(app: App): void {
  const [, major, minor] = /(\d+)(?:[.](\d+))?/.exec(String(app.dependencies.next ?? '')) ?? []
  if (major === undefined) return
  const isOld = Number(major) < 15 || (Number(major) === 15 && Number(minor ?? 9) < 2)
  // A range such as ^15.0.0 allows a newer one.
  const isRange = Number(major) === 15 && /^[\^>]/.test(String(app.dependencies.next))
  if (!isOld || isRange) return
  app.decisions.push({ path: 'package.json', text: '`@latchkey/next` needs Next 15.2 or newer.' })
}

function decideEnvironment(app: App): void {
  const isNamed = ['NEXTAUTH_SECRET', 'AUTH_SECRET'].some((name) => app.variables.has(name))
  if (isNamed) return
  const text =
    'NEXTAUTH_SECRET is AUTH_SECRET now, and NEXTAUTH_URL is AUTH_URL: rename them in the app’s environment.'
  app.decisions.push({ path: 'package.json', text })
}
