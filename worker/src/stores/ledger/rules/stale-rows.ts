import { erasedName } from '../../../lib/pseudonyms.js'
import { type Rows, type Tables, unexpired } from '../rows.js'
import type { ListedStale, RefreshedClaims, SessionOwner } from '../types.js'

/** The most entries of stale tokens that stand at the same time. */
export const MAX_STALE = 1_000

const PERSON = 'person '
const SESSION = 'session '

/** Up to when the tokens of a person and of their sessions are stale; `undefined`: none is. */
export function staleUntil(
  rows: Rows,
  now: number,
  { sub, pid }: Pick<SessionOwner, 'sub' | 'pid'>,
  sids: readonly string[],
): number | undefined {
  const pids = pid === undefined ? [] : [pid]
  const names = [...namesOf(sub, pids), ...sids.map((sid) => nameOf({ sub, sid }))]
  const found = names.flatMap((name) => unexpired(rows.get('stale', name), now)?.until ?? [])
  return found.length === 0 ? undefined : Math.max(...found)
}

/** The entries since a time, the oldest first. @param since seconds */
export function staleSince(rows: Rows, now: number, since: number): readonly ListedStale[] {
  return rows
    .since('stale', since, 2 * MAX_STALE)
    .flatMap(([name, row]) => (unexpired(row, now) ? listedOf(name, row) : []))
}

function listedOf(name: string, { until, at }: Tables['stale']): readonly ListedStale[] {
  const session = isOfSession(name)
  const id = name.slice(session ? SESSION.length : PERSON.length)
  return [{ ...(session ? { sid: id } : { sub: id }), until, at }]
}

export function isOfSession(name: string): boolean {
  return name.startsWith(SESSION)
}

/** The keys of the rows that a person may have: one by their `sub`, and those from after an erasure. */
export function namesOf(sub: string, pids: readonly string[]): readonly string[] {
  return [sub, ...pids.map(erasedName)].map((name) => nameOf({ sub: name }))
}

/** The key of the row. */
export function nameOf({ sub, sid }: RefreshedClaims): string {
  return sid === undefined ? PERSON + sub : SESSION + sid
}

/** An erased person leaves nothing behind: their sessions have ended. */
export function forgetStale(rows: Rows, sub: string): void {
  rows.delete('stale', nameOf({ sub }))
}
