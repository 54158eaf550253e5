import { type Change, MAX_AGE, type Question, type QuestionAnswer } from '../stored.js'
import { NOW, type statementsFor, TOO_LATE } from './postgres-statements.js'

export type Statements = ReturnType<typeof statementsFor>

export type Run = <Row>(text: string, values: unknown[]) => Promise<Row[]>

export async function readIn(
  run: Run,
  statements: Statements,
  questions: readonly Question[],
): Promise<{ answers: readonly QuestionAnswer[]; now: number }> {
  const rows = questions.flatMap((question) => ('key' in question ? question : []))
  const read = [rows.map(({ table }) => table), rows.map(({ key }) => key)]
  // The time comes first: everything listed was there at that time, and perhaps more.
  const [first, ...others] = await run<{ content: string | null; now: number }>(
    rows.length > 0 ? statements.READ : NOW,
    rows.length > 0 ? read : [],
  )
  if (!first) throw new Error('Postgres: no row.')
  const contents = [first, ...others].map(({ content }) => content)
  const answers: QuestionAnswer[] = []
  for (const question of questions) {
    answers.push(
      'key' in question ? (contents.shift() ?? null) : await listIn(run, statements, question),
    )
  }
  return { answers, now: first.now }
}

async function listIn(
  run: Run,
  statements: Statements,
  question: Exclude<Question, { key: string }>,
): Promise<QuestionAnswer> {
  const { table } = question
  if ('beginning' in question) {
    const { beginning, limit } = question
    const which = [table, beginning, `${beginning}\u{10ffff}`]
    if (limit !== undefined) {
      const rows = await run<{ key: string; content: string }>(statements.ENTRIES, [
        ...which,
        limit,
      ])
      return rows.map(({ key, content }) => [key, content] as const)
    }
    const rows = await run<{ key: string }>(statements.KEYS, which)
    return rows.map(({ key }) => key)
  }
  const { at, limit } = question
  const rows = await run<{ key: string; content: string }>(statements.SINCE, [table, at, limit])
  return rows.map(({ key, content }) => [key, content] as const)
}

export async function commitIn(
  run: Run,
  statements: Statements,
  changes: readonly Change[],
  readAt: number | null,
): Promise<boolean> {
  const values = [
    changes.map(({ table }) => table),
    changes.map(({ key }) => key),
    changes.map(({ before }) => before !== undefined),
    changes.map(({ before = null }) => before),
    changes.map(({ after }) => after !== undefined),
    changes.map(({ after = null }) => after),
    changes.map(({ at = null }) => at),
    changes.map(({ expires = null }) => expires),
    readAt === null ? null : readAt + MAX_AGE,
  ]
  try {
    const [row] = await run<{ is_done: boolean }>(statements.COMMIT, values)
    return row?.is_done === true
  } catch (error) {
    if ((error as { code?: unknown }).code === TOO_LATE) return false
    throw error
  }
}
