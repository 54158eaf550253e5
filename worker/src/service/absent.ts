import {
  OPTIONS,
  PLAIN_PROVIDERS,
  PROVIDER_OPTIONS,
  PROVIDERS,
  VARIABLE_FORMS,
  VARIABLES,
} from '../config/manifests.js'
import { needsFeature } from '../config/needs-feature.js'
import type { AuthConfig, Environment } from '../types.js'
import type { Feature } from './feature.js'

/**
 * Refuses what asks for a feature that is not there, so that nothing is silently weaker.
 *
 * @throws {InvalidConfiguration} with the line to import
 */
export function checkAbsent(
  features: readonly Feature[],
  config: AuthConfig,
  env: Environment,
): void {
  const there = new Set(features.map(({ name }) => name))
  for (const [path, feature] of Object.entries(OPTIONS)) {
    if (!there.has(feature) && isSet(valueAt(config, path))) throw needsFeature(path, feature)
  }
  for (const [name, feature] of Object.entries(VARIABLES)) {
    if (!there.has(feature) && isSet(env[name])) throw needsFeature(name, feature)
  }
  for (const { form, feature } of Object.values(VARIABLE_FORMS)) {
    const name = there.has(feature)
      ? undefined
      : Object.keys(env).find((one) => form.test(one) && isSet(env[one]))
    if (name !== undefined) throw needsFeature(name, feature)
  }
  for (const given of config.providers) {
    const provider = typeof given === 'function' ? given() : given
    const { id, type, kind } = provider
    const kinds = kind ? PROVIDERS : { ...PROVIDERS, ...PLAIN_PROVIDERS }
    const feature = Object.hasOwn(kinds, type) ? kinds[type] : undefined
    if (feature && !there.has(feature)) throw needsFeature(`The provider "${id}"`, feature)
    for (const [name, feature] of Object.entries(PROVIDER_OPTIONS)) {
      if (there.has(feature) || !isSet(valueAt(provider, name))) continue
      throw needsFeature(`${name} of the provider "${id}"`, feature)
    }
  }
}

/** An option is as left out when it is `false`, and a variable when it is empty. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== false && value !== ''
}

function valueAt(config: object, path: string): unknown {
  const [name = '', member] = path.split('.')
  const value = (config as Record<string, unknown>)[name]
  return member === undefined ? value : (value as Record<string, unknown> | undefined)?.[member]
}
