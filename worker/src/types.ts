import type { Session, User } from '@latchkey/session'
import type { MiddlewareHandler } from 'hono'
import type { CryptoKey } from 'jose'
import type { Ledger, SessionStore } from './stores/ports.js'
import type { customFetch, raw, skipCSRFCheck } from './symbols.js'

export type { DefaultSession, Session, User } from '@latchkey/session'
export type { Ledger, SessionRecord, SessionStore } from './stores/ports.js'

/** What kind of sign-in a provider offers. */
export type ProviderType = 'oauth' | 'oidc' | 'email' | 'credentials'

type Awaitable<T> = T | Promise<T>
type Text = string | null

/** Fine-grained permission of an access token (RFC 9396). Its members depend on `type`. */
export interface AuthorizationDetails {
  readonly type: string
  readonly [member: string]: unknown
}

/** A provider's answer from its token endpoint (RFC 6749, section 5.1). */
export interface TokenSet {
  readonly access_token?: string
  readonly refresh_token?: string
  readonly id_token?: string
  readonly scope?: string
  /** Always in lower case, since the value is case insensitive. */
  readonly token_type?: Lowercase<string>
  /** Lifetime of the access token, in seconds. */
  readonly expires_in?: number
  /** When the access token ends, in seconds since the epoch; calculated from `expires_in`. */
  readonly expires_at?: number
  readonly authorization_details?: readonly AuthorizationDetails[]
  /** What the provider adds, such as `open_id` or `refresh_expires_in`. */
  readonly [member: string]: unknown
}

/** The provider account that was used to sign in, and what its token endpoint returned. */
export interface Account extends TokenSet {
  /** The provider's id. */
  provider: string
  type: ProviderType
  /**
   * OAuth and OpenID: the `id` that `profile()` returned; e-mail: the address;
   * credentials: the `id` that `authorize()` returned.
   */
  providerAccountId: string
  /** The stable id of the user, the session's `sub`. */
  userId?: string
}

/** A person as their provider describes them: the standard claims, and whatever else it sends. */
export interface Profile {
  id?: Text
  sub?: Text
  name?: Text
  given_name?: Text
  family_name?: Text
  middle_name?: Text
  nickname?: Text
  preferred_username?: Text
  profile?: Text
  picture?: unknown
  website?: Text
  email?: Text
  email_verified?: boolean | null
  gender?: Text
  birthdate?: Text
  zoneinfo?: Text
  locale?: Text
  phone_number?: Text
  updated_at?: string | number | Date | null
  address?: {
    country?: Text
    formatted?: Text
    locality?: Text
    postal_code?: Text
    region?: Text
    street_address?: Text
  } | null
  [claim: string]: unknown
}

/** What the `jwt` callback keeps between requests: encrypted in the session record, never sent. */
export interface JWT {
  sub?: string
  name?: Text
  email?: Text
  picture?: Text
  [claim: string]: unknown
}

/**
 * A provider's access token that is valid for another minute at least, or why there is none:
 * nobody is signed in; the provider gave no token; the provider wants the person to sign in again;
 * or it could not be refreshed just now, so try later.
 */
export type AccessToken =
  | {
      readonly ok: true
      readonly accessToken: string
      /** In lower case, such as `bearer`. */
      readonly tokenType: string
      readonly scope?: string
      /** Seconds since the epoch. Left out where the provider does not say. */
      readonly expiresAt?: number
    }
  | {
      readonly ok: false
      readonly reason: 'signed-out' | 'no-token' | 'sign-in-needed' | 'unavailable'
    }

/** Parameters of an endpoint's query. `undefined` ones are left out. */
export type EndpointParams = Readonly<Record<string, string | number | boolean | undefined>>

/** An endpoint: its URL, or the URL with parameters. */
export type Endpoint = string | { readonly url?: string; readonly params?: EndpointParams }

/** How a provider's button looks. */
export interface ProviderStyle {
  /** CSS hex colour. */
  readonly brandColor?: string
  /** https or data URL. */
  readonly logo?: string
  /** CSS hex colour of the text. */
  readonly text?: string
}

/** The environment as strings and bindings, as a Worker or Node gives it. */
export type Environment = Readonly<Record<string, unknown>>

/** The private key that a client proves its identity with (RFC 7523), and its id if it has one. */
export type ClientPrivateKey = CryptoKey | { readonly key: CryptoKey; readonly kid?: string }

/** How a client proves its identity at the token endpoint (OpenID Connect Core, section 9). */
export type ClientAuthenticationMethod =
  | 'client_secret_basic'
  | 'client_secret_post'
  | 'private_key_jwt'
  | 'none'

/** A person as `profile()` or `authorize()` describes them; a number becomes text. */
export type DescribedUser = Omit<User, 'id'> & { id?: string | number }

