import { isCutOff } from '@latchkey/session/internal'
import type { UserCutoff } from '@latchkey/session/issue'
import {
  type Ledger,
  LOOK_OVERLAP,
  MAX_LISTED,
  MAX_WRONG_CODES,
  REFRESH_LEASE,
  type SessionRecord,
  type SessionStore,
  type Verification,
} from './ports.js'

/**
 * Sessions and ledger in this process's memory: for tests, and for an app that runs in one
 * process and may forget its sessions when it restarts.
 *
 * @example Auth(request, { providers, secret, store: memoryStore() })
 */
export function memoryStore(now: () => number = Date.now): {
  sessions: SessionStore
  ledger: Ledger
} {
  const seconds = () => Math.floor(now() / 1000)
  const records = new Map<string, SessionRecord>()
  const consumed = new Map<string, number>()
  const revoked = new Map<string, { at: number; until: number }>()
  const cutoffs = new Map<string, { cutoff: UserCutoff; at: number; expires: number }>()
  const refreshes = new Map<string, Refresh>()
  const attempts = new Map<string, { count: number; expires: number }>()
  const verifications = new Map<string, Verification & { wrong: number }>()
  const mailed = (key: string) => {
    const found = verifications.get(key)
    return found && found.expires > seconds() ? found : undefined
  }
  const isOver: Over = (sid, owner) => {
    const { cutoff } = (owner && cutoffs.get(owner.sub)) ?? {}
    const isPast = owner && cutoff && isCutOff({ sid, ...owner }, cutoff)
    return revoked.has(sid) || isPast === true
  }
  return {
    sessions: {
      async get(sub, sid) {
        const record = records.get(`${sub}:${sid}`)
        return record && record.expires > seconds() ? record : undefined
      },
      async put(record) {
        sweep(records, (kept) => kept.expires <= seconds())
        const key = `${record.sub}:${record.sid}`
        // A record that is written again moves to the end, where the sweep comes last.
        records.delete(key)
        records.set(key, record)
      },
      async delete(sub, sid) {
        records.delete(`${sub}:${sid}`)
      },
      async list(sub) {
        const own = [...records.values()].filter((record) => record.sub === sub)
        return own.filter(({ expires }) => expires > seconds()).slice(-MAX_LISTED)
      },
    },
    ledger: {
      async consume(name, expires) {
        sweep(consumed, (end) => end <= seconds())
        if (consumed.has(name)) return false
        consumed.set(name, expires)
        return true
      },
      async revoke(sid, until) {
        sweep(revoked, (mark) => mark.until <= seconds())
        const known = revoked.get(sid)?.until ?? 0
        revoked.set(sid, { at: seconds(), until: Math.max(until, known) })
        refreshes.delete(sid)
      },
      isRevoked: async (sid, owner) => isOver(sid, owner),
      async cutOff(cutoff, expires, auth_time = 0) {
        sweep(cutoffs, (kept) => kept.expires <= seconds())
        const { sub, until, except } = cutoff
        if (except !== undefined && isOver(except, { sub, auth_time })) return false
        const known = cutoffs.get(sub)
        const last = Math.max(until, known?.cutoff.until ?? 0)
        cutoffs.delete(sub)
        cutoffs.set(sub, {
          cutoff: { ...cutoff, until: last },
          at: seconds(),
          expires: Math.max(expires, known?.expires ?? 0),
        })
        return true
      },
      async revokedSince(since) {
        return {
          sessions: [...revoked].flatMap(([sid, { at }]) => (at >= since ? { sid, at } : [])),
          users: [...cutoffs.values()].flatMap(({ at, cutoff }) => (at >= since ? cutoff : [])),
          next: seconds() - LOOK_OVERLAP,
          hasMore: false,
        }
      },
      async refreshedTokens(sid) {
        const { version = 0, sealed, expires = 0 } = refreshes.get(sid) ?? {}
        return sealed === undefined || expires <= seconds() ? undefined : { version, sealed }
      },
      async claimRefresh(sid, version, expires) {
        sweep(refreshes, (refresh) => refresh.expires <= seconds())
        if (revoked.has(sid)) return { state: 'over' }
        const found = refreshes.get(sid)
        const known = found && found.expires > seconds() ? found : undefined
        if (known && known.version > version) {
          const { version: newer, sealed } = known
          return sealed === undefined
            ? { state: 'taken' }
            : { state: 'newer', version: newer, sealed }
        }
        const isSame = known?.version === version
        if (isSame && known.leasedUntil > seconds()) return { state: 'taken' }
        const sealed = isSame ? known.sealed : undefined
        refreshes.set(sid, { version, sealed, leasedUntil: seconds() + REFRESH_LEASE, expires })
        return { state: 'yours' }
      },
      async settleRefresh(sid, version, sealed) {
        const refresh = refreshes.get(sid)
        if (refresh?.version !== version) return
        const fresh = sealed === undefined ? {} : { version: version + 1, sealed }
        refreshes.set(sid, { ...refresh, ...fresh, leasedUntil: 0 })
      },
      async admit(key, limits) {
        sweep(attempts, ({ expires }) => expires <= seconds())
        const known = limits.map(({ name, max, period }) => {
          const id = `${key} ${name}`
          const found = attempts.get(id)
          const isOpen = found !== undefined && found.expires > seconds()
          const { count, expires } = isOpen ? found : { count: 0, expires: seconds() + period }
          return { id, max, count, expires }
        })
        const waits = known.map(({ count, max, expires }) =>
          count >= max ? expires - seconds() : 0,
        )
        const wait = Math.max(0, ...waits)
        if (wait > 0) return wait
        for (const { id, count, expires } of known) attempts.set(id, { count: count + 1, expires })
        return 0
      },
      async forgive(key, limits) {
        for (const name of limits) attempts.delete(`${key} ${name}`)
      },
      async startVerification(key, verification) {
        sweep(verifications, ({ expires }) => expires <= seconds())
        verifications.delete(key)
        verifications.set(key, { ...verification, wrong: 0 })
      },
      async findVerification(key, link) {
        const found = mailed(key)
        return found?.link === link ? found.sealed : undefined
      },
      async redeemVerification(key, proof) {
        const found = mailed(key)
        if (!found) return { state: 'over' }
        if ('link' in proof && proof.link !== found.link) return { state: 'over' }
        if ('code' in proof && found.wrong >= MAX_WRONG_CODES) return { state: 'spent' }
        if ('code' in proof && proof.code !== found.code) {
          const wrong = found.wrong + 1
          verifications.set(key, { ...found, wrong })
          return { state: wrong < MAX_WRONG_CODES ? 'wrong' : 'spent' }
        }
        verifications.delete(key)
        return { state: 'redeemed', sealed: found.sealed }
      },
      async withdrawVerification(key, link) {
        const isMeant = link === undefined || verifications.get(key)?.link === link
        if (isMeant) verifications.delete(key)
      },
    },
  }
}

type Over = (...session: Parameters<Ledger['isRevoked']>) => boolean

interface Refresh {
  readonly version: number
  readonly sealed: string | undefined
  /** Seconds since the epoch, as is `expires`. */
  readonly leasedUntil: number
  readonly expires: number
}

/** Drops what is over from the front of an insertion-ordered map: a little work on every write. */
function sweep<Value>(map: Map<string, Value>, isOver: (value: Value) => boolean): void {
  let looked = 0
  for (const [key, value] of map) {
    if (isOver(value)) map.delete(key)
    if (++looked === 8) return
  }
}
