import type { UserCutoff } from '@latchkey/session/issue'
import type { RevocationTimeline } from '../revocation-timeline.js'
import { BETWEEN } from '../revoked-handles.js'
import type { ListedStale, Mark, RevocationLines } from './types.js'

/**
 * The length of one answer, in characters. A caller goes on with another call: a caller that starts
 * asks several collectors at once, and has little memory.
 */
const MAX_LENGTH = 2 * 1024 * 1024

/**
 * A collector's answer: the endings that its caller does not have yet, as far as one answer has
 * room.
 *
 * @param next the time up to which all endings are known, in seconds
 * @param name the collector's own, which its marks carry
 * @param last the mark of the caller's last answer
 */
export function linesSince(
  ended: ReturnType<RevocationTimeline['seconds']>,
  next: number,
  name: string,
  last: Mark | undefined,
): RevocationLines {
  const before = new Map(last?.of === name ? last.told : [])
  const users: UserCutoff[] = []
  const stale: ListedStale[] = []
  const seconds: [number, string][] = []
  const told: [number, number][] = []
  let length = 0
  let rest: number | undefined
  for (const [second, one] of ended) {
    users.push(...one.users)
    stale.push(...one.stale)
    const { sids } = one
    if (sids === '' || rest !== undefined) continue
    const news = newsIn(sids, before.get(second) ?? 0)
    if (length > 0 && length + news.length > MAX_LENGTH) {
      rest = second
      continue
    }
    length += news.length
    told.push([second, sids.length])
    if (news !== '') seconds.push([second, news])
  }
  const news = stale.length === 0 ? {} : { stale }
  const answer = { seconds, users, ...news, marks: [{ of: name, told }] }
  if (rest === undefined) return { ...answer, next, hasMore: false }
  return { ...answer, next: Math.min(next, rest), hasMore: rest <= next }
}

/**
 * The new part of a line.
 * @param length characters that were sent; more than there are, if the line restarted
 */
function newsIn(line: string, length: number): string {
  if (length === 0 || length > line.length) return line
  return line.slice(length + BETWEEN.length)
}
