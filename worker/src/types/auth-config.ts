import type { Language } from '../languages/language.js'
import type { raw, skipCSRFCheck } from '../lib/symbols.js'
import type { Store } from '../stores/ports.js'
import type { Callbacks, Events } from './callbacks.js'
import type { CredentialsConfig } from './credentials-config.js'
import type { EmailConfig } from './email-config.js'
import type { Feature } from './feature.js'
import type { Logger } from './log-event.js'
import type { MiddlewareConfig } from './middleware-config.js'
import type { OAuthConfig, OIDCConfig } from './oauth-config.js'
import type { FeatureConfig } from './of-features.js'
import type { PasskeyConfig } from './passkey-config.js'
import type { PasswordConfig } from './password-config.js'
import type { ThemeConfig } from './theme-config.js'

// biome-ignore lint/suspicious/noExplicitAny: a provider's own profile type is opaque to the config
type AnyProfile = any

/** A provider is a value; presets are functions that return one. */
export type Provider =
  | OAuthConfig<AnyProfile>
  | OIDCConfig<AnyProfile>
  | MiddlewareConfig<AnyProfile>
  | CredentialsConfig
  | EmailConfig
  | PasskeyConfig
  | PasswordConfig

/** Lifetimes, all in seconds. */
export interface SessionLifetimes {
  /** Accepted for compatibility: there is no other. Default `jwt`. */
  readonly strategy?: 'jwt'
  /** How long a session lives after it was last extended, in seconds. Default 2,592,000 (30 days). */
  readonly maxAge?: number
  /**
   * A session is extended at most once in this time, in seconds. Default 86,400 (1 day), and a tenth of `maxAge` at most. If it
   * is as long as `maxAge`, no session is extended.
   */
  readonly updateAge?: number
  /**
   * How long one token is valid before the session is read again, in seconds: 86,400 (1 day) at most. Default 300
   * (5 minutes), and half of `maxAge` at most.
   */
  readonly tokenMaxAge?: number
  /**
   * A session never lives longer than this after sign-in, in seconds, however much it is used (OWASP ASVS, 3.3.2).
   * Default 7,776,000 (90 days), also if `maxAge` is longer.
   */
  readonly absoluteMaxAge?: number
}

/** Another name for a cookie; the session cookie may also be shared with subdomains. */
export interface CookieOption {
  /**
   * The whole name, with its prefix. Default: the cookie's own name, with `__Host-` or `__Secure-`
   * on https.
   */
  readonly name?: string
}

