import { isRecord } from '../internal/is-record.js'
import { CLOCK_SKEW, type SessionClaims } from '../token/claims.js'
import type { SigningKey, VerifyKeys } from '../token/keys.js'
import { readSigned, type SignatureFault, signJson } from '../token/signed.js'

/** The `typ` of a revocation feed: no session token has it, and the other way round. */
const REVOCATIONS_TYP = 'revocations+jwt'

/** Longer feeds are refused before anything is decoded. In characters. */
const MAX_FEED_LENGTH = 4 * 1024 * 1024

/** Ends every session of a user that began by a time, except one. Times are seconds. */
export interface UserCutoff {
  readonly sub: string
  /** Sessions whose `auth_time` is not later are over. */
  readonly until: number
  /** The session that stays: the one that ended the others. */
  readonly except?: string
}

/** A session that has ended, and when. Seconds. */
export interface EndedSession {
  readonly sid: string
  readonly at: number
}

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
  readonly users: readonly UserCutoff[]
  /** The feed is complete from this time up to `next`. */
  readonly since: number
  /** The `since` of the next request. */
  readonly next: number
  /**
   * How long an entry matters: so long does a token count at most, whatever end it names. Seconds.
   */
  readonly window: number
}

/** Signs a feed, so that an attacker between the service and an app cannot hide an entry. */
export async function signRevocationFeed(feed: RevocationFeed, key: SigningKey): Promise<string> {
  return signJson(feed, REVOCATIONS_TYP, key)
}

/** A feed that one of the keys has signed, or the reason for a refusal. */
export async function readRevocationFeed(
  text: string,
  keys: VerifyKeys,
): Promise<RevocationFeed | SignatureFault> {
  const maxLength = MAX_FEED_LENGTH
  const content = await readSigned(text, { typ: REVOCATIONS_TYP, keys, maxLength })
  if (typeof content === 'string') return content
  if (!isRecord(content)) return 'claims'
  const { iss, since, next, window, sids, users } = content
  if (typeof iss !== 'string' || ![since, next, window].every(isSeconds)) return 'claims'
  if (!Array.isArray(sids) || !sids.every((sid) => typeof sid === 'string')) return 'claims'
  if (!Array.isArray(users) || !users.every(isCutoff)) return 'claims'
  return content as unknown as RevocationFeed
}

function isCutoff(value: unknown): value is UserCutoff {
  if (!isRecord(value)) return false
  const { sub, until, except } = value
  return (
    typeof sub === 'string' &&
    isSeconds(until) &&
    (except === undefined || typeof except === 'string')
  )
}

function isSeconds(value: unknown): value is number {
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
  readonly #users = new Map<string, UserCutoff>()
  /** The longest that was named: a shorter one says nothing of the entries that are there. Seconds. */
  #window = 0

  /** @param now milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now
  }

  /** @param window for how long the entries matter, in seconds */
  add({ sessions, users }: Revocations, window: number): void {
    this.#window = Math.max(this.#window, window)
    this.#forget(this.#now() / 1000 - this.#window - CLOCK_SKEW)
    for (const { sid, at } of sessions) {
      const known = this.#sids.get(sid)
      if (known !== undefined && known >= at) continue
      this.#sids.delete(sid)
      this.#sids.set(sid, at)
    }
    for (const { sub, until, except } of users) {
      const known = this.#users.get(sub)
      if (known && known.until > until) continue
      // Of two cutoffs in one second each ends the session that the other one spares.
      const isSpared = except !== undefined && !(known?.until === until && known.except !== except)
      this.#users.delete(sub)
      this.#users.set(sub, { sub, until, ...(isSpared ? { except } : {}) })
    }
  }

  /** Is this session over? */
  has({ sid, sub, auth_time }: Pick<SessionClaims, 'sid' | 'sub' | 'auth_time'>): boolean {
    if (this.#sids.size > 0 && this.#sids.has(sid)) return true
    if (this.#users.size === 0) return false
    const cutoff = this.#users.get(sub)
    return cutoff !== undefined && isCutOff({ sid, auth_time }, cutoff)
  }

  /** The endings at a time or later. @param time seconds since the epoch */
  since(time: number): Pick<RevocationFeed, 'sids' | 'users'> {
    const sids = [...this.#sids].flatMap(([sid, at]) => (at >= time ? sid : []))
    return { sids, users: [...this.#users.values()].filter(({ until }) => until >= time) }
  }

  get entries(): number {
    return this.#sids.size + this.#users.size
  }

  #forget(before: number): void {
    for (const [sid, at] of this.#sids) {
      if (at >= before) break
      this.#sids.delete(sid)
    }
    for (const [sub, { until }] of this.#users) {
      if (until >= before) break
      this.#users.delete(sub)
    }
  }
}

/** Does a cutoff end this session of its user? */
export function isCutOff(
  { sid, auth_time }: Pick<SessionClaims, 'sid' | 'auth_time'>,
  { until, except }: Omit<UserCutoff, 'sub'>,
): boolean {
  return auth_time <= until && sid !== except
}
