import type { Session, User } from '@latchkey/session'
import type { Language } from '../languages/language.js'
import type { raw, skipCSRFCheck } from '../lib/symbols.js'
import type { Stores } from '../stores/ports.js'
import type { AccessToken, Account, JWT, Profile, UnlinkedAccount } from './account.js'
import type { Awaitable } from './awaitable.js'
import type { CredentialsConfig } from './credentials-config.js'
import type { EmailConfig } from './email-config.js'
import type { Feature } from './feature.js'
import type { LogEvent } from './log-event.js'
import type { MiddlewareConfig } from './middleware-config.js'
import type { OAuthConfig, OIDCConfig } from './oauth-config.js'
import type { Migration } from './old-sessions.js'
import type { PasskeyConfig } from './passkey-config.js'
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

/** Lifetimes, all in seconds. */
export interface SessionLifetimes {
  /** Accepted for compatibility: there is no other. Default `jwt`. */
  readonly strategy?: 'jwt'
  /** How long a session lives after it was last extended, in seconds. Default 2,592,000 (30 days). */
  readonly maxAge?: number
  /** A session is extended at most once in this time, in seconds. Default 86,400 (1 day). */
  readonly updateAge?: number
  /**
   * How long one token is valid before the session is read again, in seconds: 86,400 (1 day) at most. Default 300
   * (5 minutes).
   */
  readonly tokenMaxAge?: number
  /**
   * A session never lives longer than this after sign-in, in seconds, however much it is used (OWASP ASVS, 3.3.2).
   * Default 7,776,000 (90 days), also if `maxAge` is longer.
   */
  readonly absoluteMaxAge?: number
}

/** Questions that the service asks your app. If one throws during a sign-in, nobody is signed in; no session ends by it. */
export interface Callbacks {
  /**
   * May this person sign in? `false` refuses, a URL sends them there instead. If `email` is set, a
   * mail to this address is requested: any result but `true` sends none, which the answer does not
   * reveal.
   */
  signIn(params: {
    user: User
    account: Account
    profile?: Profile
    credentials?: Readonly<Partial<Record<string, unknown>>>
    email?: { readonly verificationRequest: true }
    /** Set if somebody who is signed in adds this as another way to sign in: their `sub`. */
    addedTo?: string
  }): Awaitable<boolean | string>
  /**
   * Where people go afterwards. `url` is the target that was asked for; without this callback they
   * stay on this site.
   */
  redirect(params: { url: string; baseUrl: string }): Awaitable<string>
  /**
   * The value of the session that stays on the server. Runs whenever a token is made: at sign-in,
   * update and renewal (every five minutes). Its return value goes to `session`, and is stored,
   * encrypted, at a sign-in, an update and an extension (once in `updateAge`). `null` refuses the
   * sign-in, or ends the session; a throw does neither.
   */
  jwt(params: {
    token: JWT
    user?: User
    account?: Account
    profile?: Profile
    /** `signUp`: the first sign-in of this person, since you have a `jwt` callback. Left out in a renewal. */
    trigger?: 'signIn' | 'signUp' | 'update'
    session?: unknown
    /** The provider's access token, refreshed if it is about to end. */
    getAccessToken: () => Promise<AccessToken>
  }): Awaitable<JWT | null>
  /**
   * The session that the app reads. It is signed and readable by the person, so keep secrets out of
   * it. Runs after `jwt`. `null` refuses the sign-in, or ends the session; a throw does neither.
   */
  session(params: {
    session: Session & { user: NonNullable<Session['user']> }
    token: JWT
    trigger?: 'update'
    newSession?: unknown
    /** The provider's access token, refreshed if it is about to end. Keep it on the server. */
    getAccessToken: () => Promise<AccessToken>
  }): Awaitable<Session | null>
}

