import { CLOCK_SKEW } from '@latchkey/session/issue'
import { type Rows, unexpired } from '../rows.js'
import type { ClaimsRefresh, RefreshedClaims, SessionOwner, Standing } from '../types.js'
import { isOver } from './endings.js'
import { MAX_STALE, nameOf, staleUntil } from './stale-rows.js'

/** The most entries that people have asked for themselves. */
const MAX_OWN_STALE = MAX_STALE / 2

/**
 * Several refreshes in one second count up to so many seconds to come: a token that is renewed between two of them is issued
 * after the first one, and before the second.
 */
const MAX_AHEAD = 15

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
    const { sid } = whose
    if (asker && sid !== undefined && isOver(rows, sid, asker)) return { isOver: true }
    const name = nameOf(whose)
    const before = unexpired(rows.get('stale', name), now)
    // A caller's clock may lag behind those of the isolates that have signed. No token may be issued far in the future.
    const latest = Math.max(second, Math.min(now, second + CLOCK_SKEW / 2))
    const until = before ? Math.max(latest, before.until + 1) : latest
    if (until > latest + MAX_AHEAD) return { retryAfter: until - latest - MAX_AHEAD }
    const standing = rows
      .since('stale', now - window, 2 * MAX_STALE)
      .filter(([key, row]) => key !== name && row.expires > now)
    const counted = asker ? standing.filter(([, { own }]) => own === 1) : standing
    if (standing.length >= MAX_STALE || (asker && counted.length >= MAX_OWN_STALE)) {
      const ends = counted.map(([, { expires }]) => expires)
      return { retryAfter: Math.max(1, Math.min(...ends) - now) }
    }
    const expires = now + window
    rows.put('stale', name, { until, own: asker ? 1 : 0, at: now, expires })
    return { until }
  },

  /**
   * Is a session over, and up to when are its tokens stale?
   *
   * @param owner the session's user
   */
  standing(rows: Rows, now: number, sid: string, owner: SessionOwner): Standing {
    const until = staleUntil(rows, now, owner.sub, [sid])
    return {
      isOver: isOver(rows, sid, owner),
      ...(until === undefined ? {} : { staleUntil: until }),
    }
  },
}
