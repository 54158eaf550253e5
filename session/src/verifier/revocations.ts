import { isRecord } from '../lib/is-record.js'
import { beganAt, CLOCK_SKEW, type SessionBeginning, type SessionClaims } from '../token/claims.js'
import type { SigningKey, VerifyKeys } from '../token/keys.js'
import { readSigned, type SignatureFault, signJson } from '../token/signed.js'

/** The `typ` of a revocation feed: no session token has it, and the other way round. */
const REVOCATIONS_TYP = 'revocations+jwt'

/**
 * The `typ` of an answer about some sessions only: a reader that takes any feed for the whole one,
 * as version 0.1 does, must refuse this answer (RFC 8725, 3.11).
 */
const OWN_TYP = 'revocations-of+jwt'

/** A session or person is asked about by the first characters of its `sid` or `pid`: 48 bits. */
export const FEED_NAME_LENGTH = 8

/** The most names of one question, so that its URL stays below four kilobytes. */
export const MAX_FEED_NAMES = 480

/** Longer feeds are refused before anything is decoded. In characters. */
const MAX_FEED_LENGTH = 4 * 1024 * 1024

/** Ends every session of a user that began by a time, except one. Times are seconds. */
export interface UserCutoff {
  readonly sub: string
  /** Sessions that began then or earlier are over. */
  readonly until: number
  /** The session that stays: the one that ended the others. */
  readonly except?: string
}

/** A session that has ended, and when. Seconds. */
export interface EndedSession {
  readonly sid: string
  readonly at: number
}

/** A {@link UserCutoff} for readers that must not learn the user's id: see `pid` in the claims. */
export interface NamelessCutoff extends Omit<UserCutoff, 'sub'> {
  readonly pid: string
}

/**
 * The tokens of a user, or of a session, that were issued by a time: they are to be renewed, and their sessions go on.
 * The feed has no `sub`. Times are seconds.
 */
export type StaleClaims = { readonly until: number } & (
  | { readonly pid: string }
  | { readonly sid: string }
  | { readonly sub: string }
)

/** Recent endings: those to which a token that has not ended could belong. */
export interface Revocations {
  readonly sessions: readonly EndedSession[]
  readonly users: readonly UserCutoff[]
}

/** The feed as it is signed. Times are seconds since the epoch. */
export interface RevocationFeed {
  readonly iss: string
  /** Handles of sessions. */
  readonly sids: readonly string[]
  /**
   * Cut-offs by `sub`, in feeds of version 0.1. Empty since then, because a reader would learn the
   * user's id.
   */
  readonly users: readonly UserCutoff[]
  /** Cut-offs by `pid`, one for each secret under which a token may name the user. Absent in 0.1. */
  readonly cutoffs?: readonly NamelessCutoff[]
  /** Tokens to be renewed: those with an `iat` that is not after `until`. Absent in versions before: none. */
  readonly stale?: readonly StaleClaims[]
  /** The feed is complete from this time up to `next`. */
  readonly since: number
  /** The `since` of the next request, if there is no `more`. */
  readonly next: number
  /**
   * While some endings are out of reach: up to when the others are known. Then `next` stands still, and is
   * no sign of an old feed.
   */
  readonly heard?: number
  /** The next page has the endings from this time on. It is the `since` of that page. */
  readonly more?: number
  /** How many names may be asked about at once, if that is shorter than the pages. */
  readonly names?: number
  /** The names of the question: the feed does not cover others. Absent: it is the whole feed. */
  readonly of?: string
  /**
   * How long an entry matters: so long does a token count at most, whatever end it names. Seconds.
   */
  readonly window: number
}

/** Signs a feed, so that an attacker between the service and an app cannot hide an entry. */
export async function signRevocationFeed(feed: RevocationFeed, key: SigningKey): Promise<string> {
  return signJson(feed, typOf(feed.of), key)
}

/**
 * A feed that one of the keys has signed, or the reason for a refusal.
 *
 * @param of the sessions of the question; without it only a whole feed is accepted
 */
export async function readRevocationFeed(
  text: string,
  keys: VerifyKeys,
  of?: string,
): Promise<RevocationFeed | SignatureFault> {
  const maxLength = MAX_FEED_LENGTH
  const content = await readSigned(text, { typ: typOf(of), keys, maxLength })
  if (typeof content === 'string') return content
  if (!isRecord(content) || content.of !== of) return 'claims'
  const { iss, since, next, heard = 0, more = 0, names = 0, window } = content
  const { sids, users, cutoffs = [], stale = [] } = content
  const counts = [since, next, heard, more, names, window]
  if (typeof iss !== 'string' || !counts.every(isCount)) return 'claims'
  if (!Array.isArray(sids) || !sids.every((sid) => typeof sid === 'string')) return 'claims'
  if (!Array.isArray(users) || !users.every((one) => isCutoff(one, 'sub'))) return 'claims'
  if (!Array.isArray(cutoffs) || !cutoffs.every((one) => isCutoff(one, 'pid'))) return 'claims'
  if (!Array.isArray(stale) || !stale.every(isStaleClaims)) return 'claims'
  return content as unknown as RevocationFeed
}

function typOf(of: string | undefined): string {
  return of === undefined ? REVOCATIONS_TYP : OWN_TYP
}

function isCutoff(value: unknown, name: 'sub' | 'pid'): boolean {
  if (!isRecord(value)) return false
  const { until, except } = value
  return (
    typeof value[name] === 'string' &&
    isCount(until) &&
    (except === undefined || typeof except === 'string')
  )
}

