import type { Environment } from '../../types.js'

/** The apps, resources and keys of the authorization server. Variables add more. */
export interface AuthorizationServerOptions {
  /** Apps by their `client_id`, which is 1 to 64 of `A–Z a–z 0–9 . _ -`. `api-key` is taken. */
  readonly apps?: Readonly<Record<string, AppOptions>>
  /** Resources by their URI, which is the `aud` of access tokens to the letter: https, or http for loopback, without a fragment. */
  readonly resources?: Readonly<Record<string, ResourceOptions>>
  /** API keys. Default: there are none, unless `AUTH_KEYS_PREFIX` is set. */
  readonly keys?: KeysOptions
  /**
   * The issuers whose assertions about people (ID-JAG) apps may bring, by their `iss`, or a function that answers one. Variables name
   * more (`AUTH_TRUSTED_ISSUER_<ID>_…`), and come first. Default: none.
   */
  readonly trustedIssuers?: Readonly<Record<string, TrustedIssuerOptions>> | FindTrustedIssuer
  /** What fetches metadata documents of clients, and keys of apps and issuers. Default: the platform's. */
  readonly fetch?: typeof fetch
}

/** An app that people may sign in to, or let act for them. */
export interface AppOptions {
  /** Where a browser is sent after a consent, to the letter. An app needs them, or `device`. Default: `AUTH_APP_<ID>_REDIRECT_URIS`, else none. */
  readonly redirectUris?: readonly string[]
  /** What people see. Default: `AUTH_APP_<ID>_NAME`, else the id. */
  readonly name?: string
  /** At least 32 characters each: a confidential app. Each of an array counts. Default: `AUTH_APP_<ID>_SECRET`, else it is a public app. */
  readonly secret?: string | readonly string[]
  /**
   * Public keys (a JWKS) in the place of `secret`: Ed25519, P-256, or RSA of 2,048 to 4,096 bits, 20 at most. The app proves itself by
   * an assertion (`private_key_jwt`). Default: `AUTH_APP_<ID>_JWKS` (that object as JSON), else none.
   */
  readonly jwks?: { readonly keys: readonly Readonly<Record<string, unknown>>[] }
  /** Where the app publishes its keys, in the place of `jwks`: https, or http for loopback. Default: `AUTH_APP_<ID>_JWKS_URI`, else nowhere. */
  readonly jwksUri?: string
  /**
   * It acts for itself, and for no person (`client_credentials`), with `secret`, `jwks`, `jwksUri` or `workloads`. Default:
   * `AUTH_APP_<ID>_MACHINE`, else it does not.
   */
  readonly machine?: boolean
  /**
   * Jobs at other OpenID issuers, such as GitHub Actions and Kubernetes, that get the tokens of this machine for the token that the
   * issuer gave them, 20 at most. Default: `AUTH_APP_<ID>_WORKLOADS` (that array as JSON), else none.
   */
  readonly workloads?: readonly WorkloadOptions[]
  /** No person is asked for consent. Default: `AUTH_APP_<ID>_FIRST_PARTY`, else they are. */
  readonly firstParty?: boolean
  /**
   * The resources that it may ask for, by their URI: all scopes of each (`true`), or these. Default: `AUTH_APP_<ID>_RESOURCES`
   * (that object as JSON), else a machine gets none, a first-party app OpenID's scopes alone, and any other app may ask for all.
   */
  readonly resources?: Readonly<Record<string, true | readonly string[]>>
  /**
   * Where the app hears that a session has ended which one of its ID tokens names (OpenID Connect Back-Channel Logout 1.0): https, or
   * http for loopback. Default: `AUTH_APP_<ID>_BACKCHANNEL_LOGOUT_URI`, else it does not hear it.
   */
  readonly backchannelLogoutUri?: string
  /** It may use the device grant (RFC 8628). Default: `AUTH_APP_<ID>_DEVICE`, else it may not. */
  readonly device?: boolean
  /** What signs its ID tokens. Default: `AUTH_APP_<ID>_ALG`, else `ES256`. */
  readonly alg?: 'ES256' | 'RS256'
}

/** Jobs of one kind at an OpenID issuer. */
export interface WorkloadOptions {
  /** The `iss` of their tokens, to the letter. */
  readonly issuer: string
  /** Where the issuer publishes its keys. Default: its discovery document says it. */
  readonly jwksUri?: string
  /** The `aud` that their tokens must have, alone. Default: the issuer that this service is. */
  readonly audience?: string
  /**
   * What their tokens must say, to the letter: every claim that is named, as a value, as one of several, or as the beginning of a text. An
   * issuer that strangers use too needs the whole value of a claim that names the owner.
   */
  readonly claims: Readonly<
    Record<
      string,
      | string
      | number
      | boolean
      | readonly (string | number | boolean)[]
      | { readonly startsWith: string }
    >
  >
  /** A job may bring one token again until it ends, also one without `jti`: for Kubernetes. Default: each counts once. */
  readonly reuse?: boolean
}

/** An issuer of assertions about people, and who may bring them. One of `company` and `provider` is there. */
export interface TrustedIssuerOptions {
  /** The id of a company (docs/companies.md) whose people the assertions are about. */
  readonly company?: string
  /** The id of a provider of type `oidc` whose accounts the assertions are about. */
  readonly provider?: string
  /** The `client_id` of each confidential app that may bring them. */
  readonly apps: readonly string[]
}

/** Finds an issuer by the `iss` of an assertion. @returns `undefined`: its assertions do not count */
export type FindTrustedIssuer = (
  issuer: string,
  env: Environment,
) => TrustedIssuerOptions | undefined | Promise<TrustedIssuerOptions | undefined>

/** An API, or an MCP server, that takes access tokens. */
export interface ResourceOptions {
  /** What people see. Default: its host. */
  readonly name?: string
  /** What each scope allows, in the words that people read. Default: none. */
  readonly scopes?: Readonly<Record<string, string>>
  /** Apps that are not registered may ask for it, by client ID metadata documents. Default: they may not. */
  readonly open?: boolean
  /** What signs its access tokens. Default: `EdDSA`. */
  readonly alg?: 'EdDSA' | 'ES256' | 'RS256'
}

/** Personal API keys. */
export interface KeysOptions {
  /** What keys begin with: 2 to 12 of `a–z 0–9`, a letter first. It may stand in `AUTH_KEYS_PREFIX`. */
  readonly prefix: string
}
