import type { HostConfigOf, RequireSessionOptions } from '@latchkey/host'
import type { VerifierOptions } from '@latchkey/session'
import type { AuthConfig, WaysConfig } from '@latchkey/worker'
import type {
  AppOptions,
  AuthorizationServerOptions,
  KeysOptions,
  ResourceOptions,
} from '@latchkey/worker/features/authorization-server'
import type { AuthjsOptions, BetterAuthOptions } from '@latchkey/worker/migrate'
import type { GitHubOptions } from '@latchkey/worker/providers/github'
import type { GitLabOptions } from '@latchkey/worker/providers/gitlab'
import type { LoopsOptions } from '@latchkey/worker/providers/loops'
import type { MailgunOptions } from '@latchkey/worker/providers/mailgun'
import type { SESOptions } from '@latchkey/worker/providers/ses'
import type {
  Callbacks,
  CredentialInput,
  CredentialsConfig,
  CredentialsUserConfig,
  EmailConfig,
  EmailUserConfig,
  Events,
  Logger,
  MailServiceOptions,
  MiddlewareConfig,
  OAuthConfig,
  OAuthUserConfig,
  OIDCConfig,
  PasskeyConfig,
  ProviderStyle,
  SessionLifetimes,
  ThemeColors,
  ThemeConfig,
  ThemeLinks,
} from '@latchkey/worker/types'

type Cookies = NonNullable<AuthConfig['cookies']>
type Provider = Required<OAuthConfig>
type Forwarded = Extract<HostConfigOf<AuthConfig>, { providers?: never }>

/**
 * The tables of docs/configuration.md, in their order: the heading, the text below it, and the type:
 * its members are the rows. A heading in small letters is the path of the option that the table
 * belongs to.
 */
export interface Options {
  /** `AuthConfig`: what `createAuth` takes, and each adapter that serves the auth routes itself. */
  'The service': AuthConfig
  /** How long users stay signed in. */
  session: SessionLifetimes
  /** Called at a sign-in and when a token is signed; each decides something. */
  callbacks: Partial<Callbacks>
  /** Called after something has happened. If one throws, the error is in the log, and nothing else changes. */
  events: Partial<Events>
  /** Paths of your site, or URLs. */
  pages: NonNullable<AuthConfig['pages']>
  /** How the pages and mails look, and the site that they name (docs/pages.md). */
  theme: ThemeConfig
  /** At the foot of each page: https or mailto URLs, or paths of the pages' origin. */
  'theme.links': ThemeLinks
  /** CSS hex colors, by their custom properties: one for both schemes, or `{ light, dark }`. */
  'theme.colors': ThemeColors
  /** Several ways to sign in for one user (docs/accounts.md). */
  ways: WaysConfig
  /** Each member replaces a method of the console (docs/operate.md). */
  logger: Partial<Logger>
  /** Other names of the cookies. */
  cookies: Cookies
  /** Like those of `csrfToken`, `flow` and `device`, which have only a `name`. */
  'cookies.sessionToken': NonNullable<Cookies['sessionToken']>
  /** You cannot change its other attributes: HttpOnly, `Path=/`, and Secure on https. */
  'cookies.sessionToken.options': NonNullable<NonNullable<Cookies['sessionToken']>['options']>

  /** For `authorizationServer()` in `features`: the service as the authorization server of your own apps, APIs and MCP servers (docs/authorization-server.md). */
  'The authorization server': AuthorizationServerOptions
  /** One app, by its `client_id`. */
  'authorizationServer.apps': AppOptions
  /** One resource, by its URI. */
  'authorizationServer.resources': ResourceOptions
  /** Personal API keys. */
  'authorizationServer.keys': KeysOptions

  /** Options of each adapter beside the options of the service, if it serves the auth routes itself. */
  'An app that reads sessions': Pick<Forwarded, 'online' | 'revocation'>
  /** How soon an app refuses an ended session. */
  revocation: NonNullable<Forwarded['revocation']>
  /** All options of an adapter that forwards the auth routes to a Worker. */
  'An app that forwards': Forwarded
  /**
   * For the middleware of Express and Hono; `locals.auth()` of SvelteKit takes `maxAge`, `acr` and `bound`.
   */
  requireSession: RequireSessionOptions
  /** For `createVerifier` of `@latchkey/session`, for any other server. */
  'A verifier': VerifierOptions
  /** The session cookie, as the service has it. */
  cookie: NonNullable<VerifierOptions['cookie']>

