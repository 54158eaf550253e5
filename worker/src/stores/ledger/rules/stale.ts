import { CLOCK_SKEW } from '@latchkey/session/issue'
import { erasedName } from '../../../lib/pseudonyms.js'
import type { Rows, Tables } from '../rows.js'
import type { ClaimsRefresh, RefreshedClaims, SessionOwner, Standing } from '../types.js'
import { isOver } from './endings.js'
import { isOfSession, MAX_STALE, nameOf, namesOf, staleUntil } from './stale-rows.js'

/** The most entries that people have asked for themselves. */
const MAX_OWN_STALE = MAX_STALE / 2

/**
 * Several refreshes in one second count up to so many seconds to come: a token that is renewed between two of them is issued
 * after the first one, and before the second.
 */
const MAX_AHEAD = 15
/** People's own: fewer, so that no person holds up the operator. */
const MAX_OWN_AHEAD = 5

type Entry = readonly [key: string, row: Tables['stale']]

/**
 * The keys of the entries. For an erased person they have the names in tokens and not the id, which would be stored again. The
 * person may have come back since.
 */
function keysOf(rows: Rows, { sub, sid, pids = [] }: RefreshedClaims): readonly string[] {
  const isErased = pids.some((pid) => rows.get('cutoffs', erasedName(pid)))
  if (sid !== undefined || !isErased) return [nameOf({ sub, sid })]
  return pids.map((pid) => nameOf({ sub: erasedName(pid) }))
}

/** Seconds until there is room for one entry more; 0: there is. One that takes the place of an earlier one needs none. */
function waitFor(
  standing: readonly Entry[],
  names: readonly string[],
  isOwn: boolean,
  now: number,
): number {
  const others = standing.filter(([key]) => !names.includes(key))
  const own = others.filter(([, row]) => row.own === 1)
  const full = [others.length >= MAX_STALE && others, isOwn && own.length >= MAX_OWN_STALE && own]
  const waits = full.flatMap((entries) =>
    entries ? Math.min(...entries.map(([, { expires }]) => expires)) - now : [],
  )
  return Math.max(0, ...waits)
}

export const stale = {
  /**
   * Has the tokens of a person, or of one session, that were issued by now renewed at their next use. A second refresh takes the
   * place of the first.
   *
   * @param second the time of the caller. Seconds since the epoch
   * @param window for how long it stands. Seconds
   * @param asker the person asks, by a session that must not be over
   */
  refreshClaims(
    rows: Rows,
    now: number,
    whose: RefreshedClaims,
    second: number,
    window: number,
    asker?: SessionOwner,
  ): ClaimsRefresh {
    const { sub, sid, pids = [] } = whose
    if (asker && sid !== undefined && isOver(rows, sid, asker)) return { isOver: true }
    const names = keysOf(rows, whose)
    const standing = rows
      .since('stale', now - window, 2 * MAX_STALE)
      .filter(([, { expires }]) => expires > now)
    // A caller's clock may lag behind those of the isolates that have signed. No token may be issued far in the future.
    const latest = Math.max(second, Math.min(now, second + CLOCK_SKEW / 2))
    // Tokens that were renewed after these entries are a second later.
    const person = namesOf(sub, pids)
    const mine = sid === undefined ? isOfSession : (key: string) => key === nameOf(whose)
    const earlier = standing.filter(([key]) => person.includes(key) || mine(key))
    const until = Math.max(latest, ...earlier.map(([, row]) => row.until + 1))
    const most = latest + (asker ? MAX_OWN_AHEAD : MAX_AHEAD)
    const retryAfter =
      until > most ? until - most : waitFor(standing, names, asker !== undefined, now)
    if (retryAfter > 0) return { retryAfter }
    for (const name of names) {
      rows.put('stale', name, { until, own: asker ? 1 : 0, at: now, expires: now + window })
    }
    return { until }
  },

  /**
   * Is a session over, and up to when are its tokens stale?
   *
   * @param owner the session's user
   */
  standing(rows: Rows, now: number, sid: string, owner: SessionOwner): Standing {
    const until = staleUntil(rows, now, owner, [sid])
    return {
      isOver: isOver(rows, sid, owner),
      ...(until === undefined ? {} : { staleUntil: until }),
    }
  },
}
