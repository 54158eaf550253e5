import { InvalidConfiguration } from '../errors.js'
import { type AnyMethod, ledgerOf, methods } from './ledger/methods.js'
import { decide } from './ledger/rules.js'
import { type SqliteRows, sqliteRows } from './ledger/sqlite-rows.js'
import { builtIn } from './node/built-in.js'
import { claiming, MARK_KEY } from './node/mark.js'
import { type NodeStore, type StoreOptions, SWEEP_INTERVAL, SWEEP_ROWS } from './node/node-store.js'
import { MAX_LISTED, type SessionRecord, type SessionStore, type StoreWarning } from './ports.js'

interface SqliteModule {
  readonly DatabaseSync: new (path: string) => Database
}

interface Database {
  prepare(statement: string): {
    all(...values: (string | number | null)[]): Record<string, unknown>[]
  }
  close(): void
}

interface FileModule {
  openSync(path: string, flags: string, mode: number): number
  closeSync(file: number): void
  statSync(path: string): { readonly mode: number }
}

/** Another process may write meanwhile. Milliseconds between two tries at most, and how many there are. */
const PAUSE = 20
const MAX_TRIES = 200

/**
 * Sessions and ledger in a file, which the processes of one machine may share. An answered write is
 * on the disk, so it outlives a killed process and a power failure.
 *
 * @param path made with mode 0600 if it does not exist. Its folder must be there, on a disk of this
 * machine
 * @param now milliseconds since the epoch
 * @throws {InvalidConfiguration} if the file cannot be opened, or this Node is older than 22.13
 * @example MiddlewareAuth({ providers, store: sqliteStore('sessions.db') })
 */
export function sqliteStore(path: string, now: () => number = Date.now): NodeStore {
  const { database, run, rows } = open(path)
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
    const first = rows.sweep(at, SWEEP_ROWS)
    const isMore = run(SWEEP_SESSIONS, at, SWEEP_ROWS).length === SWEEP_ROWS
    swept = isMore || (first !== undefined && first <= at) ? undefined : at
  }

  const ledger = ledgerOf(
    (name): AnyMethod =>
      (...args) =>
        transact(methods[name].does !== 'read', (at) => decide(name, rows, at, args)),
  )
  const release = `sqlite3 ${path} "DELETE FROM documents WHERE key = '${MARK_KEY}'"`
  return {
    sessions: sessionsIn(run, transact),
    ledger,
    claim: claiming(ledger, release, async () => warningsOf(path)),
    ready: () => transact(false, () => {}),
    close: async () => database.close(),
  }
}

/**
 * The store that `AUTH_STORE` names.
 *
 * @param value `file:<path>`
 * @throws {InvalidConfiguration} also for a prefix: services that share a database share no file
 */
export function openStore(value: string, options: StoreOptions | (() => number) = {}): NodeStore {
  const { prefix, now }: StoreOptions = typeof options === 'function' ? { now: options } : options
  if (prefix !== undefined) {
    throw new InvalidConfiguration(
      'AUTH_STORE_PREFIX is for a database: give each service a file of its own.',
    )
  }
  const path = value.slice('file:'.length)
  // As a URL, `file:///var/lib/app/sessions.db`, it has an empty host.
  return sqliteStore(path.startsWith('///') ? path.slice(2) : path, now)
}

type Run = (statement: string, ...values: (string | number | null)[]) => Record<string, unknown>[]

function open(path: string): { database: Database; run: Run; rows: SqliteRows } {
  const sqlite = builtIn<SqliteModule>('sqlite')
  const files = builtIn<FileModule>('fs')
  if (!sqlite || !files) {
    throw new InvalidConfiguration('A store in a file needs Node 22.13 or newer.')
  }
  try {
    // SQLite gives the files that it makes beside it the same mode.
    if (path !== ':memory:') files.closeSync(files.openSync(path, 'a', 0o600))
    const database = new sqlite.DatabaseSync(path)
    const prepared = new Map<string, ReturnType<Database['prepare']>>()
    const run: Run = (statement, ...values) => {
      const run = prepared.get(statement) ?? database.prepare(statement)
      prepared.set(statement, run)
      return run.all(...values)
    }
    run('PRAGMA busy_timeout = 5000')
    const rows = firmly(() => prepareFile(run))
    // From now on a process waits without standing still.
    run('PRAGMA busy_timeout = 0')
    return { database, run, rows }
  } catch (error) {
    const reason = reasonOf(error)
    throw new InvalidConfiguration(`The file ${path} cannot be opened as a store: ${reason}.`)
  }
}

/** On Windows a file has other rights than a mode. */
function warningsOf(path: string): readonly StoreWarning[] {
  const { platform } = (globalThis as { process?: { platform?: string } }).process ?? {}
  if (path === ':memory:' || platform === 'win32') return []
  const mode = (builtIn<FileModule>('fs')?.statSync(path).mode ?? 0) & 0o777
  // Its owner may let a group read it.
  if ((mode & 0o026) === 0) return []
  const files = `${path} ${path}-wal ${path}-shm`
  return [
    [
      'store-file',
      `Others on this machine can read or write the file ${path} (mode ${mode.toString(8)}), in which is whose each account is: chmod 600 ${files}`,
    ],
  ]
}

function prepareFile(run: Run): SqliteRows {
  // Readers and a writer do not wait for each other, and an answer waits for the disk: an ended
  // session must not come back, whatever happens to the machine.
  run('PRAGMA journal_mode = WAL')
  run('PRAGMA synchronous = FULL')
  try {
    run('BEGIN IMMEDIATE')
    const rows = sqliteRows(run)
    run(SESSIONS)
    run(SESSIONS_END)
    run('COMMIT')
    return rows
  } catch (error) {
    rollBack(run)
    throw error
  }
}

const SESSIONS = `CREATE TABLE IF NOT EXISTS sessions (sub TEXT NOT NULL, sid TEXT NOT NULL,
  provider TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, expires INTEGER NOT NULL,
  sealed TEXT NOT NULL, PRIMARY KEY (sub, sid))`
const SESSIONS_END = 'CREATE INDEX IF NOT EXISTS sessions_end ON sessions (expires)'
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
    list: (sub) =>
      transact(false, (at) => {
        const own = `SELECT * FROM sessions WHERE sub = ? AND expires > ?
          ORDER BY updated DESC LIMIT ${MAX_LISTED}`
        return run(own, sub, at).map(recordOf)
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

function rollBack(run: Run): void {
  try {
    run('ROLLBACK')
  } catch {
    // None had begun, or SQLite has ended it itself.
  }
}

async function patiently<Answer>(work: () => Answer): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || tries >= MAX_TRIES) throw error
    }
    // Among several that wait, none is behind the others each time.
    const pause = Math.min(2 ** tries, PAUSE) * (0.5 + Math.random())
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** The same for the start, in which nothing else is to be done. SQLite waits itself, but not for each lock. */
function firmly<Answer>(work: () => Answer): Answer {
  for (let tries = 1; ; tries++) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error) || tries >= MAX_TRIES) throw error
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
  }
}

/** `SQLITE_BUSY`, of which there are several kinds: another connection has the lock. */
function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown }
  return typeof errcode === 'number' && (errcode & 0xff) === 5
}

/** In a word: `ENOENT`, or what SQLite says of its code. */
function reasonOf(error: unknown): string {
  const { code, errstr, name } = error as { code?: string; errstr?: string; name?: string }
  return errstr ?? code ?? name ?? 'unknown'
}
