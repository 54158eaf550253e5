import type { Table } from '../ledger/rows.js'
import { type Change, MAX_AGE, type Question, type QuestionAnswer } from '../stored.js'
import { SWEEP_GRACE } from './node-store.js'
import { COMMIT, ENTRIES, KEYS_FROM, READ, SINCE } from './redis-scripts.js'

export type Run = (
  script: string,
  keys: readonly string[],
  args?: readonly string[],
) => Promise<unknown>

/** Lists of rows beside them: by time, and by key if keys that begin so are asked for. */
const LISTS: readonly Table[] = [
  'revoked',
  'cutoffs',
  'attempts',
  'documents',
  'verifications',
  'stale',
]

export type Names = ReturnType<typeof namesFor>

/** All keys of a store are in one slot of a cluster. */
export function namesFor(prefix: string) {
  const all = `{${prefix}}:`
  return {
    ends: `${all}index:ends`,
    listOf: (table: Table) => `${all}index:${table}`,
    rowOf: (table: Table, key: string) => `${all}${table}:${key}`,
    /** The name has its length, so that no name of a person is the beginning of another one's. */
    sessionOf: (sub: string, sid: string) => `${all}session:${sub.length}:${sub}:${sid}`,
    sessionsOf: (sub: string) => `${all}sessions:${sub}`,
  }
}

export async function readIn(
  run: Run,
  names: Names,
  questions: readonly Question[],
): Promise<{ answers: readonly QuestionAnswer[]; now: number }> {
  const keys = questions.flatMap((one) => ('key' in one ? names.rowOf(one.table, one.key) : []))
  // The time comes first: everything listed was there at that time, and perhaps more.
  const read = (await run(READ, keys)) as [string, string, string[]]
  const [seconds, micros, rows] = read
  const answers: QuestionAnswer[] = []
  for (const question of questions) {
    answers.push('key' in question ? rows.shift() || null : await listIn(run, names, question))
  }
  return { answers, now: Number(seconds) * 1000 + Number(micros) / 1000 }
}

async function listIn(
  run: Run,
  { listOf, rowOf }: Names,
  question: Exclude<Question, { key: string }>,
): Promise<QuestionAnswer> {
  const { table } = question
  const none = rowOf(table, '')
  if ('beginning' in question) {
    const { beginning, limit } = question
    const keys = [listOf(table), rowOf(table, beginning), none]
    return limit === undefined
      ? ((await run(KEYS_FROM, keys)) as string[])
      : inPairs(await run(ENTRIES, keys, [`${limit}`]))
  }
  return inPairs(await run(SINCE, [listOf(table), none], [`${question.at}`, `${question.limit}`]))
}

function inPairs(answer: unknown): readonly (readonly [string, string])[] {
  const values = answer as string[]
  return values.flatMap((key, at) =>
    at % 2 === 0 ? [[key, values[at + 1] as string] as const] : [],
  )
}

export async function commitIn(
  run: Run,
  { ends, listOf, rowOf }: Names,
  changes: readonly Change[],
  readAt: number | null,
  seconds: number | undefined,
): Promise<boolean> {
  const rows = changes.flatMap(({ table, before, after, at, expires }) => [
    written(before),
    written(after),
    `${expires ?? ''}`,
    `${LISTS.indexOf(table) + 1 || ''}`,
    `${at ?? 0}`,
  ])
  const keys = changes.map(({ table, key }) => rowOf(table, key))
  const latest = readAt === null ? '' : `${readAt + MAX_AGE}`
  const past = seconds === undefined ? `-${SWEEP_GRACE}` : `${seconds - SWEEP_GRACE}`
  const args = [latest, past, `${LISTS.length}`, ...rows]
  return (await run(COMMIT, [ends, ...LISTS.map(listOf), ...keys], args)) === 1
}

function written(row: string | null | undefined): string {
  if (row === undefined) return ''
  return row === null ? '0' : `=${row}`
}
