import { isRecord } from '@latchkey/session/internal'
import { isLoopback } from '../../lib/is-loopback.js'
import { siteName } from '../../pages/theme.js'
import type { Entry } from './entry.js'
import type { Resource, SigningAlg } from './settings.js'

/** The members of a resource's options. */
export const RESOURCE_MEMBERS = ['name', 'scopes', 'open', 'alg']

/** In characters. */
const MAX_URI = 1_024
const MAX_NAME = 100
const MAX_SCOPES = 100
const MAX_TEXT = 200

/** The characters of a scope (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/

/** The scopes of OpenID Connect Core, which mean the same for every resource. */
export const OPENID_SCOPES: readonly string[] = ['openid', 'profile', 'email', 'offline_access']

const ALGS: readonly unknown[] = ['EdDSA', 'ES256', 'RS256'] satisfies SigningAlg[]

/**
 * The spelling of a URI that a resource may have. It is the `aud` of its tokens to the letter (RFC 8707, section 2), and clients
 * name what their `URL` makes of it, so that there is one.
 *
 * @returns `undefined`: no resource may have this URI
 */
export function spellingOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_URI) return undefined
  // Only characters of a URI (RFC 3986), so that no token, header or log needs to quote it.
  if (!/^https?:\/\/[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/.test(value)) return undefined
  const url = URL.parse(value)
  if (url === null || url.username + url.password !== '') return undefined
  return url.protocol === 'https:' || isLoopback(url) ? url.href : undefined
}

/** Reads a resource from options and variables, and adds its mistakes to those of the entry. */
export function readResource(uri: string, entry: Entry): Resource {
  const scopes = entry.read(
    'scopes',
    readScopes,
    'must be an object of at most 100 scopes, and what each allows in 1 to 200 printable characters. A scope is 1 to 100 of the characters of RFC 6749, section 3.3, and none of openid, profile, email and offline_access',
    new Map<string, string>(),
  )
  const readName = (value: unknown) => siteName(value, MAX_NAME)
  return {
    uri,
    name: entry.read('name', readName, 'must be 1 to 100 printable characters', hostOf(uri)),
    scopes,
    isOpen: entry.isTrue('open'),
    alg: entry.read('alg', readAlg, 'must be EdDSA, ES256 or RS256', 'EdDSA'),
  }
}

function hostOf(uri: string): string {
  return URL.parse(uri)?.host ?? uri
}

function readScopes(value: unknown): ReadonlyMap<string, string> | undefined {
  const given = typeof value === 'string' ? parsedJson(value) : value
  if (!isRecord(given)) return undefined
  const entries = Object.entries(given)
  if (entries.length > MAX_SCOPES) return undefined
  const scopes = new Map<string, string>()
  for (const [scope, said] of entries) {
    const text = siteName(said, MAX_TEXT)
    if (!SCOPE.test(scope) || OPENID_SCOPES.includes(scope) || text === undefined) return undefined
    scopes.set(scope, text)
  }
  return scopes
}

/** @returns `undefined`: it is not JSON */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readAlg(value: unknown): SigningAlg | undefined {
  return ALGS.includes(value) ? (value as SigningAlg) : undefined
}
