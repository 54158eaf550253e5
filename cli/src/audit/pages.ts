import type { Terminal } from '../command.js'
import { isRecord } from '../is-record.js'
import { notUnderstood, type Service } from '../operator/service.js'

/** The most that one call returns. */
const MAX_PAGE = 200

/**
 * The records that a query finds, page by page, the newest first. A page may have none.
 *
 * @param limit the most records; `Infinity`: all
 * @throws {Failed}
 */
export async function* pagesOf(
  service: Service,
  query: object,
  limit = Number.POSITIVE_INFINITY,
): AsyncIterable<readonly unknown[]> {
  let left = limit
  let after: unknown
  do {
    const wanted = Math.min(left, MAX_PAGE)
    const page = await service.call('audit', { ...query, after, limit: wanted })
    if (!isRecord(page) || !Array.isArray(page.records) || page.records.length > wanted) {
      throw notUnderstood(service, 'audit')
    }
    const { records, next } = page
    const isNew = typeof next === 'string' && next !== '' && next !== after
    // A service that gives the same page again and again would be asked without an end.
    if (next !== null && !isNew) throw notUnderstood(service, 'audit')
    yield records
    left -= records.length
    after = next
  } while (after !== null && left > 0)
}

/** A line on standard error that says how many records were read, if a person watches. */
export function progressOf({ note, isWatched }: Pick<Terminal, 'note' | 'isWatched'>) {
  let count = 0
  return {
    add(more: number) {
      count += more
      if (isWatched) note(`\r\u001b[K${count.toLocaleString('en-US')} records read`)
    },
    clear() {
      if (isWatched) note('\r\u001b[K')
    },
  }
}
