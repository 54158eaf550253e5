import type { Rows, Table, Tables } from './ledger/rows.js'
import { type Room, SweptMap } from './ledger/swept-map.js'
import { MAX_PEOPLE, type OwnStore, partOf, peoplePart, type SessionRecord } from './ports.js'
import { storedOver } from './stored.js'
import { transactedLedger } from './transacted-ledger.js'

type Row = Tables[Table]

/**
 * The most rows of each table. A stranger can have attempts counted and mails sent, so these make
 * room: the attempts of the lowest counts, since a count that is near its limit is what holds off a
 * guesser, and the oldest mails. Endings, used names and rows without an end are never forgotten:
 * without room the next write fails, and its request gets 503.
 */
const ROOM: { readonly [Name in Table]?: Room<Tables[Name]> } = {
  attempts: { most: 100_000, forgets: ({ count }) => count },
  verifications: { most: 20_000, forgets: 'oldest' },
  consumed: { most: 200_000 },
  revoked: { most: 500_000 },
  cutoffs: { most: 100_000 },
  stale: { most: 10_000 },
  refreshes: { most: 50_000 },
  documents: { most: 100_000 },
}

/** The ledger's rows in this process's memory. @param now seconds since the epoch */
export function mapRows(now: () => number): Rows {
  const tables = new Map<Table, SweptMap<Row>>()
  const open = <Name extends Table>(name: Name) => {
    for (const table of tables.values()) table.tidy()
    const existing = tables.get(name)
    const table = existing ?? new SweptMap<Row>(now, ROOM[name] as Room<Row> | undefined)
    if (!existing) tables.set(name, table)
    return table as unknown as SweptMap<Tables[Name]>
  }
  return {
    get: (table, key) => open(table).get(key),
    put: (table, key, row) => void open(table).set(key, row),
    change(table, key, columns) {
      const row = open(table).get(key)
      if (row) open(table).set(key, { ...row, ...columns })
    },
    delete: (table, key) => void open(table).delete(key),
    keys: (table, beginning) => [...open(table).keys()].filter((key) => key.startsWith(beginning)),
    entries: (table, beginning, limit) =>
      [...open(table)]
        .filter(([key]) => key.startsWith(beginning))
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .slice(0, limit),
    since(table, at, limit) {
      const rows = [...open(table)].filter(([, row]) => row.at >= at)
      return rows.sort(([, one], [, other]) => one.at - other.at).slice(0, limit)
    },
  }
}

/** Without room, the session goes that was not extended for longest: its person signs in again. */
const ROOM_OF_SESSIONS: Room<SessionRecord> = { most: 100_000, forgets: 'oldest' }

/**
 * Sessions and the ledger's rows in this process's memory: for tests, and for an app that runs in one process
 * and may lose its sessions when it restarts. It is bounded, 100,000 sessions for one
 * (docs/storage.md has the figures).
 *
 * @param now milliseconds since the epoch
 * @example Auth(request, { providers, secret, store: memoryStore() })
 */
export function memoryStore(now: () => number = Date.now): OwnStore {
  const seconds = () => Math.floor(now() / 1000)
  const records = new SweptMap<SessionRecord>(seconds, ROOM_OF_SESSIONS)
  const rows = storedOver(mapRows(seconds), now, async (_isWrite, step) => step())
  return {
    rows,
    ledger: transactedLedger(rows),
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
      list: (sub, part) =>
        partOf(part, async (most) => {
          const own = [...records.values()].filter((record) => record.sub === sub)
          return own.filter(({ expires }) => expires > seconds()).slice(-most)
        }),
      async people(after = '') {
        const subs = new Set([...records.values()].map(({ sub }) => sub))
        const later = [...subs].filter((sub) => sub > after).sort()
        return peoplePart(later.slice(0, MAX_PEOPLE + 1))
      },
      async deleteAll(sub) {
        for (const [key, record] of records) if (record.sub === sub) records.delete(key)
      },
    },
  }
}
