import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { type Question, type QuestionAnswer, type Stored, storeContract } from '@latchkey/worker/testing'

/** @param now milliseconds since the epoch */
function myRows(database: DatabaseSync, now: () => number): Stored {
  database.exec('CREATE TABLE IF NOT EXISTS ledger (kind, key, content, at, PRIMARY KEY (kind, key))')
  const one = database.prepare('SELECT content FROM ledger WHERE kind = ? AND key = ?')
  const put = database.prepare('INSERT OR REPLACE INTO ledger VALUES (?, ?, ?, ?)')
  const remove = database.prepare('DELETE FROM ledger WHERE kind = ? AND key = ?')
  const begun = database.prepare('SELECT key, content FROM ledger WHERE kind = ? AND substr(key, 1, ?) = ? LIMIT ?')
  const since = database.prepare('SELECT key, content FROM ledger WHERE kind = ? AND at >= ? ORDER BY at LIMIT ?')
  const contentOf = (kind: string, key: string) =>
    (one.get(kind, key)?.content as string | undefined) ?? null
  const answer = (question: Question): QuestionAnswer => {
    if ('key' in question) return contentOf(question.table, question.key)
    const { table, limit = -1 } = question
    const found =
      'at' in question
        ? since.all(table, question.at, limit)
        : begun.all(table, [...question.beginning].length, question.beginning, limit)
    if (question.limit === undefined) return found.map(({ key }) => key as string)
    return found.map(({ key, content }) => [key as string, content as string] as const)
  }
  return {
    async read(questions) {
      const at = now()
      return { answers: questions.map(answer), now: at }
    },
    async commit(changes, readAt) {
      database.exec('BEGIN IMMEDIATE')
      const isOld = readAt !== null && now() > readAt + 2_000
      const isAsRead = changes.every(
        ({ table, key, before }) => before === undefined || before === contentOf(table, key),
      )
      const isDone = isAsRead && !isOld
      for (const { table, key, after, at } of isDone ? changes : []) {
        if (after === null) remove.run(table, key)
        else if (after !== undefined) put.run(table, key, after, at ?? null)
      }
      database.exec('COMMIT')
      return isDone
    },
  }
}

const database = { rows: (now: () => number) => myRows(new DatabaseSync(':memory:'), now) }
for (const { name, run } of storeContract(database)) test(name, run)
