import type { ListedTable, Rows, Table, Tables } from './ledger/rows.js'

/** A read of a rule: a row, the keys with a beginning, the first of them with their rows, or the rows since a time. */
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
  /** The time of the written row, by which it is listed. Absent: it is not listed. Seconds since the epoch. */
  readonly at?: number
  /** The row may be deleted from then on. `null` or absent: never. Seconds since the epoch. */
  readonly expires?: number | null
}

/**
 * A strongly consistent database with the rows of the ledger: the one thing that a store gives. All rules stand above
 * it (docs/decisions/stores.md). A row is named by its table and its key, and no key has a meaning
 * to the database; keys are compared by the bytes of their UTF-8 text.
 *
 * @example
 * const { answers, now } = await rows.read([{ table: 'consumed', key: 'a' }]) // [null]
 * const after = '{"expires":2000000000}'
 * await rows.commit([{ table: 'consumed', key: 'a', before: null, after, expires: 2_000_000_000 }], now) // true
 */
export interface Stored {
  /**
   * Reads rows. One that is over may still be there.
   *
   * @returns the rows in the order of the questions, and a time by the clock of the database that is not later than
   *   any of the reads. Milliseconds since the epoch
   */
  read(
    questions: readonly Question[],
  ): Promise<{ readonly answers: readonly QuestionAnswer[]; readonly now: number }>
  /**
   * Writes everything in one step that nothing comes in between, or nothing. A confirmed write outlives the process.
   *
   * @param readAt the time of the first read, by the database's clock: {@link MAX_AGE}; `null`: it does not matter
   * @returns `false`: nothing was written, since a row is not as it was read, or that was long ago
   */
  commit(changes: readonly Change[], readAt: number | null): Promise<boolean>
}

/**
 * The most age of the rows that a decision read: an ending is listed by the time of its decision. Milliseconds.
 */
export const MAX_AGE = 2_000

/** @param readAt as of `commit` @param now by the same clock. Milliseconds since the epoch */
export function isTooOld(readAt: number | null, now: number): boolean {
  return readAt !== null && now > readAt + MAX_AGE
}

type Row = Tables[Table]

/**
 * Rows that this process reads and writes synchronously, in the form in which every store gives them.
 *
 * @param now milliseconds since the epoch, by the clock of the rows
 * @param transact runs a step that nothing comes in between
 */
export function storedOver(
  rows: Rows,
  now: () => number,
  transact: <Answer>(isWrite: boolean, step: () => Answer) => Promise<Answer>,
): Stored {
  return {
    read: (questions) =>
      transact(false, () => {
        const at = now()
        return { answers: questions.map((question) => answerTo(rows, question)), now: at }
      }),
    commit: (changes, readAt) =>
      transact(true, () => {
        if (isTooOld(readAt, now())) return false
        if (!changes.every((change) => isAsRead(rows, change))) return false
        for (const change of changes) write(rows, change)
        return true
      }),
  }
}

function answerTo(rows: Rows, question: Question): QuestionAnswer {
  if ('key' in question) return textOf(rows, question.table, question.key)
  const { table, limit } = question
  if ('at' in question) return inText(rows.since(table as ListedTable, question.at, question.limit))
  if (limit === undefined) return rows.keys(table, question.beginning)
  return inText(rows.entries(table, question.beginning, limit))
}

function inText(found: readonly (readonly [string, Row])[]) {
  return found.map(([key, row]) => [key, JSON.stringify(row)] as const)
}

function textOf(rows: Rows, table: Table, key: string): string | null {
  const row = rows.get(table, key)
  return row === undefined ? null : JSON.stringify(row)
}

function isAsRead(rows: Rows, { table, key, before }: Change): boolean {
  return before === undefined || textOf(rows, table, key) === before
}

function write(rows: Rows, { table, key, after }: Change): void {
  if (after === null) rows.delete(table, key)
  else if (after !== undefined) rows.put(table, key, JSON.parse(after))
}
