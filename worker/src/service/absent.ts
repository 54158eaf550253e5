import { needsFeature } from '../config/needs-feature.js'
import type { AuthConfig, Environment } from '../types.js'
import type { Feature } from './feature.js'

// The core imports no feature, so what asks for one is written here. A test compares it with the features.

/** The feature of an option; `pages.newUser` is a member of one. */
export const OPTIONS: Readonly<Record<string, string>> = {
  accountDeletion: 'account',
  migrateFrom: 'old-sessions',
  secondFactor: 'second-factor',
  sharedSubjects: 'subjects',
  subject: 'subjects',
  ways: 'ways',
  'pages.newUser': 'newcomers',
  'pages.verifyRequest': 'email',
  'theme.copy': 'own-texts',
}

/** The feature of a variable. */
export const VARIABLES: Readonly<Record<string, string>> = {
  AUTH_APP_KEYS: 'app-proofs',
  AUTH_IMPORT_UNTIL: 'account-import',
  AUTH_REDIRECT_PROXY_SECRET: 'previews',
  AUTH_REDIRECT_PROXY_URL: 'previews',
  AUTH_THEME_COPY: 'own-texts',
  AUTH_TURNSTILE_SECRET_KEY: 'turnstile',
  AUTH_TURNSTILE_SITE_KEY: 'turnstile',
  AUTH_TURNSTILE_VERIFY_URL: 'turnstile',
}

/** The feature of the `type` of a provider. */
export const PROVIDERS: Readonly<Record<string, string>> = {
  credentials: 'credentials',
  email: 'email',
  webauthn: 'passkeys',
}

/** The feature of the `type` of a plain provider object. A function in its place brings what it needs. */
export const PLAIN_PROVIDERS: Readonly<Record<string, string>> = { oidc: 'openid' }

/** The feature of an option of a provider by OAuth. */
export const PROVIDER_OPTIONS: Readonly<Record<string, string>> = {
  connection: 'connections',
  revokeOnSignOut: 'connections',
}

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
