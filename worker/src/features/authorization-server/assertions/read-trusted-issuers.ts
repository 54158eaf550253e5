import { isRecord } from '@latchkey/session/internal'
import type { Environment } from '../../../types.js'
import type { Entry } from '../entry.js'
import { isIssuer } from '../machines/read-workloads.js'
import type { FindTrustedIssuer } from '../options.js'
import { type App, isPublic } from '../settings.js'

/** An issuer whose assertions about people count. */
export interface TrustedIssuer {
  /** The company, or the provider of type `oidc`, that the people belong to. */
  readonly of: { readonly company: string } | { readonly provider: string }
  /** The apps that may bring them. */
  readonly apps: ReadonlySet<string>
}

/** The trusted issuers of the configuration, and the function that knows more of them. */
export interface TrustedIssuers {
  /** By their `iss`. */
  readonly known: ReadonlyMap<string, TrustedIssuer>
  readonly find: ((issuer: string) => ReturnType<FindTrustedIssuer>) | undefined
}

const OWN_MEMBERS = ['company', 'provider', 'apps']
export const TRUSTED_MEMBERS = ['issuer', ...OWN_MEMBERS]

const MAX_APPS = 100
const ID = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Reads an entry from options or variables, and adds its mistakes to those of the entry.
 *
 * @param apps `undefined`: the variables may name more
 */
export function readTrustedIssuer(
  entry: Entry,
  apps: ReadonlyMap<string, App> | undefined,
): TrustedIssuer | undefined {
  const given = Object.fromEntries(OWN_MEMBERS.map((name) => [name, entry.value(name)]))
  const listed = given.apps
  const ids = typeof listed === 'string' ? listed.trim().split(/\s+/) : listed
  const read = trustedIssuerIn({ ...given, apps: ids }, apps)
  if (typeof read !== 'string') return read
  entry.wrong(read)
  return undefined
}

/** @returns the spelling of an issuer, which is its own */
export function readIssuer(value: unknown, entry: Entry): string | undefined {
  if (isIssuer(value)) return value
  entry.wrong('must be an https URL without a query, or http for this machine', 'issuer')
  return undefined
}

/**
 * Reads an entry of the configuration, or one that a function of the app answers.
 *
 * @param apps `undefined`: all of them are not known yet
 * @returns a text: what is wrong with it, as the rest of a sentence
 */
export function trustedIssuerIn(
  entry: unknown,
  apps: ReadonlyMap<string, App> | undefined,
): TrustedIssuer | string {
  if (!isRecord(entry) || Object.keys(entry).some((name) => !OWN_MEMBERS.includes(name))) {
    return `must be an object of ${OWN_MEMBERS.join(', ')}`
  }
  const { company, provider, apps: ids } = entry
  const [id, ...more] = [company, provider].filter((one) => one !== undefined)
  if (typeof id !== 'string' || !ID.test(id) || more.length > 0) {
    return 'needs the id of a `company` or of a `provider`, and of one of them alone'
  }
  const isList = Array.isArray(ids) && ids.length > 0 && ids.length <= MAX_APPS
  if (!isList || (apps && !ids.every((one) => isConfidential(apps.get(one))))) {
    return 'needs as `apps` 1 to 100 ids of confidential apps'
  }
  return { of: provider === undefined ? { company: id } : { provider: id }, apps: new Set(ids) }
}

function isConfidential(app: App | undefined): boolean {
  return app !== undefined && !isPublic(app) && !app.isMachine
}

/** The function, with the environment that it gets. */
export function finderOf(find: unknown, env: Environment): TrustedIssuers['find'] {
  if (typeof find !== 'function') return undefined
  return (issuer) => (find as FindTrustedIssuer)(issuer, env)
}
