import { driverOf, faultOf } from './node/driver.js'
import { lasting } from './node/lasting.js'
import { claiming, MARK_KEY } from './node/mark.js'
import {
  type NodeStore,
  type StoreOptions,
  SWEEP_GRACE,
  SWEEP_INTERVAL,
  SWEEP_ROWS,
  storeOptions,
} from './node/node-store.js'
import { commitIn, type Run, readIn, type Statements } from './node/postgres-rows.js'
import { statementsFor } from './node/postgres-statements.js'
import { MAX_PEOPLE, partOf, peoplePart, type SessionRecord, type SessionStore } from './ports.js'
import { isTooOld, type Stored } from './stored.js'
import { transactedLedger } from './transacted-ledger.js'

/** A pool of `pg`, or what has its `query`. */
export interface PostgresPool {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
  end?(): Promise<void>
}

/** The pool for a URL. No request waits for a store longer than five seconds. */
const POOL = {
  max: 10,
  connectionTimeoutMillis: 4_000,
  query_timeout: 4_500,
  keepAlive: true,
  // A process that has nothing else to do may end.
  allowExitOnIdle: true,
}

interface Driver {
  readonly Pool: new (
    options: object,
  ) => PostgresPool & { on(event: 'error', listener: () => void): unknown }
}

/**
 * Sessions and ledger in Postgres (13 or newer), which the processes of an app share. The tables make themselves, in the
 * schema that the connection writes to, with names that begin with `latchkey_`, or with another prefix.
 *
 * @param target a URL, for which the package `pg` has to be installed, or a pool of your own: of transactions
 *   that are `read committed`, which is Postgres's default. `close` leaves that open
 * @throws {InvalidConfiguration} if `pg` is not installed, or the prefix cannot be one
 * @example MiddlewareAuth({ providers, store: postgresStore(process.env.DATABASE_URL) })
 */
export function postgresStore(
  target: string | PostgresPool,
  options?: StoreOptions | (() => number),
): NodeStore {
  const { prefix, now } = storeOptions(options)
  const statements = statementsFor(prefix)
  const pool = typeof target === 'string' ? poolFor(target) : target
  const seconds = () => Math.floor((now?.() ?? Date.now()) / 1000)
  let opening: Promise<void> | undefined
  let swept: number | undefined

  async function query<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    try {
      return (await pool.query(text, values)).rows as Row[]
    } catch (error) {
      throw faultOf('Postgres', error)
    }
  }
  /**
   * Makes the tables before the first statement. A fault is reported, and the next call tries
   * again.
   */
  async function ready(): Promise<void> {
    opening ??= query(statements.SCHEMA).then(() => {})
    try {
      await opening
    } catch (error) {
      opening = undefined
      throw error
    }
  }
  const run: Run = async (text, values) => {
    await ready()
    return query(text, values)
  }
  /** Beside a write, which does not wait for it. */
  async function sweep(): Promise<void> {
    const at = seconds()
    if (swept !== undefined && Math.abs(at - swept) < SWEEP_INTERVAL) return
    swept = at
    const parts = [statements.SWEEP_LEDGER, statements.SWEEP_SESSIONS].map((part) =>
      query(part, [now ? at : null, SWEEP_GRACE, SWEEP_ROWS]),
    )
    const isMore = (await Promise.all(parts)).some((over) => over.length === SWEEP_ROWS)
    if (isMore) swept = undefined
  }
  const rows: Stored = {
    async read(questions) {
      const read = await readIn(run, statements, questions)
      return now ? { ...read, now: now() } : read
    },
    async commit(changes, readAt) {
      // A clock of a test is not the database's, which then compares nothing.
      if (now && isTooOld(readAt, now())) return false
      const isDone = await commitIn(run, statements, changes, now ? null : readAt)
      sweep().catch(() => {})
      return isDone
    },
  }
  const ledger = transactedLedger(rows)
  const release = `DELETE FROM ${prefix}_ledger WHERE kind = 'documents' AND key = '${MARK_KEY}'`
  return {
    sessions: sessionsIn(run, statements, prefix, seconds),
    ...lasting(
      rows,
      claiming(ledger, release, async () => []),
    ),
    ledger,
    ready,
    close: async () => {
      if (typeof target === 'string') await pool.end?.()
    },
  }
}

/** The store that `AUTH_STORE` names. @param value `postgres://…` */
export function openStore(value: string, options?: StoreOptions | (() => number)): NodeStore {
  return postgresStore(value, options)
}

function poolFor(connectionString: string): PostgresPool {
  const { Pool } = driverOf<Driver>('pg')
  const pool = new Pool({ ...POOL, connectionString })
  // Losing an idle connection must not end the process. The next call makes another.
  pool.on('error', () => {})
  return pool
}

function sessionsIn(
  run: Run,
  { SESSIONS, PUT_SESSION }: Statements,
  prefix: string,
  seconds: () => number,
): SessionStore {
  return {
    async get(sub, sid) {
      const own = `${SESSIONS} WHERE sub = $1 AND sid = $2 AND expires > $3`
      const [record] = await run<SessionRecord>(own, [sub, sid, seconds()])
      return record
    },
    async put({ sub, sid, provider, created, updated, expires, sealed }) {
      await run(PUT_SESSION, [sub, sid, provider, created, updated, expires, sealed])
    },
    async delete(sub, sid) {
      await run(`DELETE FROM ${prefix}_sessions WHERE sub = $1 AND sid = $2`, [sub, sid])
    },
    list: (sub, part) => {
      const own = `${SESSIONS} WHERE sub = $1 AND expires > $2 ORDER BY updated DESC LIMIT $3`
      return partOf(part, (most) => run<SessionRecord>(own, [sub, seconds(), most]))
    },
    async people(after = '') {
      const all = `SELECT DISTINCT sub FROM ${prefix}_sessions WHERE sub > $1 ORDER BY sub LIMIT $2`
      const rows = await run<{ sub: string }>(all, [after, MAX_PEOPLE + 1])
      return peoplePart(rows.map(({ sub }) => sub))
    },
    async deleteAll(sub) {
      await run(`DELETE FROM ${prefix}_sessions WHERE sub = $1`, [sub])
    },
  }
}
