import type { ListedTable, Rows, Table, Tables } from '../ledger/rows.js'

/** A read of a rule: a row, the keys with a beginning, some of them with their rows, or the rows since a time. */
export type Question =
  | { readonly table: Table; readonly key: string }
  | { readonly table: Table; readonly beginning: string; readonly limit?: number }
  | { readonly table: ListedTable; readonly at: number; readonly limit: number }

/** A row as it is stored, in JSON, or `null` for none; keys; or keys with their rows. */
export type QuestionAnswer =
  | string
  | null
  | readonly string[]
  | readonly (readonly [string, string])[]

/** A row that was read or is written, or both. */
export interface Change {
  readonly table: Table
  readonly key: string
  /** As it was read; `null`: there was none. Absent: whatever there is. */
  readonly before?: string | null
  /** `null` deletes it. Absent: it stays. */
  readonly after?: string | null
  /** The time of the written row. Seconds since the epoch. */
  readonly at?: number
  readonly expires?: number | null
}

/** A database with the ledger's rows. */
export interface Stored {
  /**
   * @returns the rows in the order of the questions, and the latest time by the clock of the
   * database at which they were read. Milliseconds since the epoch
   */
  read(
    questions: readonly Question[],
  ): Promise<{ readonly answers: readonly QuestionAnswer[]; readonly now: number }>
  /**
   * Writes everything in one step that nothing comes in between.
   *
   * @param readAt by the database's clock; `null`: it does not matter
   * @returns `false`: nothing was written, since a row is not as it was read, or that was long ago
   */
  commit(changes: readonly Change[], readAt: number | null): Promise<boolean>
}

/**
 * The most age of the rows that a decision read: an ending is listed by the time of its decision.
 */
export const MAX_AGE = 2_000

type Row = Tables[Table]

/** The rows that a rule has read, and those that it writes. */
export class Snapshot {
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