/** It names a user or a session, and not both. */
function isStaleClaims(value: unknown): boolean {
  if (!isRecord(value) || !isCount(value.until)) return false
  const names = [value.pid, value.sid].filter((name) => name !== undefined)
  return names.length === 1 && typeof names[0] === 'string'
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/**
 * The recent endings that one reader knows. An entry is dropped when every token that it concerns
 * has ended, so the list holds the endings of a few minutes. No added entry, in whatever order and
 * with whatever window, makes an ended session good again.
 */
export class RevocationList {
  readonly #now: () => number
  /** When each session ended, in seconds; the entry added first comes first. */
  readonly #sids = new Map<string, number>()
  /** By `sub`. */
  readonly #users = new Cutoffs()
  /** By `pid`. */
  readonly #nameless = new Cutoffs()
  /** By `sub`, `pid` or `sid`: up to when tokens are stale. */
  readonly #stale = { sub: new Cutoffs(), pid: new Cutoffs(), sid: new Cutoffs() }
  /**
   * The longest that was named: a shorter one does not cover the entries that are there. Seconds.
   */
  #window = 0

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  /** @param window for how long the entries matter, in seconds */
  add(
    {
      sessions = [],
      users = [],
      cutoffs = [],
      stale = [],
    }: Partial<Revocations> & Pick<RevocationFeed, 'cutoffs' | 'stale'>,
    window: number,
  ): void {
    this.#window = Math.max(this.#window, window)
    this.#forget(this.#now() / 1000 - this.#window - CLOCK_SKEW)
    for (const { sid, at } of sessions) {
      const time = this.#sids.get(sid)
      if (time !== undefined && time >= at) continue
      this.#sids.delete(sid)
      this.#sids.set(sid, at)
    }
    for (const { sub, ...cutoff } of users) this.#users.add(sub, cutoff)
    for (const { pid, ...cutoff } of cutoffs) this.#nameless.add(pid, cutoff)
    for (const one of stale) {
      const { until } = one
      if ('pid' in one) this.#stale.pid.add(one.pid, { until })
      else if ('sid' in one) this.#stale.sid.add(one.sid, { until })
      else this.#stale.sub.add(one.sub, { until })
    }
  }

  /** Is this session over? */
  has(claims: Pick<SessionClaims, 'sid' | 'sub' | 'pid'> & SessionBeginning): boolean {
    const { sid, sub, pid } = claims
    if (this.#sids.size > 0 && this.#sids.has(sid)) return true
    if (this.#users.end(sub, claims)) return true
    return pid !== undefined && this.#nameless.end(pid, claims)
  }

  /** Is this token to be renewed, since it was issued before its user's or its session's claims were refreshed? */
  isStale({ sub, pid = '', sid, iat }: IssuedToken): boolean {
    const stale = this.#stale
    if (stale.sub.size + stale.pid.size + stale.sid.size === 0) return false
    const issued = { sid, auth_time: iat }
    return stale.sid.end(sid, issued) || stale.pid.end(pid, issued) || stale.sub.end(sub, issued)
  }

  /**
   * Does it take the ledger to say whether the session goes on? The token says no `pid`, and a cut-off
   * might be its user's. One that was signed after the cut-off was signed with the ledger's leave.
   */
  isInDoubt(claims: SessionClaims): boolean {
    const { pid, iat } = claims
    const { latest } = this.#nameless
    return pid === undefined && beganAt(claims) <= latest && iat <= latest + CLOCK_SKEW
  }

  get entries(): number {
    const stale = Object.values(this.#stale).map(({ size }) => size)
    return [this.#sids.size, this.#users.size, this.#nameless.size, ...stale].reduce(
      (sum, size) => sum + size,
    )
  }

  #forget(before: number): void {
    for (const [sid, at] of this.#sids) {
      if (at >= before) break
      this.#sids.delete(sid)
    }
    this.#users.forget(before)
    this.#nameless.forget(before)
    for (const stale of Object.values(this.#stale)) stale.forget(before)
  }
}

/** A token, by the names that a refresh of claims may have for it. */
type IssuedToken = Pick<SessionClaims, 'sub' | 'pid' | 'sid' | 'iat'>

type Cutoff = Omit<UserCutoff, 'sub'>

/** The last cut-off of each user. */
class Cutoffs {
  readonly #cutoffs = new Map<string, Cutoff>()
  /** The latest `until` of all. */
  latest = Number.NEGATIVE_INFINITY

  get size(): number {
    return this.#cutoffs.size
  }

  add(user: string, { until, except }: Cutoff): void {
    const cutoff = this.#cutoffs.get(user)
    if (cutoff && cutoff.until > until) return
    // Each of two cut-offs in one second ends the session that the other one spares.
    const isSpared = except !== undefined && !(cutoff?.until === until && cutoff.except !== except)
    this.#cutoffs.delete(user)
    this.#cutoffs.set(user, { until, ...(isSpared ? { except } : {}) })
    this.latest = Math.max(this.latest, until)
  }

  end(user: string, claims: Pick<SessionClaims, 'sid'> & SessionBeginning): boolean {
    if (this.#cutoffs.size === 0) return false
    const cutoff = this.#cutoffs.get(user)
    return cutoff !== undefined && isCutOff(claims, cutoff)
  }

  forget(before: number): void {
    for (const [user, { until }] of this.#cutoffs) {
      if (until >= before) break
      this.#cutoffs.delete(user)
    }
  }
}

/** Does a cutoff end this session of its user? */
export function isCutOff(
  claims: Pick<SessionClaims, 'sid'> & SessionBeginning,
  { until, except }: Cutoff,
): boolean {
  return beganAt(claims) <= until && claims.sid !== except
}
