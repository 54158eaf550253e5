import { type Ledger, REFRESH_LEASE, type SessionRecord, type SessionStore } from './ports.js'

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
  const refreshes = new Map<string, Refresh>()
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
        revoked.set(sid, { at: seconds(), until })
        refreshes.delete(sid)
      },
      async isRevoked(sid) {
        return revoked.has(sid)
      },
      async revokedSince(since) {
        return [...revoked].flatMap(([sid, { at }]) => (at >= since ? sid : []))
      },
      async refreshedTokens(sid) {
        return refreshes.get(sid)?.sealed
      },
      async claimRefresh(sid, version, expires) {
        sweep(refreshes, (refresh) => refresh.expires <= seconds())
        if (revoked.has(sid)) return { state: 'over' }
        const { version: kept = version, sealed, leasedUntil = 0 } = refreshes.get(sid) ?? {}
        if (kept > version && sealed !== undefined) return { state: 'newer', sealed }
        if (leasedUntil > seconds()) return { state: 'taken' }
        refreshes.set(sid, { version, sealed, leasedUntil: seconds() + REFRESH_LEASE, expires })
        return { state: 'yours' }
      },
      async settleRefresh(sid, version, sealed) {
        const refresh = refreshes.get(sid)
        if (refresh?.version !== version) return
        const fresh = sealed === undefined ? {} : { version: version + 1, sealed }
        refreshes.set(sid, { ...refresh, ...fresh, leasedUntil: 0 })
      },
    },
  }
}

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
