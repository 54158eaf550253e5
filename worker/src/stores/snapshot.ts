import type { Rows, Table, Tables } from './ledger/rows.js'
import type { Change, Question, QuestionAnswer } from './stored.js'

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
