import { isRecord } from '@latchkey/session/internal'
import { MAX_LISTED, type SessionRecord, type SessionStore } from './ports.js'

/** Version of the stored value; a reader refuses unknown versions. */
const VERSION = 1

/** KV refuses a shorter life, in seconds. */
const MIN_TTL = 60

/** In milliseconds. */
const WRITE_INTERVAL = 1_100

/**
 * Session records in Workers KV: `session:<sub>:<sid>`, so that a user's sessions are listed by
 * prefix. KV may show a write a minute late and a deleted record a minute longer, so the ledger
 * decides on revocation.
 */
export function kvSessionStore(kv: KVNamespace, now: () => number = Date.now): SessionStore {
  return {
    async get(sub, sid) {
      const stored = await kv.get<unknown>(key(sub, sid), 'json')
      if (stored === null) return undefined
      const record = parseRecord(stored, sub, sid)
      return record.expires > now() / 1000 ? record : undefined
    },
    async put(record) {
      const ttl = Math.max(MIN_TTL, record.expires - Math.floor(now() / 1000))
      const value = JSON.stringify({ v: VERSION, ...record })
      const options = { expirationTtl: ttl }
      await twice(() => kv.put(key(record.sub, record.sid), value, options))
    },
    async delete(sub, sid) {
      await twice(() => kv.delete(key(sub, sid)))
    },
    async list(sub) {
      const prefix = key(sub, '')
      const { keys } = await kv.list({ prefix, limit: MAX_LISTED })
      const records = await Promise.all(
        // A damaged record does not hide the others.
        keys.map(({ name }) => this.get(sub, name.slice(prefix.length)).catch(unlessDamaged)),
      )
      return records.flatMap((record) => record ?? [])
    },
  }
}

/** KV takes one write of a key in a second: a refused write is tried once more after that. */
async function twice(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch {
    await new Promise((resolve) => setTimeout(resolve, WRITE_INTERVAL))
    await write()
  }
}

function key(sub: string, sid: string): string {
  return `session:${sub}:${sid}`
}

/** A damaged value is a fault of the store, not the end of a session: it throws. */
function parseRecord(stored: unknown, sub: string, sid: string): SessionRecord {
  if (isRecord(stored) && stored.v === VERSION && stored.sub === sub && stored.sid === sid) {
    const { provider, created, updated, expires, sealed } = stored
    const isWhole = typeof provider === 'string' && typeof sealed === 'string'
    if (isWhole && isTime(created) && isTime(updated) && isTime(expires)) {
      return { sub, sid, provider, created, updated, expires, sealed }
    }
  }
  throw new SyntaxError('A session record in KV is damaged or of an unknown version.')
}

/** Whole seconds that a date can hold (ECMA-262, 21.4.1.1). */
function isTime(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= 8.64e12
}

/** `JSON.parse` throws a `SyntaxError` too. */
function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof SyntaxError)) throw error
}
