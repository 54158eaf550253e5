/** The apps, resources and keys of the authorization server. Variables add more. */
export interface AuthorizationServerOptions {
  /** Apps by their `client_id`, which is 1 to 64 of `A–Z a–z 0–9 . _ -`. `api-key` is taken. */
  readonly apps?: Readonly<Record<string, AppOptions>>
  /** Resources by their URI, which is the `aud` of access tokens to the letter: https, or http for loopback, without a fragment. */
  readonly resources?: Readonly<Record<string, ResourceOptions>>
  /** API keys. Default: there are none, unless `AUTH_KEYS_PREFIX` is set. */
  readonly keys?: KeysOptions
  /** What fetches metadata documents of clients. Default: the platform's. */
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
  /** No person is asked for consent. Default: `AUTH_APP_<ID>_FIRST_PARTY`, else they are. */
  readonly firstParty?: boolean
  /**
   * The resources that it may ask for, by their URI: all scopes of each (`true`), or these. Default: `AUTH_APP_<ID>_RESOURCES`
   * (that object as JSON), else a first-party app gets OpenID's scopes alone, and any other app may ask for all.
   */
  readonly resources?: Readonly<Record<string, true | readonly string[]>>
  /** It may use the device grant (RFC 8628). Default: `AUTH_APP_<ID>_DEVICE`, else it may not. */
  readonly device?: boolean
  /** What signs its ID tokens. Default: `AUTH_APP_<ID>_ALG`, else `ES256`. */
  readonly alg?: 'ES256' | 'RS256'
}

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
