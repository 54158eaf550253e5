import { isRecord } from '@latchkey/session/internal'
import { VARIABLE_FORMS } from '../../config/manifests.js'
import { type Variables, variablesOf } from '../../config/variables-of.js'
import { InvalidConfiguration } from '../../errors.js'
import type { Environment } from '../../types.js'
import {
  finderOf,
  readIssuer,
  readTrustedIssuer,
  TRUSTED_MEMBERS,
  type TrustedIssuer,
} from './assertions/read-trusted-issuers.js'
import { Entry, Mistakes, pathOf, shortened, strayVariables } from './entry.js'
import type { AuthorizationServerOptions } from './options.js'
import { APP_MEMBERS, readApp } from './read-app.js'
import { RESOURCE_MEMBERS, readResource, spellingOf } from './read-resource.js'
import type { App, IdTokenAlg, Resource, Server, SigningAlg } from './settings.js'

const OPTIONS = ['apps', 'resources', 'keys', 'trustedIssuers', 'fetch']

const MAX_APPS = 1_000
const MAX_RESOURCES = 100
const MAX_ISSUERS = 100

const APPS = 'AUTH_APP_<ID>_…'
const RESOURCES = 'AUTH_RESOURCE_<ID>_…'
const ISSUERS = 'AUTH_TRUSTED_ISSUER_<ID>_…'

/** RFC 6749, appendix A.1, in fewer characters. */
const CLIENT_ID = /^[A-Za-z0-9._-]{1,64}$/

/** Tokens of API keys have it as their `client_id`. */
const API_KEY = 'api-key'

const PREFIX = /^[a-z][a-z0-9]{1,11}$/

/**
 * Checks the options alone, before there is an environment.
 *
 * @throws {TypeError} naming each mistake, by option and by variable
 */
export function checkOptions(options: AuthorizationServerOptions): void {
  const mistakes = new Mistakes(false)
  read(options, {}, mistakes)
  if (mistakes.text) throw new TypeError(mistakes.text)
}

/**
 * Options and variables → the server; `undefined`: it is off, since there is neither an app, an open resource nor a
 * prefix of keys.
 *
 * @throws {InvalidConfiguration} naming each mistake, by option and by variable
 */
export function resolveServer(
  options: AuthorizationServerOptions,
  env: Environment,
): Server | undefined {
  const mistakes = new Mistakes(true)
  const server = read(options, env, mistakes)
  if (mistakes.text) throw new InvalidConfiguration(mistakes.text)
  return server.apps.size > 0 || server.isOpen || server.keys ? server : undefined
}

function read(given: AuthorizationServerOptions, env: Environment, mistakes: Mistakes): Server {
  const options: AuthorizationServerOptions = isRecord(given) ? given : {}
  if (options !== given) mistakes.add('authorizationServer()', APPS, 'takes an object of options')
  for (const name of Object.keys(options)) {
    if (OPTIONS.includes(name)) continue
    mistakes.add(pathOf('options', name), APPS, 'is not an option')
  }
  const { fetch } = options
  if (fetch !== undefined && typeof fetch !== 'function') {
    mistakes.add('fetch', 'no variable', 'must be a function')
  }
  const apps = readApps(options.apps, env, mistakes)
  const resources = readResources(options.resources, env, mistakes)
  // The variables may have more of them.
  if (mistakes.isFinal) checkAllowed(apps, resources, mistakes)
  const trustedIssuers = readTrustedIssuers(options.trustedIssuers, env, apps, mistakes)
  const isOpen = [...resources.values()].some((one) => one.isOpen)
  const all = [...apps.values()]
  const idTokens = new Set<IdTokenAlg>([...apps.values()].map(({ alg }) => alg))
  // The default, and that of apps which are not registered.
  if (isOpen || idTokens.size === 0) idTokens.add('ES256')
  const accessTokens = new Set<SigningAlg>([...resources.values()].map(({ alg }) => alg))
  // That of tokens for the service itself.
  accessTokens.add('EdDSA')
  return {
    apps,
    resources,
    keys: readKeys(options.keys, env, mistakes),
    fetch,
    hasDevices: all.some(({ isDevice }) => isDevice),
    hasMachines: all.some(({ isMachine }) => isMachine === true),
    hasAppKeys: all.some(({ keys }) => keys !== undefined),
    hearsLogout: all.some((one) => one.backchannelLogoutUri !== undefined),
    trustedIssuers,
    isOpen,
    algs: { idTokens: [...idTokens], accessTokens: [...accessTokens] },
  }
}