/** What `userinfo.request` is given. */
export interface UserinfoRequest {
  readonly tokens: TokenSet
  /** The provider as configured, with what the environment says of it. */
  readonly provider: OAuthConfig | OIDCConfig
  /**
   * Use it for every request to the provider: it is the provider's own fetch within the limits of
   * time and size. It adds nothing, so set the `Authorization` header yourself.
   */
  readonly fetch: typeof fetch
}

/** What a user may set on an OAuth or OpenID provider. */
export interface OAuthUserConfig<ProviderProfile = Profile> {
  readonly id?: string
  readonly name?: string
  readonly clientId?: string
  /** A function where the secret is short-lived and made anew, as Apple has it. */
  readonly clientSecret?: string | (() => Awaitable<string>)
  /** The provider's issuer identifier. Endpoints that are not given are discovered from it. */
  readonly issuer?: string
  /** Address of the discovery document, where it is not the issuer's own. */
  readonly wellKnown?: string
  readonly authorization?: Endpoint
  readonly token?:
    | Endpoint
    | (Exclude<Endpoint, string> & { readonly clientPrivateKey?: ClientPrivateKey })
  /** `request` replaces the one GET that is made otherwise, and returns the profile. */
  readonly userinfo?:
    | Endpoint
    | (Exclude<Endpoint, string> & {
        readonly request?: (context: UserinfoRequest) => Awaitable<unknown>
      })
  /** Where tokens are revoked (RFC 7009). */
  readonly revocation?: Endpoint
  /** Revoke the provider's tokens when the person signs out. Default: they live until they end. */
  readonly revokeOnSignOut?: boolean
  readonly client?: {
    /** Default: `client_secret_basic`, or what discovery says is supported. */
    readonly token_endpoint_auth_method?: ClientAuthenticationMethod
    /**
     * The only `alg` that an ID token may have. Default: the asymmetric ones that discovery lists.
     * `HS256` and its like are accepted only when they are named here.
     */
    readonly id_token_signed_response_alg?: string
  }
  /** Overrides `authorization.params.scope`. */
  readonly scope?: string
  /** PKCE, `state` and, for OpenID, `nonce` are always used; listing them here changes nothing. */
  readonly checks?: readonly ('pkce' | 'state' | 'nonce' | 'none')[]
  /** `hex` for servers that want the PKCE challenge as hexadecimal digits. Default `base64url`. */
  readonly codeChallengeEncoding?: 'base64url' | 'hex'
  /** From the provider's description of a person to a user with a non-empty `id`. */
  readonly profile?: (profile: ProviderProfile, tokens: TokenSet) => Awaitable<DescribedUser>
  /** Which members of the token answer belong in the {@link Account}. Default: all. */
  readonly account?: (tokens: TokenSet) => Awaitable<Partial<TokenSet> | undefined>
  readonly style?: ProviderStyle
  /** Accepted for compatibility: without a user database accounts are never linked. */
  readonly allowDangerousEmailAccountLinking?: boolean
  /** Used for every request to this provider's endpoints. See {@link customFetch}. */
  readonly [customFetch]?: typeof fetch
}