  /** Presets take these as well, all optional; `oauth()` and `oidc()` make a provider of them (docs/any-provider.md). */
  'An OAuth or OpenID provider': OAuthUserConfig &
    Omit<OAuthConfig, keyof OAuthUserConfig> &
    Pick<OIDCConfig, 'idToken' | 'issuerOf'>
  /** The page at which users sign in. A string is its `url`. */
  'providers.authorization': Exclude<Provider['authorization'], string>
  /** The endpoint that exchanges the code. A string is its `url`. */
  'providers.token': Exclude<Provider['token'], string>
  /** The endpoint that returns the profile. A string is its `url`. */
  'providers.userinfo': Exclude<Provider['userinfo'], string>
  /** How the client is registered with the provider. */
  'providers.client': Provider['client']
  /** Scopes that you may ask for when a user adds the provider (docs/connections.md). */
  'providers.connection': Provider['connection']
  /** How the provider's button looks. */
  'providers.style': ProviderStyle
  /** For `github()`, beside the options of every provider. */
  'The preset github': Omit<GitHubOptions, keyof OAuthConfig>
  /** For `gitlab()`, beside the options of every provider. */
  'The preset gitlab': Pick<GitLabOptions, 'baseUrl'>
  /** For `fromHono()`: the middleware of another package (docs/any-provider.md). */
  'A provider of a Hono middleware': MiddlewareConfig
  /** For `email()` (docs/email.md). */
  'The email provider': EmailUserConfig & Omit<EmailConfig, keyof EmailUserConfig>
  /**
   * For `resend()`, `postmark()` and `sendgrid()` beside the options of `email()` (docs/email-sending.md).
   */
  'A mail service': Pick<MailServiceOptions, 'apiKey'>
  /** For `mailgun()`, beside the options of a mail service. */
  'The mail service mailgun': Omit<MailgunOptions, keyof MailServiceOptions>
  /** For `loops()`, beside the options of a mail service. */
  'The mail service loops': Omit<LoopsOptions, keyof MailServiceOptions>
  /** For `ses()`, instead of `apiKey`. */
  'The mail service ses': Omit<SESOptions, keyof MailServiceOptions>
  /** For `credentials()`: passwords, or any other form (docs/passwords.md). */
  'The credentials provider': CredentialsUserConfig &
    Omit<CredentialsConfig, keyof CredentialsUserConfig>
  /** One field of the form, by its name. */
  'providers.credentials': CredentialInput
  /** For `passkey()` (docs/passkeys.md). */
  'The passkey provider': PasskeyConfig

  /** For `authjs()` in `migrateFrom` (docs/move-in.md). */
  'Sessions of Auth.js': AuthjsOptions
  /** For `betterAuth()` in `migrateFrom` (docs/move-in.md). */
  'Sessions of better-auth': BetterAuthOptions
}

/**
 * The tables of variables and bindings, without those of capabilities, which their manifests have. A test compares them with
 * those that the code reads.
 */
