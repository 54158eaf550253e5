import { isRecord } from '@latchkey/session/internal'
import type { Environment } from '../../../types.js'
import type { Entry } from '../entry.js'
import { isIssuer } from '../machines/read-workloads.js'
import type { FindTrustedIssuer } from '../options.js'
import { type App, isPublic } from '../settings.js'

/** An issuer whose assertions about people count. */
export interface TrustedIssuer {
  /** Whose people they are: one of a company, or of a provider of type `oidc`. */
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

export const TRUSTED_MEMBERS = ['issuer', 'company', 'provider', 'apps']

const MAX_APPS = 100
const ID = /^[A-Za-z0-9._-]{1,64}$/

/** Reads an entry from options or variables, and adds its mistakes to those of the entry. */
export function readTrustedIssuer(
  entry: Entry,
  apps: ReadonlyMap<string, App> | undefined,
): TrustedIssuer | undefined {
  const company = entry.read('company', readId, 'must be the id of a company', undefined)
  const provider = entry.read('provider', readId, 'must be the id of a provider', undefined)
  const ids = entry.read('apps', readApps, 'must be 1 to 100 ids of apps', [])
  if (entry.value('apps') === undefined)
    entry.wrong('is missing: who may bring assertions?', 'apps')
  for (const id of apps ? ids : []) {
    const app = apps?.get(id)
    if (app && !isPublic(app) && !app.isMachine) continue
    entry.wrong(`names no confidential app by ${JSON.stringify(id)}`, 'apps')
  }
  if ((company === undefined) === (provider === undefined)) {
    entry.wrong('needs `company` or `provider`, and one of them alone')
  }
  const of = provider === undefined ? { company: company ?? '' } : { provider }
  return { of, apps: new Set(ids) }
}

/** @returns the spelling of an issuer, which is its own */
export function readIssuer(value: unknown, entry: Entry): string | undefined {
  if (isIssuer(value)) return value
  entry.wrong('must be an https URL without a query, or http for this machine', 'issuer')
  return undefined
}

/**
 * What a function of the app answers for an issuer.
 *
 * @returns a text: what is wrong with it
 */
export function trustedIssuerIn(
  answer: unknown,
  apps: ReadonlyMap<string, App>,
): TrustedIssuer | string {
  if (!isRecord(answer)) return 'it answered no object'
  const { company, provider, apps: given, ...others } = answer
  const [other] = Object.keys(others)
  if (other !== undefined) return `it answered another member than company, provider and apps`
  const ids = readApps(given)
  if (!ids || typeof given === 'string') return '`apps` must be 1 to 100 ids of apps'
  const isConfidential = (app: App | undefined) => app && !isPublic(app) && !app.isMachine
  if (!ids.every((id) => isConfidential(apps.get(id)))) return '`apps` names no confidential app'
  const [id, ...more] = [company, provider].filter((one) => one !== undefined)
  const checked = readId(id)
  if (checked === undefined || more.length > 0) return 'it needs `company` or `provider`'
  const of = provider === undefined ? { company: checked } : { provider: checked }
  return { of, apps: new Set(ids) }
}

function readId(value: unknown): string | undefined {
  return typeof value === 'string' && ID.test(value) ? value : undefined
}

function readApps(value: unknown): readonly string[] | undefined {
  const ids: unknown = typeof value === 'string' ? value.trim().split(/\s+/) : value
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > MAX_APPS) return undefined
  return ids.every((id) => typeof id === 'string') ? [...new Set<string>(ids)] : undefined
}

/** The function, with the environment that it gets. */
export function finderOf(find: unknown, env: Environment): TrustedIssuers['find'] {
  if (typeof find !== 'function') return undefined
  return (issuer) => (find as FindTrustedIssuer)(issuer, env)
}