/** What the service tells the app after it happened. If a listener throws, the log says so, and the request goes on. */
export interface Events {
  /**
   * Somebody has signed in. `isNewUser`: it is the first sign-in of this person, as `trigger: 'signUp'` is for
   * `jwt`.
   */
  signIn(message: {
    user: User
    account: Account
    profile?: Profile
    isNewUser: boolean
  }): Awaitable<void>
  /** Somebody has signed out: this session, or all of theirs. */
  signOut(message: { session: Session }): Awaitable<void>
  /** A session was renewed by `GET /session`, or changed by `POST /session`. */
  session(message: { session: Session }): Awaitable<void>
  /**
   * A provider will not refresh the tokens of a person's connection any more, who has to sign in with it
   * again, or to add it again. Once, until they do.
   */
  signInNeeded(message: { sub: string; provider: string }): Awaitable<void>
  /** A user has added another sign-in method. `user` is the person, whose id stays the same. */
  linkAccount(message: { user: User; account: Account; profile?: Profile }): Awaitable<void>
  /** Somebody has removed a way. */
  unlinkAccount(message: { user: User; account: UnlinkedAccount }): Awaitable<void>
  /**
   * Two people turned out to be one: everything of `from` belongs to `to` now, and `from` no longer
   * exists.
   */
  merge(message: { from: string; to: string }): Awaitable<void>
  /** The operator has taken the second factor from a person (`resetFactors`). */
  resetFactors(message: { sub: string }): Awaitable<void>
  /** A person has deleted their account: their data of yours is to go too. */
  deletePerson(message: { sub: string }): Awaitable<void>
}

/** Where the service writes its log; by default the console. */
export interface Logger {
  /**
   * An {@link AuthError}, or the error of a callback. Never holds a secret, token, code or cookie.
   */
  error(error: Error): void
  /** A fault that goes on, by a code (docs/operate.md). */
  warn(code: string, detail?: string): void
  /** Details, if `debug` is on. Never holds a secret, token, code or cookie. */
  debug(message: string, detail?: unknown): void
  /** A sign-in, a sign-out, sessions that were ended, a refused sign-in, a limit. */
  info?(event: LogEvent): void
}

/** Another name for a cookie; the session cookie may also be shared with subdomains. */
export interface CookieOption {
  /** The whole name, prefix and all. Default: the cookie's own, with `__Host-` or `__Secure-` on https. */
  readonly name?: string
}

/** Several ways to sign in for one person (docs/accounts.md). */
export interface WaysConfig {
  /**
   * If a user adds a way that belongs to another person already, the two are merged: the other
   * person's ways are moved, their `sub` is cut off, and the event `merge` says so. Default: it is
   * refused (`OAuthAccountNotLinked`).
   */
  readonly merge?: boolean
  /**
   * `refuse`: a way that was removed signs nobody in until its person adds it again. Default: it is a
   * person of its own again, but for somebody's first way, whose `sub` is in use.
   */
  readonly unlinked?: 'refuse'
}

