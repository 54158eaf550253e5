import type { ListedTable, Rows, Table, Tables } from './ledger/rows.js'
import { type Change, isTooOld, type Question, type QuestionAnswer, type Stored } from './stored.js'

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
