import { toHex } from '../lib/hex.js'
import { driverOf, faultOf } from './node/driver.js'
import { lasting } from './node/lasting.js'
import { claiming, MARK_KEY } from './node/mark.js'
import { type NodeStore, type StoreOptions, SWEEP_GRACE, storeOptions } from './node/node-store.js'
import { checkMemory, warningsOf } from './node/redis-persistence.js'
import { commitIn, type Names, namesFor, type Run, readIn } from './node/redis-rows.js'
import {
  DELETE_SESSION,
  DELETE_SESSIONS,
  FIND_PEOPLE,
  LIST_SESSIONS,
  PUT_SESSION,
} from './node/redis-scripts.js'
import { MAX_PEOPLE, partOf, type SessionRecord, type SessionStore } from './ports.js'
import { isTooOld, type Stored } from './stored.js'
import { transactedLedger } from './transacted-ledger.js'

/** A client of `ioredis`, also of a cluster or with a `keyPrefix`. */
export interface RedisClient {
  eval(script: string, keys: number, ...args: string[]): Promise<unknown>
  evalsha(digest: string, keys: number, ...args: string[]): Promise<unknown>
  get(key: string): Promise<string | null>
  info?(section: string): Promise<string>
}

/** The client for a URL. No request waits for a store longer than five seconds. */
const CLIENT = {
  connectTimeout: 4_000,
  commandTimeout: 4_500,
  maxRetriesPerRequest: 1,
  // If the answer to a call is lost, the call is not repeated: its caller gets the error.
  autoResendUnfulfilledCommands: false,
}

interface Driver {
  readonly Redis: new (
    url: string,
    options: object,
  ) => RedisClient & {
    on(event: 'error', listener: () => void): unknown
    disconnect(): void
  }
}

/**
 * Sessions and ledger in Redis (6.2 or newer) or Valkey, which the processes of an app share, in keys that begin with
 * `{latchkey}:`, or with another prefix. Redis has to keep what it has answered, by `appendonly yes`, and to forget nothing: with a
 * `maxmemory-policy` of all keys it is refused.
 *
 * @param client of `ioredis`; `close` leaves it open
 * @throws {InvalidConfiguration} if the prefix cannot be one
 * @example MiddlewareAuth({ providers, store: redisStore(new Redis(process.env.REDIS_URL)) })
 */
export function redisStore(
  client: RedisClient,
  options?: StoreOptions | (() => number),
): NodeStore {
  const { prefix, now } = storeOptions(options)
  const names = namesFor(prefix)
  const digests = new Map<string, Promise<string>>()
  const seconds = () => Math.floor((now?.() ?? Date.now()) / 1000)
  let opening: Promise<void> | undefined

  async function ready(): Promise<void> {
    opening ??= checkMemory(client, names.rowOf('documents', MARK_KEY))
    try {
      await opening
    } catch (error) {
      opening = undefined
      throw error
    }
  }
  const run: Run = async (script, keys, args = []) => {
    await ready()
    const digest = digests.get(script) ?? digestOf(script)
    digests.set(script, digest)
    const all = [...keys, ...args] as const
    try {
      return await client.evalsha(await digest, keys.length, ...all)
    } catch (error) {
      if (!/^NOSCRIPT/.test((error as Error).message)) throw faultOf('Redis', error)
    }
    try {
      return await client.eval(script, keys.length, ...all)
    } catch (error) {
      throw faultOf('Redis', error)
    }
  }
  const read = async (key: string) => {
    await ready()
    try {
      return await client.get(key)
    } catch (error) {
      throw faultOf('Redis', error)
    }
  }
  const rows: Stored = {
    async read(questions) {
      const read = await readIn(run, names, questions)
      return now ? { ...read, now: now() } : read
    },
    async commit(changes, readAt) {
      // A clock of a test is not the database's, which then compares nothing.
      if (now && isTooOld(readAt, now())) return false
      return commitIn(run, names, changes, now ? null : readAt, now && seconds())
    },
  }
  const ledger = transactedLedger(rows)
  const release = `redis-cli DEL "${names.rowOf('documents', MARK_KEY)}"`
  return {
    sessions: sessionsIn(run, names, read, seconds),
    ...lasting(
      rows,
      claiming(ledger, release, () => warningsOf(client)),
    ),
    ledger,
    ready,
    close: async () => {},
  }
}

/** The store that `AUTH_STORE` names. @param value `redis://…` */
export function openStore(value: string, options?: StoreOptions | (() => number)): NodeStore {
  const { Redis } = driverOf<Driver>('ioredis')
  const client = new Redis(value, CLIENT)
  // Each call reports the fault that it meets, and the client reconnects by itself.
  client.on('error', () => {})
  return { ...redisStore(client, options), close: async () => client.disconnect() }
}

async function digestOf(script: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(script))
  return toHex(new Uint8Array(digest))
}

function sessionsIn(
  run: Run,
  { sessionOf, sessionsOf }: Names,
  read: (key: string) => Promise<string | null>,
  seconds: () => number,
): SessionStore {
  const isLive = ({ expires }: SessionRecord) => expires > seconds()
  return {
    async get(sub, sid) {
      const values = await read(sessionOf(sub, sid))
      if (values === null) return undefined
      const record = JSON.parse(values) as SessionRecord
      return isLive(record) ? record : undefined
    },
    async put(record) {
      const { sub, sid, expires } = record
      const lifetime = Math.max(1, Math.ceil(expires - seconds())) + SWEEP_GRACE
      const args = [JSON.stringify(record), sid, `${expires}`, `${lifetime}`]
      await run(PUT_SESSION, [sessionOf(sub, sid), sessionsOf(sub)], args)
    },
    async delete(sub, sid) {
      await run(DELETE_SESSION, [sessionOf(sub, sid), sessionsOf(sub)], [sid])
    },
    list: (sub, part) =>
      partOf(part, async (most) => {
        const args = [`${seconds()}`, `${most}`]
        const values = await run(LIST_SESSIONS, [sessionsOf(sub), sessionOf(sub, '')], args)
        return (values as string[]).map((one) => JSON.parse(one) as SessionRecord).filter(isLive)
      }),
    async people(after = '0') {
      const found = await run(FIND_PEOPLE, [sessionsOf('')], [after, `${MAX_PEOPLE}`])
      const [next, subs] = found as [string, string[]]
      return next === '0' ? { subs } : { subs, next }
    },
    async deleteAll(sub) {
      await run(DELETE_SESSIONS, [sessionsOf(sub), sessionOf(sub, '')])
    },
  }
}
