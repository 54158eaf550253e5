import { InvalidConfiguration } from '../../errors.js'
import { type SqliteRows, sqliteRows } from '../ledger/sqlite-rows.js'
import type { StoreWarning } from '../ports.js'
import { builtIn } from './built-in.js'

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

export type Run = (
  statement: string,
  ...values: (string | number | null)[]
) => Record<string, unknown>[]

export function openFile(path: string): { database: Database; run: Run; rows: SqliteRows } {
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
export function warningsOf(path: string): readonly StoreWarning[] {
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

export function rollBack(run: Run): void {
  try {
    run('ROLLBACK')
  } catch {
    // No transaction had begun, or SQLite has ended it itself.
  }
}

export async function patiently<Answer>(work: () => Answer): Promise<Answer> {
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
