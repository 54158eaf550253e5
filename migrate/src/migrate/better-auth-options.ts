import { PLUGINS as OF_FEATURES } from '../of-features.js'

/** Options that the change takes over, or that have nothing to say any more. */
export const TAKEN_OVER = new Set([
  'appName',
  'database',
  'databaseHooks',
  'emailAndPassword',
  'experimental',
  'hooks',
  'plugins',
  'session.cookieCache',
  'session.expiresIn',
  'socialProviders',
  'telemetry',
  'verification',
])

/** Options that have the name of one here, and are not taken over. */
export const NOT_TAKEN: Readonly<Record<string, string>> = {
  databaseHooks:
    'users that they refuse can sign in from now on: refuse them in the `signIn` callback, and let `events` do the rest.',
  hooks: 'users that they refuse can sign in from now on: refuse them in the `signIn` callback.',
  logger: 'Set `logger`, with `error`, `warn`, `debug` and `info`.',
  trustedOrigins: 'Name them in AUTH_TRUSTED_ORIGINS, or `trustedOrigins`.',
}

/** What takes the place of a plugin, by its function; for those that a feature stands for, the features' manifests say it. */
export const PLUGINS: Readonly<Record<string, string>> = {
  ...OF_FEATURES,
  admin:
    'roles are your app’s: put them into the session by the `session` callback; sessions are ended by `endSessions`; users that it has banned are refused, and your app decides later bans in the `signIn` callback',
  anonymous: 'there are no guests',
  bearer: 'the session’s token can be verified anywhere (docs/verify-sessions.md)',
  customSession: 'use the `session` callback',
  genericOAuth:
    'add the provider as an object (docs/any-provider.md): its callback is `/callback/<id>`',
  haveIBeenPwned: 'use `isBreachedPassword` of `@latchkey/worker/passwords`',
  jwt: 'the session is a JWT, and `/jwks.json` has its keys (docs/session-token.md)',
  multiSession: 'a browser has one session',
  organization: 'organizations are your app’s own tables',
  username: 'let `authorize` take a name',
}

/** Providers that have another id here. Each keeps its old one, and so its callback's address. */
export const SOCIAL: Readonly<Record<string, string>> = {
  microsoft: 'microsoft-entra-id',
}

/** The options of a provider that limit which users sign in: without them it would let strangers in. */
export const LIMITS = new Set(['authority', 'enabled', 'getUserInfo', 'hd'])

/** The options of a provider that mean the same here. */
export const SOCIAL_OPTIONS = new Set(['clientId', 'clientSecret', 'issuer'])
