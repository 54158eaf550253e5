import { mapRows } from './ledger/map-rows.js'
import { ledgerOver } from './ledger/rules.js'
import { type Room, SweptMap } from './ledger/swept-map.js'
import { MAX_LISTED, type SessionRecord, type Stores } from './ports.js'

/** Without room, the session goes that was not extended for longest: its person signs in again. */
const ROOM: Room<SessionRecord> = { most: 100_000, forgets: 'oldest' }

/**
 * Sessions and ledger in this process's memory: for tests, and for an app that runs in one process
 * and may lose its sessions when it restarts. It is bounded, 100,000 sessions for one
 * (docs/storage.md has the figures).
 *
 * @param now milliseconds since the epoch
 * @example Auth(request, { providers, secret, store: memoryStore() })
 */
export function memoryStore(now: () => number = Date.now): Stores {
  const seconds = () => Math.floor(now() / 1000)
  const records = new SweptMap<SessionRecord>(seconds, ROOM)
  return {
    sessions: {
      async get(sub, sid) {
        records.tidy()
        const record = records.get(`${sub}:${sid}`)
        return record && record.expires > seconds() ? record : undefined
      },
      async put(record) {
        const key = `${record.sub}:${record.sid}`
        records.tidy()
        // It moves to the end, since the last ones are listed.
        records.set(key, record)
      },
      async delete(sub, sid) {
        records.delete(`${sub}:${sid}`)
      },
      async list(sub) {
        const own = [...records.values()].filter((record) => record.sub === sub)
        return own.filter(({ expires }) => expires > seconds()).slice(-MAX_LISTED)
      },
      async deleteAll(sub) {
        for (const [key, record] of records) if (record.sub === sub) records.delete(key)
      },
    },
    ledger: ledgerOver(mapRows(seconds), now),
  }
}
