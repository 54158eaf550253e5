import { isRecord } from '@latchkey/session/internal'
import { siteName } from '../../pages/theme.js'
import type { AllowedResources } from './allowed-resources.js'
import type { Entry } from './entry.js'
import { type AppKeys, readAddress, readKeySet } from './key-set.js'
import { readWorkloads } from './machines/read-workloads.js'
import { parsedJson } from './read-resource.js'
import { isRedirectUri } from './redirect-uri.js'
import type { App } from './settings.js'

/** The members of an app's options. */
export const APP_MEMBERS = [
  'redirectUris',
  'name',
  'secret',
  'jwks',
  'jwksUri',
  'machine',
  'workloads',
  'firstParty',
  'resources',
  'device',
  'backchannelLogoutUri',
  'alg',
]

export const MAX_REDIRECT_URIS = 20
/** In characters. */
export const MAX_APP_NAME = 100
const MAX_SECRETS = 10
/** Printable ASCII, as a client's credentials are (RFC 6749, appendix A.2). In characters. */
const SECRET = /^[\x20-\x7e]{32,1024}$/

const REDIRECT_URIS =
  'must be 1 to 20 different URIs: https, http for 127.0.0.1, [::1] and localhost, or of a private-use scheme such as com.example.app:/cb (not one of a browser or a system), each with no fragment, user, wildcard, dot segment, backslash, space or control character, and with 1,024 characters at most'

const ALLOWED =
  'must be an object of URIs of resources, each with true for all of its scopes, or with an array of some of them'

/** Reads an app from options and variables, and adds its mistakes to those of the entry. */
export function readApp(id: string, entry: Entry, isFinal: boolean): App {
  const redirectUris = entry.read('redirectUris', readRedirectUris, REDIRECT_URIS, [])
  const isDevice = entry.isTrue('device')
  const isMachine = entry.isTrue('machine')
  if (entry.value('redirectUris') === undefined && !isDevice && !isMachine) {
    entry.wrong('is missing: an app needs redirect URIs, or `device`', 'redirectUris')
  }
  const secrets = entry.read(
    'secret',
    readSecrets,
    'must be a text of 32 to 1,024 printable ASCII characters, or an array of 1 to 10 different ones',
    [],
  )
  // A secret that the environment lacks would make a confidential app public, and such a list would open all resources.
  const lacks = (name: string) => isFinal && entry.isNamed(name) && entry.value(name) === undefined
  for (const name of ['secret', 'jwks', 'jwksUri', 'workloads']) {
    if (lacks(name)) entry.wrong('is undefined: leave it out for a public app', name)
  }
  if (lacks('resources')) entry.wrong('is undefined: leave it out for no list', 'resources')
  const keys = readKeys(entry)
  const workloads = readOwnWorkloads(entry, isMachine)
  if (isMachine) checkMachine(entry, isFinal)
  return {
    id,
    name: entry.read('name', readName, 'must be 1 to 100 printable characters', id),
    redirectUris,
    secrets,
    ...(keys ? { keys } : {}),
    ...(isMachine ? { isMachine } : {}),
    ...(workloads ? { workloads } : {}),
    isFirstParty: entry.isTrue('firstParty'),
    resources: entry.read('resources', readAllowed, ALLOWED, undefined),
    isDevice,
    backchannelLogoutUri: entry.read('backchannelLogoutUri', readAddress, ADDRESS, undefined),
    alg: entry.read('alg', readAlg, 'must be ES256 or RS256', 'ES256'),
  }
}

const ADDRESS =
  'must be an https URL, or http for this machine, with no user and no fragment, and with 1,024 characters at most'

const KEYS =
  'must be a JWKS of 1 to 20 public keys of Ed25519, P-256, or RSA with 2,048 to 4,096 bits and an exponent of 65,537, without a private member'

function readKeys(entry: Entry): AppKeys | undefined {
  const set = entry.read('jwks', readKeySet, KEYS, undefined)
  const uri = entry.read('jwksUri', readAddress, ADDRESS, undefined)
  const named = ['secret', 'jwks', 'jwksUri'].filter((name) => entry.value(name) !== undefined)
  // The weaker of two would be the strength of both.
  if (named.length > 1) entry.wrong(`stands beside \`${named[0]}\`: an app has one`, named[1])
  if (set) return { set }
  return uri === undefined ? undefined : { uri }
}

function readOwnWorkloads(entry: Entry, isMachine: boolean): App['workloads'] {
  const given = entry.value('workloads')
  if (given === undefined) return undefined
  const workloads = readWorkloads(given)
  if (!isMachine) entry.wrong('are those of a machine: set `machine`', 'workloads')
  if (typeof workloads !== 'string') return workloads
  entry.wrong(workloads, 'workloads')
  return undefined
}

/** A machine acts for itself: no browser comes back to it, and no person is asked about it. */
function checkMachine(entry: Entry, isFinal: boolean): void {
  for (const name of ['redirectUris', 'device', 'firstParty', 'backchannelLogoutUri']) {
    const value = entry.value(name)
    if (value !== undefined && String(value) !== 'false') {
      entry.wrong('is not for a machine, which acts for no person', name)
    }
  }
  const proofs = ['secret', 'jwks', 'jwksUri', 'workloads']
  // The variables may have it.
  if (isFinal && proofs.every((name) => entry.value(name) === undefined)) {
    entry.wrong('needs `secret`, `jwks`, `jwksUri` or `workloads`', 'machine')
  }
}

function readRedirectUris(value: unknown): readonly string[] | undefined {
  const uris: unknown = typeof value === 'string' ? value.trim().split(/\s+/) : value
  return isRedirectUris(uris) ? [...uris] : undefined
}

/** Is it a list of redirect URIs that an app may have? */
function isRedirectUris(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_REDIRECT_URIS) return false
  if (new Set(value).size < value.length) return false
  return value.every((uri) => typeof uri === 'string' && isRedirectUri(uri))
}

function readSecrets(value: unknown): readonly string[] | undefined {
  const secrets: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isUsable = (one: unknown): one is string => typeof one === 'string' && SECRET.test(one)
  const isCount = secrets.length > 0 && secrets.length <= MAX_SECRETS
  if (!isCount || new Set(secrets).size < secrets.length) return undefined
  return secrets.every(isUsable) ? [...secrets] : undefined
}

function readAllowed(value: unknown): AllowedResources | undefined {
  const given = typeof value === 'string' ? parsedJson(value) : value
  if (!isRecord(given)) return undefined
  const allowed = new Map<string, 'all' | ReadonlySet<string>>()
  for (const [uri, scopes] of Object.entries(given)) {
    if (scopes !== true && !isScopes(scopes)) return undefined
    allowed.set(uri, scopes === true ? 'all' : new Set(scopes))
  }
  return allowed
}

function isScopes(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((scope) => typeof scope === 'string')
}

function readName(value: unknown): string | undefined {
  return siteName(value, MAX_APP_NAME)
}

function readAlg(value: unknown): App['alg'] | undefined {
  return value === 'ES256' || value === 'RS256' ? value : undefined
}
