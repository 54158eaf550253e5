import { isRecord } from '@latchkey/session/internal'
import { DamagedRecord } from '../errors.js'
import { keyOfSub } from '../lib/key-of-sub.js'
import { MAX_LISTED, MAX_PEOPLE, type SessionRecord, type SessionStore, WHOLE } from './ports.js'
import { wholeRecord } from './whole-record.js'

/** Version of the stored value; a reader refuses unknown versions. */
const VERSION = 1

/** KV refuses a shorter life, in seconds. */
const MIN_TTL = 60

/** Begins the name of every record. */
const PREFIX = 'session:'

/** In milliseconds. */
const WRITE_INTERVAL = 1_100

/**
 * Session records in Workers KV: `session:<sub>:<sid>`, so that a user's sessions are listed by
 * prefix; in the place of a `sub` with other letters than those of base64url stands a digest. KV may show a write a minute late and a deleted record a minute longer, so the ledger
 * decides on revocation.
 */
export function kvSessionStore(kv: KVNamespace, now: () => number = Date.now): SessionStore {
  async function get(sub: string, sid: string): Promise<SessionRecord | undefined> {
    const name = key(sub, sid)
    const stored = await kv.get(typeof name === 'string' ? name : await name)
    if (stored === null) return undefined
    const record = parseRecord(stored, sub, sid)
    return record.expires > now() / 1000 ? record : undefined
  }
  /** The name of a record has its person, or a digest of an id with other letters, which the record then has. */
  async function subIn(name: string): Promise<string | undefined> {
    const sub = name.slice(PREFIX.length, name.lastIndexOf(':'))
    if (!sub.startsWith('~')) return sub
    const stored = parsed((await kv.get(name)) ?? '')
    return isRecord(stored) && typeof stored.sub === 'string' ? stored.sub : undefined
  }
  return {
    get,
    async put(record) {
      const ttl = Math.max(MIN_TTL, record.expires - Math.floor(now() / 1000))
      const value = JSON.stringify({ v: VERSION, ...record })
      const options = { expirationTtl: ttl }
      const name = await key(record.sub, record.sid)
      await twice(() => kv.put(name, value, options))
    },
    async delete(sub, sid) {
      const name = await key(sub, sid)
      await twice(() => kv.delete(name))
    },
    async list(sub, part) {
      const { most, except } = part ?? WHOLE
      const prefix = await key(sub, '')
      const sessions: SessionRecord[] = []
      for (let cursor: string | undefined; ; ) {
        const page = await kv.list({ prefix, limit: MAX_LISTED, ...(cursor ? { cursor } : {}) })
        const sids = page.keys
          .map(({ name }) => name.slice(prefix.length))
          .filter((sid) => !except.has(sid))
        for (let at = 0; at < sids.length && sessions.length < most; at += most) {
          const some = sids.slice(at, at + most)
          // A damaged record does not hide the others.
          const records = await Promise.all(some.map((sid) => get(sub, sid).catch(unlessDamaged)))
          sessions.push(...records.flatMap((record) => record ?? []))
        }
        // A caller that asks for parts needs all of them in the end.
        if (!part || page.list_complete || sessions.length >= most) return sessions
        cursor = page.cursor
      }
    },
    async isEmpty() {
      const { keys } = await kv.list({ prefix: PREFIX, limit: 1 })
      return keys.length === 0
    },
    async people(after) {
      const cursor = after === undefined ? {} : { cursor: after }
      const page = await kv.list({ prefix: PREFIX, limit: MAX_PEOPLE, ...cursor })
      const names = page.keys.map(({ name }) => name)
      const subs = await Promise.all(names.map(subIn))
      const known = [...new Set(subs.flatMap((sub) => sub ?? []))]
      return page.list_complete ? { subs: known } : { subs: known, next: page.cursor }
    },
    async deleteAll(sub) {
      const prefix = await key(sub, '')
      for (let cursor: string | undefined; ; ) {
        const page = await kv.list({ prefix, ...(cursor ? { cursor } : {}) })
        const own = page.keys.filter(({ name }) => isOwn(name, prefix))
        await Promise.all(own.map(({ name }) => twice(() => kv.delete(name))))
        if (page.list_complete) return
        cursor = page.cursor
      }
    },
  }
}

/** No `sid` has a colon. */
function isOwn(name: string, prefix: string): boolean {
  return !name.slice(prefix.length).includes(':')
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

/** At most 512 bytes, with no colon but these two. */
function key(sub: string, sid: string): string | Promise<string> {
  const person = keyOfSub(sub)
  if (typeof person === 'string') return `${PREFIX}${person}:${sid}`
  return person.then((digest) => `${PREFIX}${digest}:${sid}`)
}

/**
 * A version to come is not damaged: an isolate that is deployed already reads it.
 *
 * @throws {DamagedRecord} for a value that no version will ever read
 */
function parseRecord(stored: string, sub: string, sid: string): SessionRecord {
  const value = parsed(stored)
  const { v } = isRecord(value) ? value : {}
  if (typeof v === 'number' && v > VERSION) {
    throw new SyntaxError('A session record in KV has the format of a later version.')
  }
  return wholeRecord(v === VERSION ? value : undefined, sub, sid)
}

/** `undefined` for text that is not JSON. */
function parsed(stored: string): unknown {
  try {
    return JSON.parse(stored)
  } catch {
    return undefined
  }
}

/** A list leaves out records that cannot be read. */
function unlessDamaged(error: unknown): undefined {
  const isUnreadable = error instanceof DamagedRecord || error instanceof SyntaxError
  if (!isUnreadable) throw error
}
