import { toHex } from '../lib/hex.js'
import type { Table } from './ledger/rows.js'
import { driverOf, faultOf } from './node/driver.js'
import { claiming, MARK_KEY } from './node/mark.js'
import { type NodeStore, type StoreOptions, SWEEP_GRACE, storeOptions } from './node/node-store.js'
import {
  COMMIT,
  DELETE_SESSION,
  DELETE_SESSIONS,
  KEYS_FROM,
  LIST_SESSIONS,
  PUT_SESSION,
  READ,
  SINCE,
} from './node/redis-scripts.js'
import {
  type Change,
  MAX_AGE,
  type Question,
  type QuestionAnswer,
  type Stored,
} from './node/snapshot.js'
import { transactedLedger } from './node/transacted-ledger.js'
import { MAX_LISTED, type SessionRecord, type SessionStore, type StoreWarning } from './ports.js'

/** A client of `ioredis`, also of a cluster or with a `keyPrefix`. */
export interface RedisClient {
  eval(script: string, keys: number, ...args: string[]): Promise<unknown>
  evalsha(digest: string, keys: number, ...args: string[]): Promise<unknown>
  get(key: string): Promise<string | null>
  info?(section: string): Promise<string>
}

/** The client for a URL. Nobody waits for a store longer than five seconds. */
const CLIENT = {
  connectTimeout: 4_000,
  commandTimeout: 4_500,
  maxRetriesPerRequest: 1,
  // A call whose answer was lost is not made again: its caller gets the error.
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
  const stored: Stored = {
    read: (questions) => readIn(run, names, questions),
    commit: (changes, readAt) => commitIn(run, names, changes, readAt, now && seconds()),
  }
  const ledger = transactedLedger(stored, now)
  const release = `redis-cli DEL "${names.rowOf('documents', MARK_KEY)}"`
  return {
    sessions: sessionsIn(run, names, read, seconds),
    ledger,
    claim: claiming(ledger, release, () => warningsOf(client)),
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

type Run = (script: string, keys: readonly string[], args?: readonly string[]) => Promise<unknown>

/**
 * A server that forgets rows if it has no room would bring ended sessions back.
 *
 * @throws {Error} naming what to change
 */
async function checkMemory(client: RedisClient, key: string): Promise<void> {
  let said = ''
  try {
    // The first command: it fails if Redis cannot be reached.
    await client.get(key)
    said = (await client.info?.('memory').catch(() => '')) ?? ''
  } catch (error) {
    throw faultOf('Redis', error)
  }
  const isBounded = /^maxmemory:[1-9]/m.test(said)
  const [, policy] = /^maxmemory_policy:(allkeys-\w+)/m.exec(said) ?? []
  if (isBounded && policy) {
    throw new Error(
      `Redis forgets keys where it has no room, and so ended sessions would come back: set its maxmemory-policy to noeviction instead of ${policy}.`,
    )
  }
}

/**
 * Redis that keeps everything in memory alone forgets the endings, and the owners of accounts, at
 * its next start.
 */
async function warningsOf(client: RedisClient): Promise<readonly StoreWarning[]> {
  const said = (await client.info?.('persistence').catch(() => '')) ?? ''
  if (!/^aof_enabled:0/m.test(said)) return []
  return [
    [
      'store-forgets',
      'Redis does not keep what it has answered (appendonly no): after its next start sessions that have ended may be good again, and ways to sign in that were added are gone. Set appendonly yes.',
    ],
  ]
}

async function digestOf(script: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(script))
  return toHex(new Uint8Array(digest))
}

/** Lists of rows beside them: by time, and by key if keys that begin so are asked for. */
const LISTS: readonly Table[] = ['revoked', 'cutoffs', 'attempts', 'documents', 'verifications']

type Names = ReturnType<typeof namesFor>

/** All keys of a store are in one slot of a cluster. */
function namesFor(prefix: string) {
  const all = `{${prefix}}:`
  return {
    ends: `${all}index:ends`,
    listOf: (table: Table) => `${all}index:${table}`,
    rowOf: (table: Table, key: string) => `${all}${table}:${key}`,
    /** The name has its length, so that no name of a person is the beginning of another one's. */
    sessionOf: (sub: string, sid: string) => `${all}session:${sub.length}:${sub}:${sid}`,
    sessionsOf: (sub: string) => `${all}sessions:${sub}`,
  }
}

async function readIn(
  run: Run,
  names: Names,
  questions: readonly Question[],
): Promise<{ answers: readonly QuestionAnswer[]; now: number }> {
  const keys = questions.flatMap((one) => ('key' in one ? names.rowOf(one.table, one.key) : []))
  // The time comes first: everything listed was there at that time, and perhaps more.
  const read = (await run(READ, keys)) as [string, string, string[]]
  const [seconds, micros, rows] = read
  const answers: QuestionAnswer[] = []
  for (const question of questions) {
    answers.push('key' in question ? rows.shift() || null : await listIn(run, names, question))
  }
  return { answers, now: Number(seconds) * 1000 + Number(micros) / 1000 }
}

async function listIn(
  run: Run,
  { listOf, rowOf }: Names,
  question: Exclude<Question, { key: string }>,
): Promise<QuestionAnswer> {
  const { table } = question
  const none = rowOf(table, '')
  if ('beginning' in question) {
    const keys = [listOf(table), rowOf(table, question.beginning), none]
    return (await run(KEYS_FROM, keys)) as string[]
  }
  const args = [`${question.at}`, `${question.limit}`]
  const values = (await run(SINCE, [listOf(table), none], args)) as string[]
  return values.flatMap((key, at) =>
    at % 2 === 0 ? [[key, values[at + 1] as string] as const] : [],
  )
}

async function commitIn(
  run: Run,
  { ends, listOf, rowOf }: Names,
  changes: readonly Change[],
  readAt: number | null,
  seconds: number | undefined,
): Promise<boolean> {
  const rows = changes.flatMap(({ table, before, after, at, expires }) => [
    written(before),
    written(after),
    `${expires ?? ''}`,
    `${LISTS.indexOf(table) + 1 || ''}`,
    `${at ?? 0}`,
  ])
  const keys = changes.map(({ table, key }) => rowOf(table, key))
  const latest = readAt === null ? '' : `${readAt + MAX_AGE}`
  const past = seconds === undefined ? `-${SWEEP_GRACE}` : `${seconds - SWEEP_GRACE}`
  const args = [latest, past, `${LISTS.length}`, ...rows]
  return (await run(COMMIT, [ends, ...LISTS.map(listOf), ...keys], args)) === 1
}

function written(row: string | null | undefined): string {
  if (row === undefined) return ''
  return row === null ? '0' : `=${row}`
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
    async list(sub) {
      const args = [`${seconds()}`, `${MAX_LISTED}`]
      const values = await run(LIST_SESSIONS, [sessionsOf(sub), sessionOf(sub, '')], args)
      return (values as string[]).map((one) => JSON.parse(one) as SessionRecord).filter(isLive)
    },
    async deleteAll(sub) {
      await run(DELETE_SESSIONS, [sessionsOf(sub), sessionOf(sub, '')])
    },
  }
}
