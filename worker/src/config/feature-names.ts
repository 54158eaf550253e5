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
  AUTH_AUDIT_DAYS: 'operate',
  AUTH_IMPORT_UNTIL: 'account-import',
  AUTH_KEYS_PREFIX: 'authorization-server',
  AUTH_OPERATOR_KEYS: 'operate',
  AUTH_REDIRECT_PROXY_SECRET: 'previews',
  AUTH_REDIRECT_PROXY_URL: 'previews',
  AUTH_THEME_COPY: 'own-texts',
  AUTH_TURNSTILE_SECRET_KEY: 'turnstile',
  AUTH_TURNSTILE_SITE_KEY: 'turnstile',
  AUTH_TURNSTILE_VERIFY_URL: 'turnstile',
  AUTH_WEBHOOK_EVENTS: 'operate',
  AUTH_WEBHOOK_SECRET: 'operate',
  AUTH_WEBHOOK_URL: 'operate',
}

/** The feature of variables with a name of the operator's own in the middle. Groups: that name, and what the variable says. */
export const VARIABLE_FORMS = {
  'AUTH_APP_<ID>_…': {
    form: /^AUTH_APP_(\w+)_(REDIRECT_URIS|NAME|SECRET|FIRST_PARTY|RESOURCES|DEVICE|ALG)$/,
    feature: 'authorization-server',
  },
  'AUTH_RESOURCE_<ID>_…': {
    form: /^AUTH_RESOURCE_(\w+)_(URI|NAME|SCOPES|OPEN|ALG)$/,
    feature: 'authorization-server',
  },
} as const

/** The feature of the `type` of a provider. */
export const PROVIDERS: Readonly<Record<string, string>> = {
  credentials: 'credentials',
  email: 'email',
  webauthn: 'passkeys',
}

/** The one id of providers of a `type`, which no other may have: by it readers of `amr` know a way that is two factors. */
export const PROVIDER_IDS: Readonly<Record<string, string>> = { webauthn: 'passkey' }

/**
 * The feature of the `type` of a plain provider object. A function in its place brings the feature
 * along.
 */
export const PLAIN_PROVIDERS: Readonly<Record<string, string>> = { oidc: 'openid' }

/** The feature of an option of a provider by OAuth. */
export const PROVIDER_OPTIONS: Readonly<Record<string, string>> = {
  connection: 'connections',
  revokeOnSignOut: 'connections',
}

/** The feature of a member of a person's document. */
export const MEMBERS: Readonly<Record<string, string>> = {
  asked: 'ways',
  deleted: 'ways',
  erasing: 'ways',
  factor: 'second-factor',
  hadMeans: 'ways',
  handle: 'passkeys',
  isAlone: 'ways',
  mergedInto: 'ways',
  removed: 'ways',
  ways: 'ways',
  were: 'ways',
}

/** The features that export something of a person, by the name of their list. */
export const EXPORTED: Readonly<Record<string, string>> = {
  ways: 'ways',
  connections: 'connections',
  passkeys: 'passkeys',
  factors: 'second-factor',
  apps: 'authorization-server',
  keys: 'authorization-server',
}

/** The feature of a method of `createAuth()` and of `AuthService`. */
export const METHODS: Readonly<Record<string, string>> = {
  getAccessTokenOf: 'connections',
  disconnect: 'connections',
  listWays: 'ways',
  deletePerson: 'people',
  resetFactors: 'second-factor',
  exportPerson: 'people',
  listApps: 'authorization-server',
  endApp: 'authorization-server',
  createKey: 'authorization-server',
  listKeys: 'authorization-server',
  endKey: 'authorization-server',
  audit: 'operate',
  auditHeads: 'operate',
  webhooks: 'operate',
  resendWebhook: 'operate',
}