export interface Variables {
  /** They have the same values in the service and in an app that has the secret. */
  'Variables of the service and its apps': {
    /** Signs sessions and seals cookies: at least 32 characters, `openssl rand -hex 32`. */
    AUTH_SECRET: string
    /** Further secrets, while you replace one: the highest number signs, and all verify (docs/deploy.md). */
    'AUTH_SECRET_1, AUTH_SECRET_2, AUTH_SECRET_3'?: string
    /** The public origin, with or without the base path; it wins over every header. Default: the origin of the request, if it is trusted. */
    AUTH_URL?: string
    /** `true` or `1`: the Host and X-Forwarded-* headers of the proxy in front are trusted. Default `false`. */
    AUTH_TRUST_HOST?: string
    /** Origins that may call the service and be redirected to, with commas between them (docs/deploy.md). Default: only its own origin. */
    AUTH_TRUSTED_ORIGINS?: string
    /** The domain that shares the session cookie with its subdomains. Default: only the host. */
    AUTH_COOKIE_DOMAIN?: string
  }
  /** For the Worker, or for an app that serves the auth routes itself. */
  'Variables of the service': {
    /** The id of a preset's client, such as `AUTH_GOOGLE_ID`; it turns the preset on in the shipped Worker (docs/presets.md lists them). Default: the preset is off. */
    'AUTH_<ID>_ID'?: string
    /** The secret of that client. */
    'AUTH_<ID>_SECRET'?: string
    /** The issuer of a preset that has many, and of `oidc()`. Default: the preset's own, if it has one. */
    'AUTH_<ID>_ISSUER'?: string
    /** The name on the button of `oidc()`. Default: OpenID. */
    'AUTH_<ID>_NAME'?: string
    /** The sender of mails; it turns sign-in by email on in the shipped Worker. Default: off. */
    AUTH_EMAIL_FROM?: string
    /** The sender of an email provider of another id. Default: `AUTH_EMAIL_FROM`. */
    'AUTH_<ID>_FROM'?: string
    /** The key of a mail service: `AUTH_RESEND_KEY` makes `email()` send by Resend (docs/email-sending.md). Default: mails go through the binding `EMAIL`. */
    'AUTH_<ID>_KEY'?: string
    /** The site's name in the browser's prompt for a passkey; it turns passkeys on in the shipped Worker. Default: off. */
    AUTH_PASSKEY_NAME?: string
    /** The domain that passkeys belong to (docs/passkeys.md). Default: the host. */
    AUTH_PASSKEY_RP_ID?: string
    /** Other origins that may use the same passkeys, with commas between them. Default: none. */
    AUTH_PASSKEY_ORIGINS?: string
    /** `true`: people can set a password, in the shipped Worker (docs/passwords.md). It needs `AUTH_EMAIL_FROM`. Default: off. */
    AUTH_PASSWORD?: string
    /** The least length of a new password there, a whole number from 8 to 64. Default `15`. */
    AUTH_PASSWORD_MIN_LENGTH?: string
    /** `true`: a new password that Have I Been Pwned knows is refused there. Default: it is not asked. */
    AUTH_PASSWORD_BREACHED?: string
    /** The site's name on its pages and in its mails (docs/pages.md). Default: none. */
    AUTH_THEME_NAME?: string
    /** https URLs of a logo; the second is for the dark scheme. Default: none. */
    'AUTH_THEME_LOGO, AUTH_THEME_LOGO_DARK'?: string
    /** Links at the foot of each page. Default: none. */
    'AUTH_THEME_TERMS_URL, AUTH_THEME_PRIVACY_URL, AUTH_THEME_HELP_URL'?: string
    /** `light`, `dark` or `auto`. Default `auto`. */
    AUTH_THEME_COLOR_SCHEME?: string
    /** CSS hex colors of the main button, and of the text on it. Default: ours. */
    'AUTH_THEME_BRAND_COLOR, AUTH_THEME_BUTTON_TEXT'?: string
    /** How round buttons and fields are. Default `0.625rem`. */
    AUTH_THEME_RADIUS?: string
    /** Names of installed fonts. Default: the system's. */
    AUTH_THEME_FONT?: string
    /** https URLs of a picture behind the card; the second is for the dark scheme. Default: none. */
    'AUTH_THEME_BACKGROUND, AUTH_THEME_BACKGROUND_DARK'?: string
    /** CSS hex colors (docs/pages.md). Default: ours. */
    'AUTH_THEME_PAGE_COLOR, AUTH_THEME_CARD_COLOR, AUTH_THEME_INK_COLOR, AUTH_THEME_DIM_COLOR, AUTH_THEME_LINE_COLOR, AUTH_THEME_SOFT_COLOR'?: string
    /** The same for the dark scheme. Default: the colors for both schemes. */
    'AUTH_THEME_PAGE_COLOR_DARK, AUTH_THEME_CARD_COLOR_DARK, AUTH_THEME_INK_COLOR_DARK, AUTH_THEME_DIM_COLOR_DARK, AUTH_THEME_LINE_COLOR_DARK, AUTH_THEME_SOFT_COLOR_DARK'?: string
    /** `json`: each line of the log is one JSON object (docs/operate.md). Default `text`. */
    AUTH_LOG?: string
    /** The number of the ledger's objects (docs/scale.md). Default `1`. */
    AUTH_LEDGER_SHARDS?: string
    /** The jurisdiction of the ledger's objects: `eu`, `us`, `fedramp` or `fedramp-high` (docs/data-residency.md). Default: none. */
    AUTH_LEDGER_JURISDICTION?: string
    /**
     * `production`: on Node an origin counts only if a variable or option names it. Default: not
     * production.
     */
    NODE_ENV?: string
    /**
     * The store of an app on Node, for its sessions: `file:<path>`, `postgres://…` or `redis://…`
     * (docs/stores.md). Default: in memory.
     */
    AUTH_STORE?: string
    /** The prefix of tables or keys in a database, if two services share it (docs/stores.md). Default `latchkey`. */
    AUTH_STORE_PREFIX?: string
  }
  /** For an app that forwards to the Worker, or that only reads sessions. */
  'Variables of an app': {
    /** The Worker: its URL with the base path. Default: the app has `providers` or `worker`. */
    AUTH_WORKER_URL?: string
    /** The Worker's public keys, a JWKS as JSON. Default: the keys that the Worker publishes. */
    AUTH_PUBLIC_KEYS?: string
    /** The key by which an app without the secret proves itself to the Worker, which has it in `AUTH_APP_KEYS`. Default: none. */
    AUTH_APP_KEY?: string
  }
  /** For a Worker, in its `wrangler.toml`. */
  Bindings: {
    /** KV: one record for each session. */
    SESSIONS: object
    /** The Durable Object with the class `Ledger`: changes that must happen exactly once. */
    LEDGER: object
    /** Rate limiting, for passwords and mails (docs/operate.md). Default: each isolate counts for itself. */
    RATE_LIMIT?: object
    /** `send_email`: the mails of `email()` (docs/email-sending.md). Default: by Resend if `AUTH_RESEND_KEY` is set. */
    EMAIL?: object
    /** Analytics Engine: each event of the log is a data point (docs/operate.md). Default: there are no metrics. */
    METRICS?: object
  }
}