function readApps(given: unknown, env: Environment, mistakes: Mistakes): ReadonlyMap<string, App> {
  const { form } = VARIABLE_FORMS['AUTH_APP_<ID>_…']
  const all = new Map<string, { option?: unknown; variables: Variables; name: string }>()
  for (const [id, option] of entriesOf('apps', APPS, given, mistakes)) {
    all.set(id, { option, variables: {}, name: variableName(id) })
  }
  for (const [name, variables] of variablesOf(env, form)) {
    const id = name.toLowerCase().replaceAll('_', '-')
    all.set(id, { ...all.get(id), variables, name })
  }
  if (all.size > MAX_APPS) mistakes.add('apps', APPS, `are more than ${MAX_APPS}`)
  const apps = new Map<string, App>()
  for (const [id, { option, variables, name }] of [...all].slice(0, MAX_APPS)) {
    const place = [pathOf('apps', id), `AUTH_APP_${name}`] as const
    const entry = new Entry(place, option, variables, APP_MEMBERS, mistakes)
    if (!CLIENT_ID.test(id)) entry.wrong('must have an id of 1 to 64 of A-Z a-z 0-9 . _ -')
    if (id === API_KEY) entry.wrong('has the id of API keys, which is taken')
    nameStrays(env, place, form, mistakes)
    apps.set(id, readApp(id, entry, mistakes.isFinal))
  }
  return apps
}

/** @returns `undefined`: no assertion about a person counts */
function readTrustedIssuers(
  given: unknown,
  env: Environment,
  apps: Server['apps'],
  mistakes: Mistakes,
): Server['trustedIssuers'] {
  const { form } = VARIABLE_FORMS['AUTH_TRUSTED_ISSUER_<ID>_…']
  const known = new Map<string, TrustedIssuer>()
  const add = (issuer: unknown, entry: Entry) => {
    const read = readTrustedIssuer(entry, mistakes.isFinal ? apps : undefined)
    const iss = readIssuer(issuer, entry)
    if (!read || iss === undefined) return
    if (known.has(iss)) return entry.wrong('is there already', 'issuer')
    if (known.size >= MAX_ISSUERS) return entry.wrong(`is one of more than ${MAX_ISSUERS}`)
    known.set(iss, read)
  }
  for (const [name, variables] of variablesOf(env, form)) {
    const place = ['trustedIssuers', `AUTH_TRUSTED_ISSUER_${name}`] as const
    nameStrays(env, place, form, mistakes)
    add(variables.ISSUER, new Entry(place, undefined, variables, TRUSTED_MEMBERS, mistakes))
  }
  const find = finderOf(given, env)
  const listed = find ? [] : entriesOf('trustedIssuers', ISSUERS, given, mistakes)
  for (const [issuer, option] of listed) {
    const place = [pathOf('trustedIssuers', issuer), 'AUTH_TRUSTED_ISSUER_<ID>'] as const
    // Its name is its issuer.
    const members = TRUSTED_MEMBERS.filter((name) => name !== 'issuer')
    add(issuer, new Entry(place, option, {}, members, mistakes))
  }
  return find || known.size > 0 ? { known, find } : undefined
}

function readResources(
  given: unknown,
  env: Environment,
  mistakes: Mistakes,
): ReadonlyMap<string, Resource> {
  const { form } = VARIABLE_FORMS['AUTH_RESOURCE_<ID>_…']
  const resources = new Map<string, Resource>()
  const texts = new Map<string, string>()
  const add = (uri: unknown, entry: Entry) => {
    const spelling = spellingOf(uri)
    if (spelling === undefined) {
      const rule = 'must be an absolute https URI, or http for this machine, without a fragment'
      return entry.wrong(`${rule}, and with 1,024 characters at most`, 'uri')
    }
    // Its other mistakes are named too.
    if (spelling !== uri) entry.wrong(`must be ${spelling}, as clients write it`, 'uri')
    if (resources.has(spelling)) return entry.wrong('is there already', 'uri')
    if (resources.size >= MAX_RESOURCES) return entry.wrong(`is one of more than ${MAX_RESOURCES}`)
    const resource = readResource(spelling, entry)
    resources.set(spelling, resource)
    for (const [scope, text] of resource.scopes) {
      // A person who is asked for it reads one text, whatever the resource.
      if ((texts.get(scope) ?? text) !== text) {
        entry.wrong(`has another text for ${JSON.stringify(scope)} than another resource`, 'scopes')
      }
      texts.set(scope, text)
    }
  }
  for (const [uri, option] of entriesOf('resources', RESOURCES, given, mistakes)) {
    const place = [pathOf('resources', uri), 'AUTH_RESOURCE_<ID>'] as const
    add(uri, new Entry(place, option, {}, RESOURCE_MEMBERS, mistakes))
  }
  for (const [name, variables] of variablesOf(env, form)) {
    const place = ['resources', `AUTH_RESOURCE_${name}`] as const
    nameStrays(env, place, form, mistakes)
    add(variables.URI, new Entry(place, undefined, variables, RESOURCE_MEMBERS, mistakes))
  }
  return resources
}

