import { isRecord } from '@latchkey/session/internal'
import { type AnyMethod, ledgerOf, methods } from './ledger/methods.js'
import type { Rows, Table, Tables } from './ledger/rows.js'
import { decide, type Ledger } from './ledger/rules.js'
import type { Change, Question, QuestionAnswer, Stored } from './stored.js'

/** A call that other processes come in between so often is given up. */
const MAX_TRIES = 30
/** A call that waited this long for earlier ones is over for its caller. Milliseconds. */
const PATIENCE = 4_000

/** One ledger for the rows of a store, however often it is asked for: its calls for one name wait for each other. */
const ledgers = new WeakMap<Stored, Ledger>()

/**
 * A ledger whose rows are in a database that several processes share. A rule is a synchronous
 * function over rows: it runs over the rows that were read, again if it needs more, and its writes
 * count only if nothing that it read has changed meanwhile. Otherwise it runs again
 * (docs/decisions/stores.md).
 */
export function transactedLedger(stored: Stored): Ledger {
  const ledger = ledgers.get(stored) ?? newLedger(stored)
  ledgers.set(stored, ledger)
  return ledger
}

function newLedger(stored: Stored): Ledger {
  const lanes = new Map<string, Promise<unknown>>()

  async function attempt(name: keyof Ledger, args: readonly unknown[]): Promise<Attempt> {
    const snapshot = new Snapshot()
    // `null`: no row was read. Such a decision does not grow old, and no rule without a row asks for the time.
    let readAt: number | null = null
    for (let at = Date.now(); ; ) {
      const result = snapshot.run((rows) => decide(name, rows, Math.floor(at / 1000), args))
      if (snapshot.asked.length === 0) {
        if ('error' in result) throw result.error
        const { answer } = result
        const isDone = snapshot.isRead || (await stored.commit(snapshot.changes, readAt))
        return { answer, isDone }
      }
      const read = await stored.read(snapshot.asked)
      at = read.now
      readAt = at
      snapshot.add(read.answers)
    }
  }

  async function answer(name: keyof Ledger, args: readonly unknown[]): Promise<unknown> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const { answer, isDone } = await attempt(name, args)
      if (isDone) return answer
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** tries, 50)))
    }
    throw new Error('Others change the same rows faster than they can be read.')
  }

  /** Calls of this process for one name go one after the other: at once they would only be in each other's way. */
  async function inLane(name: keyof Ledger, args: readonly unknown[]): Promise<unknown> {
    const lane = laneOf(args)
    const asked = performance.now()
    const turn = (lanes.get(lane) ?? Promise.resolve()).then(() => {
      if (performance.now() - asked > PATIENCE)
        throw new Error('The calls before it took too long.')
      return answer(name, args)
    })
    const over = turn.catch(() => {})
    lanes.set(lane, over)
    try {
      return await turn
    } finally {
      if (lanes.get(lane) === over) lanes.delete(lane)
    }
  }

  return ledgerOf(
    (name): AnyMethod =>
      (...args) =>
        methods[name].does === 'read' ? answer(name, args) : inLane(name, args),
  )
}

interface Attempt {
  readonly answer: unknown
  readonly isDone: boolean
}

/** Rows that two calls change have the same first argument: a key, a session, or whose sessions end. */
function laneOf([first]: readonly unknown[]): string {
  return isRecord(first) ? String(first.sub) : String(first)
}

type Row = Tables[Table]

/** The rows that a rule has read, and those that it writes. */
class Snapshot {
  /** The reads of the last run that were not loaded yet. */
  readonly asked: Question[] = []
  readonly #answers = new Map<string, QuestionAnswer>()
  readonly #read = new Map<string, { readonly table: Table; readonly key: string }>()
  #written = new Map<string, { readonly table: Table; readonly key: string; row: Row | null }>()
  #times = 0

  /**
   * Runs a rule. A row that was not read yet counts as absent meanwhile, so that most rules tell with their first
   * run all that they need; such a run counts for nothing else.
   */
  run(rule: (rows: Rows) => unknown): { readonly answer: unknown } | { readonly error: unknown } {
    this.asked.length = 0
    this.#written = new Map()
    try {
      return { answer: rule(this.#rows) }
    } catch (error) {
      return { error }
    }
  }

  add(answers: readonly QuestionAnswer[]): void {
    this.#times++
    for (const [at, question] of this.asked.entries()) {
      this.#answers.set(JSON.stringify(question), answers[at] ?? null)
      if ('key' in question) this.#read.set(rowName(question.table, question.key), question)
    }
  }

  /** Was nothing written, and all read at once? Then there is nothing to be committed. */
  get isRead(): boolean {
    return this.#written.size === 0 && this.#times <= 1
  }

  get changes(): readonly Change[] {
    const names = new Set([...this.#read.keys(), ...this.#written.keys()])
    return [...names].map((name) => {
      const read = this.#read.get(name)
      const written = this.#written.get(name)
      const { table, key } = (written ?? read) as { table: Table; key: string }
      const before = read && (this.#answers.get(JSON.stringify({ table, key })) as string | null)
      return {
        table,
        key,
        ...(before === undefined ? {} : { before }),
        ...(written ? afterOf(written.row) : {}),
      }
    })
  }

  #look(question: Question, absent: QuestionAnswer): QuestionAnswer {
    const answer = this.#answers.get(JSON.stringify(question))
    if (answer !== undefined) return answer
    this.asked.push(question)
    return absent
  }

  readonly #rows: Rows = {
    isCopy: true,
    get: <Name extends Table>(table: Name, key: string) => {
      const written = this.#written.get(rowName(table, key))
      if (written) return (written.row ?? undefined) as Tables[Name] | undefined
      // Only if there are several objects anything is handed over.
      if (table === 'handovers') return undefined
      const row = this.#look({ table, key }, null) as string | null
      return row === null ? undefined : (JSON.parse(row) as Tables[Name])
    },
    put: (table, key, row) => void this.#written.set(rowName(table, key), { table, key, row }),
    change: (table, key, columns) => {
      const row = this.#rows.get(table, key)
      if (row) this.#rows.put(table, key, { ...row, ...columns })
    },
    delete: (table, key) => void this.#written.set(rowName(table, key), { table, key, row: null }),
    keys: (table, beginning) => this.#look({ table, beginning }, []) as readonly string[],
    entries: (table, beginning, limit) => this.#list(table, { table, beginning, limit }),
    since: (table, at, limit) => this.#list(table, { table, at, limit }),
  }

  #list<Name extends Table>(_table: Name, question: Question) {
    const rows = this.#look(question, []) as readonly (readonly [string, string])[]
    return rows.map(([key, row]) => [key, JSON.parse(row) as Tables[Name]] as const)
  }
}

function rowName(table: Table, key: string): string {
  return `${table} ${key}`
}

function afterOf(row: Row | null): Pick<Change, 'after' | 'at' | 'expires'> {
  if (row === null) return { after: null }
  const at = 'at' in row ? { at: row.at } : {}
  return { after: JSON.stringify(row), ...at, expires: row.expires }
}
