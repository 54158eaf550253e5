import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'authorization-server',
  use: 'The service is the [authorization server](authorization-server.md) of your own apps, APIs and MCP servers: OAuth 2.1 and OpenID Connect. It is a function of its options: `authorizationServer({ apps, resources, keys })`. Variables switch it on in the shipped Worker; `createAuth` has it if you list it',
  isFunction: true,
  variables: {
    AUTH_KEYS_PREFIX:
      'What personal API keys begin with, 2 to 12 of `a–z 0–9`, a letter first. Default: there are no keys.',
  },
  forms: {
    'AUTH_APP_<ID>_': {
      REDIRECT_URIS:
        'The redirect URIs of an app of the authorization server, with spaces between them; `<ID>` in small letters, with `-` for `_`, is its `client_id`. Default: it has the device grant.',
      NAME: 'The name of an app that people see. Default: its id.',
      SECRET:
        'The secret of a confidential app, at least 32 characters. Default: the app is public.',
      JWKS: 'The public keys of an app in the place of `SECRET`, as JSON: `{ "keys": [...] }` ([keys](machines.md#an-app-with-a-key)). Default: none.',
      JWKS_URI: 'Where an app publishes its public keys, in the place of `JWKS`. Default: nowhere.',
      MACHINE:
        '`true`: the app acts for itself, and for no user ([machines](machines.md)). Default `false`.',
      WORKLOADS:
        'The jobs elsewhere that get the tokens of a machine, as JSON: `[{ "issuer", "claims" }]` ([workloads](machines.md#a-job-without-a-secret)). Default: none.',
      'FIRST_PARTY, DEVICE':
        '`true`: no user is asked if the app may sign in; `true`: it may use the device grant. Default `false`.',
      RESOURCES:
        'The resources that an app may ask for, and all scopes of each or some, as JSON: `{ "https://api.example.com/": true }` (docs/authorization-server.md). Default: a first-party app gets OpenID\'s scopes alone, any other app may ask for all.',
      BACKCHANNEL_LOGOUT_URI:
        'Where an app hears that a session has ended ([sign out of apps](back-channel-logout.md)): https, or http on this machine. Default: it does not hear it.',
      ALG: 'What signs the ID tokens of an app, `ES256` or `RS256`. Default `ES256`.',
    },
    'AUTH_TRUSTED_ISSUER_<ID>_': {
      ISSUER:
        'An issuer whose [assertions about people](machines.md#assertions-of-a-company) apps may bring, as they name it. Default: none.',
      COMPANY: 'The id of the company whose people they are about. Default: `PROVIDER` says it.',
      PROVIDER:
        'The id of the OpenID provider whose accounts they are about. Default: `COMPANY` says it.',
      APPS: 'The ids of the confidential apps that may bring them, with spaces between them.',
    },
    'AUTH_RESOURCE_<ID>_': {
      URI: 'The URI of a resource, an API or an MCP server that takes access tokens. Default: none.',
      NAME: 'The name of a resource that people see. Default: its host.',
      SCOPES:
        'The scopes of a resource, as JSON: `{ "notes:read": "Read your notes" }`. Default: none.',
      OPEN: '`true`: apps that are not registered may ask for a resource. Default `false`.',
      ALG: 'What signs the access tokens of a resource, `EdDSA`, `ES256` or `RS256`. Default `EdDSA`.',
    },
  },
  exported: ['apps', 'keys'],
  methods: {
    listApps: { takes: ['sub'] },
    endApp: { takes: ['sub', 'app'], event: 'app-removed' },
    createKey: { takes: ['sub', 'asked'], event: 'key-created' },
    listKeys: { takes: ['sub'] },
    endKey: { takes: ['sub', 'keyId'], event: 'keys-ended' },
  },
  routes: [
    '/.well-known/openid-configuration',
    '/oauth/authorize',
    '/oauth/consent',
    '/oauth/token',
    '/oauth/revoke',
    '/oauth/device',
    '/oauth/userinfo',
    '/oauth/jwks.json',
    '/oauth/end-session',
    '/device',
    '/apps',
    '/apps/remove',
    '/keys',
    '/keys/create',
    '/keys/remove',
    '/account/apps',
    '/account/keys',
  ],
  texts: 'apart',
  events: [
    'key-created',
    'keys-ended',
    'key-ends-soon',
    'app-allowed',
    'app-removed',
    'assertion-used',
    'machine-token',
  ],
  warnings: [
    'app-resources',
    'assertion-refused',
    'client-document',
    'code-replayed',
    'logout-not-received',
    'refresh-reused',
  ],
  denials: ['too_many_keys'],
  plugins: { apiKey: 'keys are not imported: docs/api-keys.md' },
} as const satisfies Manifest