/** The resources and scopes that apps list have to be configured: a mistyped scope would be missing without a word. */
function checkAllowed(
  apps: Server['apps'],
  resources: Server['resources'],
  mistakes: Mistakes,
): void {
  for (const [id, { resources: allowed = [] }] of apps) {
    const wrong = (rule: string) =>
      mistakes.add(
        `${pathOf('apps', id)}.resources`,
        `AUTH_APP_${variableName(id)}_RESOURCES`,
        rule,
      )
    for (const [uri, scopes] of allowed) {
      const resource = resources.get(uri)
      if (!resource) {
        const spelling = spellingOf(uri)
        const isThere = spelling !== undefined && resources.has(spelling)
        wrong(isThere ? `must name ${spelling}` : `names no resource by ${shortened(uri)}`)
      }
      for (const scope of resource && scopes !== 'all' ? scopes : []) {
        if (resource?.scopes.has(scope)) continue
        wrong(`names a scope that ${shortened(uri)} does not have: ${shortened(scope)}`)
      }
    }
  }
}

/** The name that the variables of an app have, also if there are none. */
function variableName(id: string): string {
  return /^[a-z0-9-]+$/.test(id) ? id.toUpperCase().replaceAll('-', '_') : '<ID>'
}

/** The most apps that one start warns of. */
const MAX_WARNINGS = 10

/**
 * Machines, and first-party apps, without a list. The latter got every scope of every resource before there were lists.
 *
 * @returns what to write
 */
export function unlistedApps({ apps, resources }: Server): readonly string[] {
  const [resource] = resources.keys()
  if (resource === undefined) return []
  return [...apps.values()]
    .filter((app) => (app.isFirstParty || app.isMachine) && !app.resources)
    .slice(0, MAX_WARNINGS)
    .map(({ id, isMachine }) => {
      const what = isMachine
        ? 'is a machine and lists no resources, so it gets no token'
        : "is first-party and lists no resources, so it gets OpenID's scopes alone"
      const list = `{ ${JSON.stringify(resource)}: true }`
      return `The app ${id} ${what}. Write those that it asks for: \`${pathOf('apps', id)}.resources\` (AUTH_APP_${variableName(id)}_RESOURCES), such as ${list}, or {} for none.`
    })
}

function readKeys(given: unknown, env: Environment, mistakes: Mistakes): Server['keys'] {
  const variable = 'AUTH_KEYS_PREFIX'
  for (const [name] of entriesOf('keys', variable, given, mistakes)) {
    if (name !== 'prefix') mistakes.add(pathOf('keys', name), variable, 'is not an option')
  }
  const option = isRecord(given) ? given.prefix : undefined
  const prefix = option ?? (env[variable] || undefined)
  if (given === undefined && prefix === undefined) return undefined
  if (typeof prefix === 'string' && PREFIX.test(prefix)) return { prefix }
  mistakes.add('keys.prefix', variable, 'must be 2 to 12 of a-z 0-9, a letter first')
  return undefined
}

function entriesOf(
  option: string,
  variable: string,
  given: unknown,
  mistakes: Mistakes,
): [string, unknown][] {
  if (given !== undefined && !isRecord(given)) mistakes.add(option, variable, 'must be an object')
  return isRecord(given) ? Object.entries(given) : []
}

/** Names variables that look like those of an entry, and say nothing. */
function nameStrays(
  env: Environment,
  [path, beginning]: readonly [string, string],
  form: RegExp,
  mistakes: Mistakes,
): void {
  for (const variable of strayVariables(env, `${beginning}_`, form)) {
    mistakes.add(path, variable, 'is not a variable of it')
  }
}
