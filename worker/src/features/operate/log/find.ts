import type { AuditRecord } from '../../../types/audit.js'
import type { RecordsPage, RecordsQuery } from './record.js'
import { type AuditRow, type LogRows, newestOf, recordOf } from './rows.js'

/** Rows that one call looks at. */
const WINDOW = 5_000
const MAX_LIMIT = 1_000
/** Texts of one statement. The platform binds 100 values at most, and a person with all who were merged into them may have more. */
const TEXTS = 90
/**
 * How much the times of two records may differ from their order, in milliseconds: the times are the service's, and the order is that
 * of their arrival.
 */
const SKEW = 10 * 60 * 1000

/** Finds the newest records that a query asks for. Without an index: it looks at a window of rows, and the next call goes on. */
export async function findRecords(rows: LogRows, query: RecordsQuery): Promise<RecordsPage> {
  const chain = await rows.chain()
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = query
  const limit = Math.min(Math.max(Math.trunc(query.limit) || 1, 1), MAX_LIMIT)
  const end = Number.isFinite(until) ? await seqAfter(rows, chain, until + SKEW) : undefined
  const before = Math.min(query.before ?? Number.MAX_SAFE_INTEGER, end ?? Number.MAX_SAFE_INTEGER)
  const texts = textsOf(query)
  const found = await (texts ? containing(rows, texts, before, limit) : rows.before(before, limit))
  const records = found
    .filter((row) => {
      const time = timeOf(row, chain)
      return !(time < since || time >= until)
    })
    .map((row) => recordOf(row, chain))
    // A damaged record has no member to find it by.
    .filter((record) => ('damaged' in record ? texts === undefined : isWanted(record, query)))
  const last = found.length === limit ? found.at(-1)?.seq : await rows.lowest(before, WINDOW)
  return { records, next: await nextOf(rows, chain, last, since) }
}

/** The texts of which the row of a wanted record contains one; `undefined`: any row may be wanted. */
function textsOf({ persons, networks, event }: RecordsQuery): readonly string[] | undefined {
  const values = persons ?? networks ?? (event === undefined ? undefined : [event])
  return values?.map((value) => JSON.stringify(value))
}

async function containing(
  rows: LogRows,
  texts: readonly string[],
  before: number,
  limit: number,
): Promise<readonly AuditRow[]> {
  const found = new Map<number, AuditRow>()
  for (let at = 0; at < texts.length; at += TEXTS) {
    const some = await rows.containing(texts.slice(at, at + TEXTS), before, WINDOW, limit)
    for (const row of some) found.set(row.seq, row)
  }
  return [...found.values()].sort((one, other) => other.seq - one.seq).slice(0, limit)
}

function isWanted(record: AuditRecord, { persons, networks, event }: RecordsQuery): boolean {
  const { person, claimed, into, network } = record
  const isAmong = (all: readonly string[] | undefined, values: readonly (string | undefined)[]) =>
    all === undefined || values.some((value) => value !== undefined && all.includes(value))
  return (
    isAmong(persons, [person, claimed, into]) &&
    isAmong(networks, [network]) &&
    (event === undefined || record.event === event)
  )
}

/** @param last the lowest row that was looked at */
async function nextOf(
  rows: LogRows,
  chain: string,
  last: number | undefined,
  since: number,
): Promise<number | null> {
  if (last === undefined || (await rows.before(last, 1)).length === 0) return null
  const [row] = await rows.from(last, 1)
  return row && timeOf(row, chain) < since - SKEW ? null : last
}

/** The first record after a time, as good as: found by halves, because rows have no index by time. */
async function seqAfter(rows: LogRows, chain: string, time: number): Promise<number> {
  let low = (await rows.from(1, 1))[0]?.seq ?? 1
  let high = (await newestOf(rows)).seq + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [row] = await rows.from(middle, 1)
    if (!row || timeOf(row, chain) > time) high = middle
    else low = row.seq + 1
  }
  return low
}

function timeOf(row: AuditRow, chain: string): number {
  const record = recordOf(row, chain)
  return 'damaged' in record ? row.at : Date.parse(record.time)
}
