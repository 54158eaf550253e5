import type { SessionClaims } from '@latchkey/session'
import type { Revocations, UserCutoff } from '@latchkey/session/issue'

/** A session as it is kept. Nothing in it works as a credential. Times are seconds. */
export interface SessionRecord {
  readonly sub: string
  readonly sid: string
  /** Id of the provider that was used. */
  readonly provider: string
  readonly created: number
  /** When the session was last extended. */
  readonly updated: number
  /** When the session ends. Kept in the value too, since a store may expire late. */
  readonly expires: number
  /** What the `jwt` callback returned, encrypted. */
  readonly sealed: string
}

/**
 * Where session records live. May be eventually consistent: nothing is decided on its word alone.
 * Every method rejects when the store fails; `get` resolves to `undefined` only for "no record".
 */
export interface SessionStore {
  get(sub: string, sid: string): Promise<SessionRecord | undefined>
  put(record: SessionRecord): Promise<void>
  delete(sub: string, sid: string): Promise<void>
  /** A user's sessions, a hundred at most. One that began just now may be missing. */
  list(sub: string): Promise<readonly SessionRecord[]>
}

/** Both kinds of store, as `store` of the configuration takes them. */
export interface Stores {
  readonly sessions: SessionStore
  readonly ledger: Ledger
}

/** Whose session it is, and since when, in seconds. */
export type SessionOwner = Pick<SessionClaims, 'sub' | 'auth_time'>

/**
 * The strongly consistent part: what happens exactly once, and what is over for good.
 *
 * The methods are also what isolates call of the Durable Object, and those of the version before
 * call a new object while a deployment goes on, as new ones call an old object: names, parameters
 * and answers stay as they are; what is new is a method of its own, or a last parameter that may be
 * left out.
 */
export interface Ledger {
  /**
   * Uses up a one-time thing. `true` for exactly one caller, whatever the parallelism.
   * @param expires seconds since the epoch; afterwards the name may be forgotten
   */
  consume(name: string, expires: number): Promise<boolean>
  /** @param until the session's own end, seconds since the epoch */
  revoke(sid: string, until: number): Promise<void>
  /** @param owner whose session it is, so that the end of all of theirs counts too */
  isRevoked(sid: string, owner?: SessionOwner): Promise<boolean>
  /**
   * Ends all sessions of a user that began by a time, but for one.
   * @param expires seconds since the epoch; afterwards it may be forgotten
   * @param began when the session began that goes on
   * @returns `false`: nothing was done, since that session is over itself
   */
  cutOff(cutoff: UserCutoff, expires: number, began?: number): Promise<boolean>
  /** What was revoked at or after a time. @param since seconds, by the ledger's clock */
  revokedSince(since: number): Promise<RevokedLately>
  /** A session's refreshed provider tokens. `undefined`: those of its record are the newest. */
  refreshedTokens(sid: string): Promise<RefreshedTokens | undefined>
  /**
   * Asks to refresh a session's provider tokens: one caller at a time may.
   * @param version how often the tokens that the caller has were refreshed
   * @param expires seconds since the epoch; afterwards all of it may be forgotten
   */
  claimRefresh(sid: string, version: number, expires: number): Promise<RefreshClaim>
  /**
   * Ends a refresh that was claimed. Nothing happens when the session was revoked meanwhile.
   * @param version the one that was claimed; the tokens have the next one
   * @param sealed `undefined` when there are no new tokens: somebody else may try
   */
  settleRefresh(sid: string, version: number, sealed: string | undefined): Promise<void>
  /**
   * Counts an attempt, unless one of the limits is reached: then nothing is counted.
   * @param key whose attempts these are; those of one key are kept in one place
   * @returns seconds to wait; 0: go ahead
   */
  admit(key: string, limits: readonly AttemptLimit[]): Promise<number>
  /** Forgets the attempts that were counted for a key under these limits. */
  forgive(key: string, limits: readonly string[]): Promise<void>
  /** Keeps what was mailed to an address. What was mailed to it before is over. */
  startVerification(key: string, mailed: MailedProof): Promise<void>
  /** What a link stands for, sealed. Changes nothing. */
  findVerification(key: string, link: string): Promise<string | undefined>
  /** Uses up what was mailed: for exactly one caller, whatever the parallelism. */
  redeemVerification(key: string, proof: ShownProof): Promise<Redemption>
  /** Forgets what was mailed; or what could not be, unless something else was mailed meanwhile. */
  withdrawVerification(key: string, link?: string): Promise<void>
}

/** So many attempts in so much time, from the first one on. */
export interface AttemptLimit {
  readonly name: string
  readonly max: number
  /** Seconds. */
  readonly period: number
}

/** What was mailed to an address: hashes only, so that nobody who reads them can sign in. */
export interface MailedProof {
  readonly link: string
  readonly code: string
  /** What the one who redeems it is given. */
  readonly sealed: string
  /** Seconds since the epoch. */
  readonly expires: number
}

/** What is shown of what was mailed: the hash of a link's secret, or of a code. */
export type ShownProof = { readonly link: string } | { readonly code: string }

/** `spent`: too many wrong codes, this one among them; only the link works. `over`: ended, used, or never there. */
export type Redemption =
  | { readonly state: 'redeemed'; readonly sealed: string }
  | { readonly state: 'wrong' | 'spent' | 'over' }

/** What was revoked, as much as one answer holds. */
export interface RevokedLately extends Revocations {
  /** What to ask from next time, by the ledger's clock: up to there this is all. Seconds. */
  readonly next: number
  /** There is more already. */
  readonly hasMore: boolean
}

/** Provider tokens, sealed, and how often they were refreshed. */
export interface RefreshedTokens {
  readonly version: number
  readonly sealed: string
}

/** May this caller refresh? `newer`: no need to, here are the tokens; `over`: the session is. */
export type RefreshClaim =
  | { readonly state: 'yours' | 'taken' | 'over' }
  | ({ readonly state: 'newer' } & RefreshedTokens)

/** More of a user's sessions are not listed. */
export const MAX_LISTED = 100

/** Wrong codes for what was mailed once; then only the link works. */
export const MAX_WRONG_CODES = 5
