import { isRecord } from '../is-record.js'
import { MAX_LISTED, type SessionRecord, type SessionStore } from './ports.js'

/** Version of the stored value; a reader refuses what it does not know. */
const VERSION = 1

/** KV refuses a shorter life, in seconds. */
const MIN_TTL = 60

/**
 * Session records in Workers KV: `session:<sub>:<sid>`, so that a user's sessions are listed by
 * prefix. KV may show a write a minute late and a deleted record a minute longer, which is why
 * revocation is asked of the ledger.
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
      await kv.put(key(record.sub, record.sid), JSON.stringify({ v: VERSION, ...record }), {
        expirationTtl: ttl,
      })
    },
    async delete(sub, sid) {
      await kv.delete(key(sub, sid))
    },
    async list(sub) {
      const prefix = key(sub, '')
      const { keys } = await kv.list({ prefix, limit: MAX_LISTED })
      const records = await Promise.all(
        keys.map(({ name }) => this.get(sub, name.slice(prefix.length))),
      )
      return records.flatMap((record) => record ?? [])
    },
  }
}

function key(sub: string, sid: string): string {
  return `session:${sub}:${sid}`
}

/** A damaged value is a fault of the store, not the end of somebody's session: it throws. */
function parseRecord(stored: unknown, sub: string, sid: string): SessionRecord {
  if (isRecord(stored) && stored.v === VERSION && stored.sub === sub && stored.sid === sid) {
    const { provider, created, updated, expires, sealed } = stored
    if (
      typeof provider === 'string' &&
      typeof sealed === 'string' &&
      Number.isSafeInteger(created) &&
      Number.isSafeInteger(updated) &&
      Number.isSafeInteger(expires)
    ) {
      const times = { created, updated, expires } as Record<
        'created' | 'updated' | 'expires',
        number
      >
      return { sub, sid, provider, sealed, ...times }
    }
  }
  throw new Error('A session record in KV is damaged or of an unknown version.')
}