/** The configuration of the auth service. */
export interface AuthConfig {
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
   * Origins that may forward requests here and be redirected to; `https://*.example.com` is a target of
   * redirects alone, and so is `http://localhost:*`, which is every port. Default: `AUTH_TRUSTED_ORIGINS`, else none.
   */
  readonly trustedOrigins?: readonly string[]
  /** How long people stay signed in. */
  readonly session?: SessionLifetimes
  /**
   * Sessions of a library that the app has used before: each goes on once, as one of ours for the same person, until
   * the date that the entry names. Entries are made by `authjs()` and `betterAuth()` of `@latchkey/worker/migrate`
   * (docs/move-in.md). Default: none.
   */
  readonly migrateFrom?: readonly Migration[]
  /**
   * The page of the account has a button that deletes all data of a person, if they have signed in
   * within the last five minutes. The event `deletePerson` names the person, so that your app
   * deletes its data. Default `false`.
   */
  readonly accountDeletion?: boolean
  /**
   * Who somebody is: the id of your own that a provider's account has, so that `user.id` and `sub` are the ids of
   * your tables. Asked at each sign-in with a way that nobody has added, after its proof and before the `signIn`
   * callback. 1 to 255 characters, not blank, without control characters; a whole number becomes text;
   * `undefined` is the default, a digest of the account. A throw, no answer within ten seconds and anything
   * else refuse the sign-in (`Configuration`). The first account that has an id owns it
   * (`OAuthAccountNotLinked` for another one). See docs/accounts.md before you switch it on or off.
   *
   * @param of `user` is the person as the provider described them: its `id` is `account.providerAccountId`
   * @example subject: ({ provider, user }) => (provider === 'credentials' ? user.id : undefined)
   */
  subject?(of: {
    readonly provider: string
    readonly account: Account
    readonly user: User
  }): Awaitable<string | number | undefined>
  /**
   * Accounts to which `subject` gives the same id are one person, in any order. Default `false`: an
   * id belongs to one account.
   */
  readonly sharedSubjects?: boolean
  /** The rules for people's sign-in methods. */
  readonly ways?: WaysConfig
  /**
   * Does this person need a second factor, whether they have set one up or not? A person without
   * one sets it up before they are signed in. Asked after the `signIn` callback, at each sign-in,
   * except one with a passkey, which is two factors, and except for people who have set one up, who
   * are asked for it anyway. A throw, and anything but `true` and `false`, refuses the sign-in
   * (docs/second-factor.md).
   *
   * @param person `amr` is how they have proved who they are: the provider's id first
   * @example secondFactor: ({ user }) => user.email?.endsWith('@staff.example') ?? false
   */
  secondFactor?(person: {
    readonly sub: string
    readonly user: User
    readonly amr: readonly string[]
  }): Awaitable<boolean>
  /** Functions of yours that decide. */
  readonly callbacks?: Partial<Callbacks>
  /** Functions of yours that hear what has happened. */
  readonly events?: Partial<Events>
  /** Your own pages: paths or URLs. One that leads to itself, such as our own, is refused at the start. */
  readonly pages?: {
    /**
     * The page on which people sign in; `callbackUrl` says where they go afterwards, `error` why
     * they are there again. Default: ours.
     */
    readonly signIn?: string
    /** Where people sign out. Default: ours. */
    readonly signOut?: string
    /** Where a sign-in leads that has failed, with the reason as `error`. Default: ours. */
    readonly error?: string
    /** Where people wait for their mail. Default: ours. */
    readonly verifyRequest?: string
    /**
     * Where the first sign-in of a person leads, with the page after it as `callbackUrl`. Default: the page that
     * they came for.
     */
    readonly newUser?: string
  }
  /** Takes the lines of the log. Default: the console. Mistakes of people, such as a wrong password, are warnings there. */
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
      /** The domain that shares it. */
      readonly options?: {
        /** Its subdomains have the cookie as well: `example.com`. Default: `AUTH_COOKIE_DOMAIN`, else the host alone. */
        readonly domain?: string
        /**
         * `none`: on https all of the service's cookies are `SameSite=None; Partitioned`, so that people can
         * sign in to an app in the frame of another site (docs/embedded-apps.md). Default `lax`.
         */
        readonly sameSite?: 'lax' | 'none'
      }
    }
    /** Keeps forms of other sites from being sent here: its `name`. Default: `auth.csrf-token`. */
    readonly csrfToken?: CookieOption
    /** What a started sign-in needs, sealed: its `name`. Default: `auth.flow`. */
    readonly flow?: CookieOption
    /** A browser that has signed in before, which limits of guesses let pass: its `name`. Default: `auth.device`. */
    readonly device?: CookieOption
    /** The language that `ui_locales` asked for, as its tag: its `name`. Default: `auth.locale`. */
    readonly locale?: CookieOption
    /**
     * Names the provider by which this browser has signed in last: its id, and nothing about the
     * person. Default: `auth.last-way`.
     */
    readonly lastWay?: CookieOption
  }
  /** The stores of sessions. Default: the bindings `SESSIONS` and `LEDGER`. */
  readonly store?: Stores
  /**
   * The number of the ledger's Durable Objects. Default: `AUTH_LEDGER_SHARDS`, else 1. To change it, list the old number before
   * the new one until the sessions of that time have ended: `[1, 4]`. With regions, as text, there
   * are as many in each, and a session is kept near where it began: `'4@weur+enam'`.
   */
  readonly ledgerShards?: number | string | readonly (number | string)[]
  /** `Auth` answers in parts, for a framework that sets cookies and redirects itself: the symbol `raw`. Default: off. */
  readonly raw?: typeof raw
  /** Forms need no csrf token, for a caller in the same process that has checked the origin: the symbol `skipCSRFCheck`. Default: off. */
  readonly skipCSRFCheck?: typeof skipCSRFCheck
}
