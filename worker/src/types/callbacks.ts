import type { Session, User } from '@latchkey/session'
import type { AccessToken, Account, JWT, Profile, UnlinkedAccount } from './account.js'
import type { Awaitable } from './awaitable.js'

/**
 * Questions that the service asks your app. If one throws during a sign-in, the sign-in fails; no
 * session ends because of it.
 */
export interface Callbacks {
  /**
   * May this user sign in? `false` refuses, and a URL redirects them there instead. If `email` is
   * set, a mail to this address is requested: any result but `true` sends none, which the answer
   * does not reveal.
   */
  signIn(params: {
    user: User
    account: Account
    profile?: Profile
    credentials?: Readonly<Partial<Record<string, unknown>>>
    email?: { readonly verificationRequest: true }
    /** Set if a signed-in user adds this as another way to sign in: their `sub`. */
    addedTo?: string
  }): Awaitable<boolean | string>
  /**
   * The page after a sign-in or sign-out. `url` is the requested target; without this callback, it
   * must be on this site or at a trusted origin.
   */
  redirect(params: { url: string; baseUrl: string }): Awaitable<string>
  /**
   * The value of the session that stays on the server. Runs each time a token is signed: at
   * sign-in, update and renewal (every five minutes). Its return value goes to `session`, and is
   * stored, encrypted, at a sign-in, an update and an extension (once in `updateAge`). `null`
   * refuses the sign-in, or ends the session; a throw does neither.
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
   * A user has signed in. `isNewUser`: it is this user's first sign-in, as `trigger: 'signUp'` is
   * for `jwt`.
   */
  signIn(message: {
    user: User
    account: Account
    profile?: Profile
    isNewUser: boolean
  }): Awaitable<void>
  /** A user has signed out: of this session, or of all of their sessions. */
  signOut(message: { session: Session }): Awaitable<void>
  /** A session was renewed by `GET /session`, or changed by `POST /session`. */
  session(message: { session: Session }): Awaitable<void>
  /**
   * A provider no longer refreshes the tokens of a user's connection: the user has to sign in with
   * it again, or to add it again. Called once, until they do.
   */
  signInNeeded(message: { sub: string; provider: string }): Awaitable<void>
  /** A user has added another way to sign in. `user` is the person, whose id stays the same. */
  linkAccount(message: { user: User; account: Account; profile?: Profile }): Awaitable<void>
  /** A user has removed a way to sign in. */
  unlinkAccount(message: { user: User; account: UnlinkedAccount }): Awaitable<void>
  /** A merge that version 0.2 had begun was finished: all ways of `from` belong to `to` now, and `from` no longer exists. */
  merge(message: { from: string; to: string }): Awaitable<void>
  /** The operator has removed a user's second factor (`resetFactors`). */
  resetFactors(message: { sub: string }): Awaitable<void>
  /**
   * A user's password was set for the first time, changed or removed: by the user, or by the operator
   * (`removePassword`).
   */
  password(message: {
    sub: string
    change: 'set' | 'changed' | 'removed'
    by: 'person' | 'operator'
  }): Awaitable<void>
  /** A user has deleted their account: delete their data in your app too. */
  deletePerson(message: { sub: string }): Awaitable<void>
}
