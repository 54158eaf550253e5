import { test } from 'node:test'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { type SessionRecord, type SessionStore, storeContract } from '@latchkey/worker/testing'

/** @param now milliseconds since the epoch */
function mySessions(now: () => number): SessionStore {
  const records = new Map<string, SessionRecord>()
  const keyOf = (sub: string, sid: string) => JSON.stringify([sub, sid])
  const isLive = ({ expires }: SessionRecord) => expires > now() / 1000
  return {
    async get(sub, sid) {
      const record = records.get(keyOf(sub, sid))
      return record && isLive(record) ? record : undefined
    },
    async put(record) {
      records.set(keyOf(record.sub, record.sid), record)
    },
    async delete(sub, sid) {
      records.delete(keyOf(sub, sid))
    },
    async list(sub) {
      const own = [...records.values()].filter((record) => record.sub === sub)
      return own.filter(isLive).slice(-100)
    },
  }
}

const store = { sessions: mySessions, rows: (now: () => number) => memoryStore(now).rows }
for (const { name, run } of storeContract(store)) test(name, run)
