import { PROVIDER_IDS, PROVIDERS } from '../config/manifests.js'
import { ProviderMisconfigured } from '../errors.js'
import type { Kind, Providers, ResolvedProvider } from '../http/kind.js'
import { isKeptForCompanies } from '../lib/company-id.js'
import type { Environment, Provider } from '../types.js'
import { oauth } from './oauth/index.js'

/** The kinds of sign-in by the `type` of a provider, which every service has. */
const KINDS: Readonly<Record<string, Kind>> = { oauth }

/** Ids are path segments and parts of variable names. */
const ID = /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/

/**
 * Resolves each provider on its own, so that a misconfigured one does not break the others.
 *
 * @param site the name of the site, if the service's pages show one
 * @param more kinds of sign-in that features bring, by the `type` of a provider
 * @param own providers of features, which the configuration does not list
 */
export function resolveProviders(
  providers: readonly (Provider | (() => Provider))[],
  env: Environment,
  site?: string,
  more: Readonly<Record<string, Kind>> = {},
  own: readonly ResolvedProvider[] = [],
): Providers {
  const usable = new Map(own.map((one) => [one.id, one]))
  const misconfigured = new Map<string, ProviderMisconfigured>()
  for (const entry of providers) {
    const provider = typeof entry === 'function' ? entry() : entry
    try {
      checkId(provider, usable)
      usable.set(provider.id, kindOf(provider, more).resolve(provider, env, site))
    } catch (error) {
      if (!(error instanceof ProviderMisconfigured)) throw error
      misconfigured.set(String(provider.id), error)
    }
  }
  return { usable, misconfigured }
}

function checkId({ id, type }: Provider, taken: ReadonlyMap<string, unknown>): void {
  if (typeof id !== 'string' || !ID.test(id)) {
    throw new ProviderMisconfigured(
      'A provider has no usable id: letters, digits, "-" and "_" are allowed.',
    )
  }
  if (isKeptForCompanies(id)) {
    throw new ProviderMisconfigured(`The id "${id}" is kept for companies.`)
  }
  for (const [own, only] of Object.entries(PROVIDER_IDS)) {
    if ((id === only) === (type === own)) continue
    throw new ProviderMisconfigured(`The id "${only}" is that of ${PROVIDERS[own]} alone.`)
  }
  if (taken.has(id)) throw new ProviderMisconfigured(`Two providers have the id "${id}".`)
}

function kindOf({ id, type, kind }: Provider, more: Readonly<Record<string, Kind>>): Kind {
  // Only this package makes kinds; the public type is opaque.
  if (kind) return kind as Kind
  const kinds = { ...KINDS, ...more }
  const known = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  // A feature brings the entrance itself.
  if (known && !known.isEntrance) return known
  throw new ProviderMisconfigured(`Provider "${id}" has the unknown type "${String(type)}".`)
}
