import {
  deriveBytes,
  FEED_NAME_LENGTH,
  type NamelessCutoff,
  type StaleClaims,
  type UserCutoff,
} from '@latchkey/session/issue'
import { encodeBase64Url } from './base64url.js'

/**
 * The bytes of a digest. If two people had the same digest, apps would end the sessions of both
 * together. With 72 bits an attacker who signs up for that would need millions of years.
 */
const LENGTH = 9

/** Names of users for the feed of endings, which only a holder of the secret can make of a `sub`. */
export interface Pseudonyms {
  /** How many there are of each user. */
  readonly count: number
  /** The `pid` of a token that is signed now. */
  of(sub: string): Promise<string>
  /** Every `pid` that a token of a user may have. */
  all(sub: string): Promise<readonly string[]>
  /** A cut-off under every `pid` that a token of its user may have. */
  nameless(cutoff: UserCutoff): Promise<readonly NamelessCutoff[]>
  /** Tokens to be renewed: of a session, or of a user under every `pid`. */
  stale(claims: Refreshed): Promise<readonly StaleClaims[]>
  /**
   * The cut-offs of users with a name that begins like one of these, and the latest of all: a token
   * without a name might belong to any of them.
   *
   * @param cutoffs the same array for as long as they are the same
   */
  among(
    names: readonly string[],
    cutoffs: readonly UserCutoff[],
  ): Promise<readonly NamelessCutoff[]>
}

/** A refresh of the claims of a user, or of a session. */
type Refreshed = { readonly sub?: string; readonly sid?: string; readonly until: number }

/** @param secrets the first one signs; tokens of the others are still about */
export async function createPseudonyms(secrets: readonly string[]): Promise<Pseudonyms> {
  const keys = await Promise.all(secrets.map(keyOf))
  const [newest] = keys as [CryptoKey, ...CryptoKey[]]
  // As many as the feed has cut-offs, and as long.
  const known = new WeakMap<UserCutoff, readonly NamelessCutoff[]>()
  const knownStale = new WeakMap<Refreshed, readonly StaleClaims[]>()
  // By the beginnings of the names: made once for each look at the ledger.
  const indexes = new WeakMap<readonly UserCutoff[], Promise<CutoffIndex>>()
  const all = (sub: string) => Promise.all(keys.map((key) => pidOf(sub, key)))
  /** @param sub or what took its place when its user was erased */
  const namesOf = async (sub: string) => {
    const erased = erasedPid(sub)
    return erased === undefined ? all(sub) : [erased]
  }
  const nameless = async (cutoff: UserCutoff) => {
    const made = known.get(cutoff)
    if (made) return made
    const { sub, until, except } = cutoff
    const pids = await namesOf(sub)
    // Without other members that a store may add: the feed is public.
    const spared = except === undefined ? {} : { except }
    const named = pids.map((pid) => ({ pid, until, ...spared }))
    known.set(cutoff, named)
    return named
  }
  return {
    count: keys.length,
    of: (sub) => pidOf(sub, newest),
    all,
    nameless,
    async stale(claims) {
      const made = knownStale.get(claims)
      if (made) return made
      const { sub = '', sid, until } = claims
      const named =
        sid === undefined ? (await namesOf(sub)).map((pid) => ({ pid, until })) : [{ sid, until }]
      knownStale.set(claims, named)
      return named
    },
    async among(names, cutoffs) {
      const making = indexes.get(cutoffs) ?? Promise.all(cutoffs.map(nameless)).then(indexOf)
      indexes.set(cutoffs, making)
      const { byName, latest } = await making
      const rest = new Set(latest)
      for (const name of names) {
        for (const cutoff of byName.get(name) ?? []) rest.add(cutoff)
      }
      return [...rest]
    },
  }
}

interface CutoffIndex {
  readonly byName: ReadonlyMap<string, readonly NamelessCutoff[]>
  readonly latest: readonly NamelessCutoff[]
}

/** @param cutoffs each under all its names */
function indexOf(cutoffs: readonly (readonly NamelessCutoff[])[]): CutoffIndex {
  const byName = new Map<string, readonly NamelessCutoff[]>()
  let latest: readonly NamelessCutoff[] = []
  for (const cutoff of cutoffs.flat()) {
    const name = cutoff.pid.slice(0, FEED_NAME_LENGTH)
    // For a user who signs out everywhere several times, the last cut-off stays, or all those of
    // the last second.
    const others = (byName.get(name) ?? []).filter(
      ({ pid, until }) => pid !== cutoff.pid || until >= cutoff.until,
    )
    const isPast = others.some(({ pid, until }) => pid === cutoff.pid && until > cutoff.until)
    byName.set(name, isPast ? others : [...others, cutoff])
    if (cutoff.until >= (latest[0]?.until ?? 0)) latest = [cutoff]
  }
  return { byName, latest }
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = await deriveBytes(secret, 'latchkey/pid/hmac-sha256/v1', 32)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

async function pidOf(sub: string, key: CryptoKey): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(sub))
  return encodeBase64Url(new Uint8Array(mac, 0, LENGTH))
}

/** No `sub` has a control character. */
const MARK = '\u0001'

/**
 * Replaces the `sub` in the cut-off of an erased person: a name that only a holder of the secret
 * can make from their `sub`.
 *
 * @param pid their name in tokens
 */
export function erasedName(pid: string): string {
  return MARK + pid
}

/** The name that an erased person had in tokens; `undefined` for a `sub`. */
export function erasedPid(name: string): string | undefined {
  return name.startsWith(MARK) ? name.slice(MARK.length) : undefined
}
