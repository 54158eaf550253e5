import type { Environment } from '@latchkey/host/shared'
import type { CryptoKey } from 'jose'
import type { customFetch } from '../lib/symbols.js'
import type { DescribedUser, Profile, TokenSet } from './account.js'
import type { Awaitable } from './awaitable.js'
import type { Endpoint, UserinfoRequest } from './oauth-endpoint.js'
import type { SignInKind } from './sign-in-kind.js'

/** The style of a provider's button. */
export interface ProviderStyle {
  /** CSS hex color. Default: none. */
  readonly brandColor?: string
  /** https or data URL. Default: the first letter of the name on the brand's color, or a door. */
  readonly logo?: string
  /** CSS hex color of the text. Default: black or white, by the better contrast. */
  readonly text?: string
  /**
   * The first words of the button: `sign-in` is "Sign in with …", if the provider's rules require
   * that. Default `continue`: "Continue with …".
   */
  readonly words?: 'continue' | 'sign-in'
}

export type { Environment }

/** The private key that a client proves its identity with (RFC 7523), and its id if it has one. */
export type ClientPrivateKey = CryptoKey | { readonly key: CryptoKey; readonly kid?: string }

/** How a client proves its identity at the token endpoint (OpenID Connect Core, section 9). */
export type ClientAuthenticationMethod =
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'private_key_jwt'
  | 'none'

/** The options of an OAuth or OpenID provider. */
export interface OAuthUserConfig<ProviderProfile = Profile> {
  /** Part of the redirect URI, of every `sub` and of the names of variables. Default: the preset's. */
  readonly id?: string
  /** The name on its button. Default: the preset's. */
  readonly name?: string
  /** The client's id at the provider. Default: `AUTH_<ID>_ID`. */
  readonly clientId?: string
  /**
   * The client's secret: a function if it is short-lived, as for Apple. Default:
   * `AUTH_<ID>_SECRET`.
   */
  readonly clientSecret?: string | (() => Awaitable<string>)
  /** The provider's issuer identifier. Endpoints that are not given are discovered from it. Default: `AUTH_<ID>_ISSUER`, else the preset's. */
  readonly issuer?: string
  /** Address of the discovery document. Default: the issuer's own. */
  readonly wellKnown?: string
  /** The page at which users sign in. Default: discovered. */
  readonly authorization?: Endpoint
  /** The endpoint that exchanges the code for tokens. Default: discovered. */
  readonly token?:
    | Endpoint
    | (Exclude<Endpoint, string> & {
        /** The key of `private_key_jwt`. Default: none. */
        readonly clientPrivateKey?: ClientPrivateKey
      })
  /** The endpoint that returns the profile. Default: discovered. */
  readonly userinfo?:
    | Endpoint
    | (Exclude<Endpoint, string> & {
        /** Replaces the GET request, and returns the profile. */
        readonly request?: (context: UserinfoRequest) => Awaitable<unknown>
      })
  /** The endpoint that revokes tokens (RFC 7009). Default: discovered. */
  readonly revocation?: Endpoint
  /**
   * Revoke the provider's tokens when the user signs out. Default `false`: they stay valid until
   * they expire.
   */
  readonly revokeOnSignOut?: boolean
  /** How the client is registered with the provider. */
  readonly client?: {
    /** How it proves its identity at the token endpoint. Default: `client_secret_basic`, or a method that discovery lists. */
    readonly token_endpoint_auth_method?: ClientAuthenticationMethod
    /**
     * The only `alg` that an ID token may have. Default: the asymmetric ones that discovery lists.
     * `HS256` and other symmetric ones are accepted only when they are named here.
     */
    readonly id_token_signed_response_alg?: string
  }
  /**
   * The scopes to ask for, with spaces between. Overrides `authorization.params.scope`. Default:
   * the preset's.
   */
  readonly scope?: string
  /**
   * Scopes that you may ask for beside `scope` when a user adds this provider, or adds it again:
   * such as `{ scopes: ['video.list'] }`. The service asks for a scope only if the field `scope` of
   * `/ways/add` names it.
   */
  readonly connection?: {
    /** The provider's names of the scopes. */
    readonly scopes: readonly string[]
  }
  /**
   * Accepted for compatibility: the service always uses PKCE, `state` and, for OpenID, `nonce`.
   * Default: all of them.
   */
  readonly checks?: readonly ('pkce' | 'state' | 'nonce' | 'none')[]
  /** `hex` for servers that want the PKCE challenge as hexadecimal digits. Default `base64url`. */
  readonly codeChallengeEncoding?: 'base64url' | 'hex'
  /**
   * Turns the provider's description of a user into a user with a non-empty `id`. Where it is left
   * out it is the `sub` of the ID token; of plain OAuth the description's own `id`, or the address
   * with `emailVerified: true`.
   */
  readonly profile?: (profile: ProviderProfile, tokens: TokenSet) => Awaitable<DescribedUser>
  /** The members of the token answer for the {@link Account}. Default: all. */
  readonly account?: (tokens: TokenSet) => Awaitable<Partial<TokenSet> | undefined>
  /** How its button looks. */
  readonly style?: ProviderStyle
  /** Accepted for compatibility: without a user database accounts are never linked. Default `false`. */
  readonly allowDangerousEmailAccountLinking?: boolean
  /** Used for every request to this provider's endpoints. See {@link customFetch}. */
  readonly [customFetch]?: typeof fetch
}