/** What a preset adds to what its user may set. */
interface ProviderQuirks<Config> {
  /**
   * The provider with what the environment says of it, for presets whose variables are not simply
   * `AUTH_<ID>_ID` and `AUTH_<ID>_SECRET`. Options given in code win, and so does what `given`, the
   * provider as it stands in the config, has in the place of the preset's own.
   */
  readonly fromEnvironment?: (env: Environment, given: Config) => Config
  /** The issuer where neither the options nor the environment name one. */
  readonly defaultIssuer?: string
  /** Adapts the user-info URL to the tokens that were granted. */
  readonly userinfoUrl?: (url: URL, tokens: TokenSet) => URL
  /** Which token is sent to be revoked. Default: the refresh token if there is one. */
  readonly revokes?: 'access_token' | 'refresh_token'
  /**
   * Puts right where the provider is known to differ from the standard, before anything is read.
   * `response` is what came back through the browser: unsigned, so good for a name at most.
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
  readonly id: string
  readonly name: string
  readonly type: 'oauth'
}

/** An OpenID provider: its ID token says who it is, and is verified in full. */
export interface OIDCConfig<ProviderProfile = Profile>
  extends OAuthUserConfig<ProviderProfile>,
    ProviderQuirks<OIDCConfig<ProviderProfile>> {
  readonly id: string
  readonly name: string
  readonly type: 'oidc'
  /**
   * `true`: the ID token describes the person well enough. Default: user info is asked as well,
   * where the provider has it; what is signed wins.
   */
  readonly idToken?: boolean
  /**
   * The issuer that an ID token must have, where one provider has many: one for each tenant.
   * Default: the provider's own.
   */
  readonly issuerOf?: (claims: Readonly<Record<string, unknown>>, issuer: string) => string
}

/** What a `@hono/oauth-providers` middleware is made with. */
export interface MiddlewareClient {
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
}

/** A provider whose requests are made by a `@hono/oauth-providers` middleware. See `fromHono`. */
export interface MiddlewareConfig<ProviderProfile = Profile>
  extends Pick<OAuthUserConfig<ProviderProfile>, 'clientId' | 'profile' | 'account' | 'style'> {
  readonly id: string
  readonly name: string
  readonly type: 'oauth'
  readonly clientSecret?: string
  readonly middleware: (client: MiddlewareClient) => MiddlewareHandler
  readonly driver: MiddlewareDriver
}

/** What a middleware's driver has to know of its provider. */
export interface DrivenProvider extends Pick<MiddlewareConfig, 'id' | 'middleware'> {
  readonly clientId: string
  readonly clientSecret: string
}

/** The `state` and the cookies of a middleware's own, which no browser sees. */
export interface Carried {
  readonly state: string
  /** As one Cookie header. */
  readonly cookie: string
}

/** Lets a middleware start and finish sign-ins. `fromHono` brings it, so that others do without. */
export interface MiddlewareDriver {
  start(provider: DrivenProvider, redirectUri: string): Promise<Carried & { url: URL }>
  finish(
    provider: DrivenProvider,
    redirectUri: string,
    carried: Carried,
    response: URLSearchParams,
    nowInSeconds: number,
  ): Promise<{ tokens: TokenSet; profile: Record<string, unknown> }>
}

/** One input of a credentials form. The members are those of an HTML input. */
export interface CredentialInput {
  readonly label?: string
  readonly type?: string
  readonly placeholder?: string
  readonly value?: string
  readonly autocomplete?: string
  readonly required?: boolean
}

/** What a user sets on the credentials provider. */
export interface CredentialsUserConfig {
  readonly id?: string
  readonly name?: string
  /** The form's fields by name. */
  readonly credentials?: Readonly<Record<string, CredentialInput>>
  /**
   * Who these credentials belong to: a user with an `id`, or `null`. Throw a
   * {@link CredentialsSignin} to give a `code` to the sign-in page. Ten seconds at most.
   */
  readonly authorize: (
    credentials: Readonly<Partial<Record<string, unknown>>>,
    request: Request,
  ) => Awaitable<DescribedUser | null>
}

/** Sign-in with a user name and password, or whatever else a form can ask for. */
export interface CredentialsConfig extends CredentialsUserConfig {
  readonly id: string
  readonly name: string
  readonly type: 'credentials'
  readonly credentials: Readonly<Record<string, CredentialInput>>
}

/** A mail as it is sent. nodemailer's `sendMail` takes it as it is. */
export interface SignInMail {
  /** An address, or `Name <address>`. */
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** What `sendVerificationRequest` is given. */
export interface VerificationRequest {
  /** The address, in the spelling that is stored and mailed to. */
  readonly identifier: string
  /** The link that signs in. A secret: keep it out of logs. */
  readonly url: string
  /** Six digits for the page that was asked from. As secret as the link. */
  readonly code: string
  /** When both end. */
  readonly expires: Date
  readonly provider: EmailConfig
  /** The request that asked for the mail; its body was read already. */
  readonly request: Request
  readonly theme: ThemeConfig
  /** The mail that would be sent, ready to be handed to whatever sends it. */
  readonly mail: SignInMail
}

/** What a user sets on the e-mail provider. */
export interface EmailUserConfig {
  readonly id?: string
  readonly name?: string
  /** The sender: an address, or `Name <address>`. Default: `AUTH_EMAIL_FROM`. */
  readonly from?: string
  /** How long the link and the code work. Seconds, 60 to 86,400; default 10 minutes (ASVS 6.5.5). */
  readonly maxAge?: number
  /**
   * Changes an address after it was put in its one spelling, or throws to refuse it. What it
   * returns must be an address again, and one that it leaves as it is.
   */
  readonly normalizeIdentifier?: (identifier: string) => string
  /** Begins the link's secret: 22 to 256 characters of base64url. 256 random bits of ours follow. */
  readonly generateVerificationToken?: () => Awaitable<string>
  /**
   * Sends the mail. Ten seconds at most; throw when it cannot be sent. Default: by Resend where
   * `AUTH_RESEND_KEY` is set, else through the binding `EMAIL`.
   */
  readonly sendVerificationRequest?: (request: VerificationRequest) => Awaitable<unknown>
  /** Used for requests to Resend. See {@link customFetch}. */
  readonly [customFetch]?: typeof fetch
}

/** Sign-in by a mail with a link and a code. */
export interface EmailConfig extends EmailUserConfig {
  readonly id: string
  readonly name: string
  readonly type: 'email'
}

// biome-ignore lint/suspicious/noExplicitAny: a provider's own profile type is opaque to the config
type AnyProfile = any

/** A provider is a value; presets are functions that return one. */
export type Provider =
  | OAuthConfig<AnyProfile>
  | OIDCConfig<AnyProfile>
  | MiddlewareConfig<AnyProfile>
  | CredentialsConfig
  | EmailConfig

/** Lifetimes, all in seconds. */
export interface SessionLifetimes {
  /** How long a session lives after it was last extended. Default 30 days. */
  readonly maxAge?: number
  /** A session is extended at most once in this time. Default 1 day. */
  readonly updateAge?: number
  /** How long one token is valid before the session is looked up again. Default 5 minutes. */
  readonly tokenMaxAge?: number
  /** A session never lives longer than this after sign-in. Default: no limit. */
  readonly absoluteMaxAge?: number
}

export interface Callbacks {
  /**
   * May this person sign in? `false` refuses, a URL sends them there instead. Where `email` is
   * given, somebody asks for a mail to this address: a refusal sends none, and does not show.
   */
  signIn(params: {
    user: User
    account: Account
    profile?: Profile
    credentials?: Readonly<Partial<Record<string, unknown>>>
    email?: { readonly verificationRequest: true }
  }): Awaitable<boolean | string>
  /** Where to go afterwards. `url` is what the request asked for; the default keeps to this site. */
  redirect(params: { url: string; baseUrl: string }): Awaitable<string>
  /**
   * What to keep, encrypted, with the session. Runs at sign-in, update and extension. `null` ends
   * the session.
   */
  jwt(params: {
    token: JWT
    user?: User
    account?: Account
    profile?: Profile
    trigger?: 'signIn' | 'update'
    session?: unknown
    /** The provider's access token, refreshed where it is about to end. */
    getAccessToken: () => Promise<AccessToken>
  }): Awaitable<JWT | null>
  /** What the app sees: it is signed and readable by the person, so keep secrets out of it. */
  session(params: {
    session: Session
    token: JWT
    trigger?: 'update'
    newSession?: unknown
    /** The provider's access token, refreshed where it is about to end. Keep it on the server. */
    getAccessToken: () => Promise<AccessToken>
  }): Awaitable<Session>
}

export interface Events {
  signIn(message: { user: User; account: Account; profile?: Profile }): Awaitable<void>
  signOut(message: { session: Session }): Awaitable<void>
  session(message: { session: Session }): Awaitable<void>
}

export interface Logger {
  /** An {@link AuthError}, or what a callback threw. Never holds a secret, token, code or cookie. */
  error(error: Error): void
  warn(code: string, detail?: string): void
  debug(message: string, detail?: unknown): void
}

export interface ThemeConfig {
  readonly colorScheme?: 'auto' | 'light' | 'dark'
  /** https URL of a logo. */
  readonly logo?: string
  /** CSS hex colour. */
  readonly brandColor?: string
  /** CSS hex colour. */
  readonly buttonText?: string
}

/** Another name for a cookie; the session cookie may also be shared with subdomains. */
export interface CookieOption {
  readonly name?: string
}

/** The configuration of the auth service. */
export interface AuthConfig {
  readonly providers: readonly (Provider | (() => Provider))[]
  /** At least 32 characters. An array rotates: the first signs, all verify. */
  readonly secret?: string | readonly string[]
  /** Default `/api/auth`. */
  readonly basePath?: string
  /** Trust the Host and X-Forwarded-* headers. */
  readonly trustHost?: boolean
  /** Origins that may forward requests here and be redirected to; `https://*.example.com` works. */
  readonly trustedOrigins?: readonly string[]
  readonly session?: SessionLifetimes
  readonly callbacks?: Partial<Callbacks>
  readonly events?: Partial<Events>
  /** Your own pages: paths or URLs. */
  readonly pages?: {
    readonly signIn?: string
    readonly signOut?: string
    readonly error?: string
    readonly verifyRequest?: string
  }
  readonly logger?: Partial<Logger>
  readonly debug?: boolean
  readonly theme?: ThemeConfig
  readonly cookies?: {
    readonly sessionToken?: CookieOption & { readonly options?: { readonly domain?: string } }
    readonly csrfToken?: CookieOption
    readonly flow?: CookieOption
  }
  /** Where sessions live. Default: the bindings `SESSIONS` and `LEDGER`. */
  readonly store?: { readonly sessions: SessionStore; readonly ledger: Ledger }
  /**
   * In how many Durable Objects the ledger is kept. Default 1. To change it, list the old number
   * before the new one until the sessions of that time have ended: `[1, 4]`.
   */
  readonly ledgerShards?: number | readonly number[]
  /** See {@link raw}. */
  readonly raw?: typeof raw
  /** See {@link skipCSRFCheck}. */
  readonly skipCSRFCheck?: typeof skipCSRFCheck
}
