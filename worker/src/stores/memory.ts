import { mapRows } from './ledger/map-rows.js'
import { ledgerOver } from './ledger/rules.js'
import { SweptMap } from './ledger/swept-map.js'
import { MAX_LISTED, type SessionRecord, type Stores } from './ports.js'

/**
 * Sessions and ledger in this process's memory: for tests, and for an app that runs in one process
 * and may lose its sessions when it restarts.
 *
 * @param now milliseconds since the epoch
 * @example Auth(request, { providers, secret, store: memoryStore() })
 */
export function memoryStore(now: () => number = Date.now): Stores {
  const seconds = () => Math.floor(now() / 1000)
  const records = new SweptMap<SessionRecord>(seconds)
  return {
    sessions: {
      async get(sub, sid) {
        const record = records.get(`${sub}:${sid}`)
        return record && record.expires > seconds() ? record : undefined
      },
      async put(record) {
        const key = `${record.sub}:${record.sid}`
        // A record that is written again moves to the end, since the last ones are listed.
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
    ledger: ledgerOver(mapRows(seconds), now),
  }
}