/** Members that a preset adds to the options. */
interface ProviderQuirks<Config> {
  /** The prefix of its variables, with any id. Default: that of the id, `AUTH_<ID>`. */
  readonly variables?: string
  /**
   * The provider, completed from the environment, for presets whose variables are not simply
   * `AUTH_<ID>_ID` and `AUTH_<ID>_SECRET`. Options in code win, and so do members that `given`, the
   * provider in the config, has instead of the preset's own.
   */
  readonly fromEnvironment?: (env: Environment, config: Config) => Config
  /** The issuer if neither the options nor the environment name one. Default: none. */
  readonly defaultIssuer?: string
  /** Address of your own instance, from which the preset makes its endpoints. Default: none. */
  readonly baseUrl?: string
  /** Adapts the user-info URL to the granted tokens. */
  readonly userinfoUrl?: (url: URL, tokens: TokenSet) => URL
  /** The separator between the scopes of a request. Default: a space (RFC 6749, section 3.3). */
  readonly scopeSeparator?: ','
  /**
   * Parameters that the provider returns beside the code, and that go to the token endpoint with
   * it. Default: none.
   */
  readonly responseParameters?: readonly string[]
  /** Its own words for a sign-in that the person cancels, beside `access_denied`. Default: none. */
  readonly cancelErrors?: readonly string[]
  /**
   * It adds a fragment to the redirect URI, such as the `#_=_` of Facebook. Browsers keep that for the page to which
   * the callback leads, unless the callback names another one. Default `false`.
   */
  readonly addsFragment?: boolean
  /** The token that the service revokes. Default: the refresh token if there is one. */
  readonly revokes?: 'access_token' | 'refresh_token'
  /**
   * Corrects the known deviations of the provider's profile, before it is read. The token answer has been read
   * by then: `customFetch` corrects that one. `response` came through the browser: it is unsigned, so use it for
   * a name at most.
   */
  readonly conform?: (
    profile: Readonly<Record<string, unknown>>,
    response: URLSearchParams,
  ) => Record<string, unknown>
}

/** An OAuth 2.0 provider. */
export interface OAuthConfig<ProviderProfile = Profile>
  extends OAuthUserConfig<ProviderProfile>,
    ProviderQuirks<OAuthConfig<ProviderProfile>> {
  /** Part of the redirect URI, of every `sub` and of the names of variables: letters, digits, `-` and `_`. */
  readonly id: string
  /** The name on its button. */
  readonly name: string
  /** `oauth`, or `oidc` for an OpenID provider. Default: its function sets it. */
  readonly type: 'oauth'
  /** How it signs in. Default: its function sets it, or its `type` says it. */
  readonly kind?: SignInKind
}

/** An OpenID provider: its ID token identifies the person, and is verified in full. */
export interface OIDCConfig<ProviderProfile = Profile>
  extends OAuthUserConfig<ProviderProfile>,
    ProviderQuirks<OIDCConfig<ProviderProfile>> {
  readonly id: string
  readonly name: string
  readonly type: 'oidc'
  readonly kind?: SignInKind
  /**
   * The ID token suffices as the profile. Default `false`: user info is requested as well, if
   * the provider has it, and signed claims win.
   */
  readonly idToken?: boolean
  /**
   * The issuer that an ID token must have, if a provider has one issuer for each tenant. Default:
   * the provider's own.
   */
  readonly issuerOf?: (claims: Readonly<Record<string, unknown>>, issuer: string) => string
}
