import { InvalidConfiguration } from '../errors.js'
import { lasting } from './node/lasting.js'
import { claiming, MARK_KEY } from './node/mark.js'
import { type NodeStore, type StoreOptions, SWEEP_INTERVAL, SWEEP_ROWS } from './node/node-store.js'
import { openFile, patiently, type Run, rollBack, warningsOf } from './node/sqlite-file.js'
import { MAX_PEOPLE, partOf, peoplePart, type SessionRecord, type SessionStore } from './ports.js'
import { storedOver } from './stored.js'
import { transactedLedger } from './transacted-ledger.js'

/**
 * Sessions and the ledger's rows in a file, which the processes of one machine may share. An answered write is
 * on the disk, so it outlives a killed process and a power failure.
 *
 * @param path made with mode 0600 if it does not exist. Its folder must be there, on a disk of this
 * machine
 * @param now milliseconds since the epoch
 * @throws {InvalidConfiguration} if the file cannot be opened, or this Node is older than 22.13
 * @example MiddlewareAuth({ providers, store: sqliteStore('sessions.db') })
 */
export function sqliteStore(path: string, now: () => number = Date.now): NodeStore {
  const { database, run, rows: table } = openFile(path)
  const seconds = () => Math.floor(now() / 1000)
  let swept: number | undefined

  const inTransaction = <Answer>(isWrite: boolean, work: (at: number) => Answer): Answer => {
    try {
      run(isWrite ? 'BEGIN IMMEDIATE' : 'BEGIN')
      // After every wait: an ending is never older than the endings that were listed before.
      const at = seconds()
      const answer = work(at)
      if (isWrite) sweep(at)
      run('COMMIT')
      return answer
    } catch (error) {
      rollBack(run)
      throw error
    }
  }
  const transact = <Answer>(isWrite: boolean, work: (at: number) => Answer): Promise<Answer> =>
    patiently(() => inTransaction(isWrite, work))

  function sweep(at: number): void {
    if (swept !== undefined && Math.abs(at - swept) < SWEEP_INTERVAL) return
    const first = table.sweep(at, SWEEP_ROWS)
    const isMore = run(SWEEP_SESSIONS, at, SWEEP_ROWS).length === SWEEP_ROWS
    swept = isMore || (first !== undefined && first <= at) ? undefined : at
  }

  const rows = storedOver(table, now, transact)
  const ledger = transactedLedger(rows)
  const release = `sqlite3 ${path} "DELETE FROM documents WHERE key = '${MARK_KEY}'"`
  return {
    sessions: sessionsIn(run, transact),
    ...lasting(
      rows,
      claiming(ledger, release, async () => warningsOf(path)),
    ),
    ledger,
    ready: () => transact(false, () => {}),
    close: async () => database.close(),
  }
}

/**
 * The store that `AUTH_STORE` names.
 *
 * @param value `file:<path>`
 * @throws {InvalidConfiguration} also for a prefix: services that share a database share no file
 * @example createAuth({ providers, store: openStore(process.env.AUTH_STORE ?? 'file:auth.db') })
 */
export function openStore(value: string, options: StoreOptions | (() => number) = {}): NodeStore {
  const { prefix, now }: StoreOptions = typeof options === 'function' ? { now: options } : options
  if (!/^file:./.test(value)) {
    throw new InvalidConfiguration(
      'This store is a file, file:<path>. For postgres:// or redis://, import openStore of @latchkey/worker/stores/postgres or stores/redis.',
    )
  }
  if (prefix !== undefined) {
    throw new InvalidConfiguration(
      'AUTH_STORE_PREFIX is for a database: give each service a file of its own.',
    )
  }
  const path = value.slice('file:'.length)
  // As a URL, `file:///var/lib/app/sessions.db`, it has an empty host.
  return sqliteStore(path.startsWith('///') ? path.slice(2) : path, now)
}

const SWEEP_SESSIONS =
  'DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions WHERE expires <= ? LIMIT ?) RETURNING 1'

function sessionsIn(
  run: Run,
  transact: <Answer>(isWrite: boolean, work: (at: number) => Answer) => Promise<Answer>,
): SessionStore {
  return {
    get: (sub, sid) =>
      transact(false, (at) => {
        const own = 'SELECT * FROM sessions WHERE sub = ? AND sid = ? AND expires > ?'
        return run(own, sub, sid, at).map(recordOf)[0]
      }),
    put: (record) =>
      transact(true, () => {
        const { sub, sid, provider, created, updated, expires, sealed } = record
        const statement = 'INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?)'
        run(statement, sub, sid, provider, created, updated, expires, sealed)
      }),
    delete: (sub, sid) =>
      transact(true, () => {
        run('DELETE FROM sessions WHERE sub = ? AND sid = ?', sub, sid)
      }),
    list: (sub, part) =>
      partOf(part, (most) =>
        transact(false, (at) => {
          const own = `SELECT * FROM sessions WHERE sub = ? AND expires > ?
            ORDER BY updated DESC LIMIT ?`
          return run(own, sub, at, most).map(recordOf)
        }),
      ),
    people: (after = '') =>
      transact(false, () => {
        const all = 'SELECT DISTINCT sub FROM sessions WHERE sub > ? ORDER BY sub LIMIT ?'
        return peoplePart(run(all, after, MAX_PEOPLE + 1).map(({ sub }) => String(sub)))
      }),
    deleteAll: (sub) =>
      transact(true, () => {
        run('DELETE FROM sessions WHERE sub = ?', sub)
      }),
  }
}

/** The caller of the store checks whether the record is whole. */
function recordOf(row: Record<string, unknown>): SessionRecord {
  return { ...row } as unknown as SessionRecord
}