/** The configuration of the auth service. */
export interface AuthConfig extends FeatureConfig {
  /** The ways to sign in: presets and others, in the order of the sign-in page. */
  readonly providers: readonly (Provider | (() => Provider))[]
  /**
   * Signs sessions and seals cookies: at least 32 characters. An array rotates: the first signs, all verify.
   * Default: `AUTH_SECRET`.
   */
  readonly secret?: string | readonly string[]
  /** The path of the auth routes. Default: that of `AUTH_URL`, else `/api/auth`. */
  readonly basePath?: string
  /** Trust the Host and X-Forwarded-* headers. Default: `AUTH_TRUST_HOST`, else `false`. */
  readonly trustHost?: boolean
  /**
   * Origins that may forward requests here and be redirected to; `https://*.example.com` allows
   * only redirects, and so does `http://localhost:*`, for every port. Default:
   * `AUTH_TRUSTED_ORIGINS`, else none.
   */
  readonly trustedOrigins?: readonly string[]
  /** How long users stay signed in. */
  readonly session?: SessionLifetimes
  /** Your functions that decide. */
  readonly callbacks?: Partial<Callbacks>
  /** Your functions that are called after something has happened. */
  readonly events?: Partial<Events>
  /** Your own pages: paths or URLs. One that leads to itself, such as our own, is refused at the start. */
  readonly pages?: {
    /**
     * The sign-in page; `callbackUrl` is the page after it, and `error` says why a sign-in has
     * failed. Default: ours.
     */
    readonly signIn?: string
    /** The sign-out page. Default: ours. */
    readonly signOut?: string
    /** The page after a failed sign-in, with the reason as `error`. Default: ours. */
    readonly error?: string
    /** The page on which users wait for their mail. Default: ours. */
    readonly verifyRequest?: string
    /**
     * The page after a user's first sign-in, with the next page as `callbackUrl`. Default: the next
     * page itself.
     */
    readonly newUser?: string
  }
  /**
   * Takes the lines of the log. Default: the console. Mistakes of users, such as a wrong password,
   * are warnings there.
   */
  readonly logger?: Partial<Logger>
  /** Log details, too. Default `false`. */
  readonly debug?: boolean
  /**
   * Further capabilities, from `@latchkey/worker/features/…` (docs/features.md). `createAuth` of `@latchkey/worker` has
   * all that need no options; that of `@latchkey/worker/core` has no others. Default: none.
   */
  readonly features?: readonly Feature[]
  /**
   * Languages of pages and mails, from `@latchkey/worker/languages/…`. `createAuth` of `@latchkey/worker` has all; that of
   * `@latchkey/worker/core` has English and these. Default: none.
   */
  readonly languages?: readonly Language[]
  /** How the pages and mails look. */
  readonly theme?: ThemeConfig
  /** The names of the cookies, and the domain that shares the session's. */
  readonly cookies?: {
    /** Holds the session. */
    readonly sessionToken?: CookieOption & {
      /** The domain that shares the cookie. */
      readonly options?: {
        /**
         * The cookie is shared with the subdomains of this domain: `example.com`. Default:
         * `AUTH_COOKIE_DOMAIN`, else only the host.
         */
        readonly domain?: string
        /**
         * `none`: on https all of the service's cookies are `SameSite=None; Partitioned`, so that
         * users can sign in to an app in the frame of another site (docs/embedded-apps.md). Default
         * `lax`.
         */
        readonly sameSite?: 'lax' | 'none'
      }
    }
    /** Protects forms against other sites: its `name`. Default: `auth.csrf-token`. */
    readonly csrfToken?: CookieOption
    /** The data of a started sign-in, sealed: its `name`. Default: `auth.flow`. */
    readonly flow?: CookieOption
    /**
     * Marks a browser that has signed in before, which has its own limit of guesses: its `name`.
     * Default: `auth.device`.
     */
    readonly device?: CookieOption
    /** The tag of the language from `ui_locales`: its `name`. Default: `auth.locale`. */
    readonly locale?: CookieOption
    /**
     * The id of the provider with which this browser has last signed in, and no data about the
     * user: its `name`. Default: `auth.last-way`.
     */
    readonly lastWay?: CookieOption
  }
  /** Where sessions and the ledger's rows are kept. Default: the bindings `SESSIONS` and `LEDGER`. */
  readonly store?: Store
  /**
   * The number of the ledger's Durable Objects. Default: `AUTH_LEDGER_SHARDS`, else 1. To change it, list the old number before
   * the new one until the sessions of that time have ended: `[1, 4]`. With regions, as text, there
   * are as many in each, and a session is kept near where it began: `'4@weur+enam'`.
   */
  readonly ledgerShards?: number | string | readonly (number | string)[]
  /**
   * The jurisdiction that the ledger's Durable Objects run and store their rows in. Default: `AUTH_LEDGER_JURISDICTION`, else none.
   * A ledger that has rows cannot move to another one (docs/data-residency.md).
   */
  readonly ledgerJurisdiction?: 'eu' | 'us' | 'fedramp' | 'fedramp-high'
  /**
   * `Auth` returns its answer in parts, for a framework that sets cookies and redirects itself: the
   * symbol `raw`. Default: off.
   */
  readonly raw?: typeof raw
  /** Forms need no CSRF token, for a caller in the same process that has checked the origin: the symbol `skipCSRFCheck`. Default: off. */
  readonly skipCSRFCheck?: typeof skipCSRFCheck
}
