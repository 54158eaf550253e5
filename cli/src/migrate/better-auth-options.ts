/**
 * What a person must decide about an option of better-auth, by its path in the configuration; an empty text
 * where the change has taken it over. `docs/migrate-from-better-auth.md` says more of each.
 */
export const BETTER_AUTH_OPTIONS: Readonly<Record<string, string>> = {
  account:
    'Accounts are ways to sign in: added by two proofs, never linked by an address (docs/accounts.md). Tokens of providers: docs/provider-tokens.md.',
  'advanced.cookiePrefix': '',
  advanced:
    'Cookies are `__Host-` on https, addresses are told by AUTH_URL, AUTH_TRUST_HOST or `trust proxy`.',
  appName: '',
  basePath: '',
  baseURL: 'Set AUTH_URL.',
  database: '',
  databaseHooks: 'Ask for `isNewUser` in `events.signIn`; your own tables are yours.',
  disabledPaths: 'No route can be switched off.',
  emailAndPassword: '',
  emailVerification: 'An address is verified by signing in by e-mail (docs/email.md).',
  experimental: '',
  hooks: 'Use `callbacks` and `events`.',
  logger: '`logger` has `error`, `warn`, `debug` and `info`.',
  onAPIError: 'Set `pages.error`.',
  plugins: '',
  rateLimit: 'Tries are counted without an option (docs/operate.md).',
  secondaryStorage: 'Sessions are kept in the stores of Latchkey (docs/storage.md).',
  secret: '',
  secrets: '`migrateFrom` takes an array of secrets.',
  session: '',
  'session.additionalFields': 'What the `jwt` callback returns is kept with the session.',
  'session.cookieCache': '',
  'session.deferSessionRefresh': '',
  'session.disableSessionRefresh': '`session.absoluteMaxAge` ends what is extended.',
  'session.expiresIn': '',
  'session.freshAge':
    'Ask where it matters: `requireSession({ maxAge })` (docs/fresh-sign-ins.md).',
  'session.updateAge': '',
  socialProviders: '',
  telemetry: '',
  trustedOrigins: 'Name them in AUTH_TRUSTED_ORIGINS, or `trustedOrigins`: docs/deploy.md.',
  user: 'The table of users stays yours; `session.user` says what the provider said, and the `session` callback adds to it.',
  verification: '',
}

/** What takes the place of a plugin, by its function. */
export const PLUGINS: Readonly<Record<string, string>> = {
  admin:
    'roles are your app’s: put them into the session by the `session` callback; sessions are ended by `endSessions`',
  anonymous: 'there are no guests',
  apiKey: 'there are no API keys',
  bearer: 'the session’s token can be verified anywhere (docs/session-token.md)',
  captcha: 'docs/turnstile.md',
  customSession: 'use the `session` callback',
  emailOTP: 'sign-in by e-mail sends a code with its link (docs/email.md)',
  genericOAuth:
    'add the provider as an object (docs/any-provider.md): its callback is `/callback/<id>`',
  haveIBeenPwned: 'use `isBreachedPassword` of `@latchkey/worker/passwords`',
  jwt: 'the session is a JWT, and `/jwks.json` has its keys (docs/session-token.md)',
  magicLink: 'use sign-in by e-mail (docs/email.md)',
  multiSession: 'a browser has one session',
  organization: 'organizations are your app’s own tables',
  passkey: 'passkeys are not taken over: docs/passkeys.md',
  twoFactor: 'set-ups are not taken over: docs/second-factor.md',
  username: 'let `authorize` take a name',
}

/** Providers that have another id here. Each keeps its old one, and so its callback's address. */
export const SOCIAL: Readonly<Record<string, string>> = {
  microsoft: 'microsoft-entra-id',
  tiktok: 'videoapp',
  twitter: 'x',
}

/** The options of a provider that mean the same here. */
export const SOCIAL_OPTIONS = new Set(['clientId', 'clientSecret', 'issuer'])
