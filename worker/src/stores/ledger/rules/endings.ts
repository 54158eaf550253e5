import { isCutOff, type UserCutoff } from '@latchkey/session/issue'
import { erasedName } from '../../../lib/pseudonyms.js'
import type { ListedTable, Rows, Tables } from '../rows.js'
import type { DecidedCutoff, RevokedLately, SessionOwner } from '../types.js'
import { forgetStale, staleSince } from './stale-rows.js'

/**
 * The most endings of either kind in one answer, about half a megabyte, unless one second has more.
 */
export const MAX_REVOCATIONS = 10_000

/** Queries overlap by this much, for a ledger whose clock is set back. Seconds. */
export const LOOK_OVERLAP = 5

export const endings = {
  /** @param until the session's own end, seconds since the epoch */
  revoke(rows: Rows, now: number, sid: string, until: number): void {
    const row = rows.get('revoked', sid)
    rows.put('revoked', sid, { at: now, expires: Math.max(until, row?.expires ?? 0) })
    rows.delete('refreshes', sid)
  },

  /** @param owner the session's user, so that the end of all their sessions counts too */
  isRevoked(rows: Rows, _now: number, sid: string, owner?: SessionOwner): boolean {
    return isOver(rows, sid, owner)
  },

  /**
   * Ends all sessions of a user that began by a time, except one.
   * @param expires seconds since the epoch; afterwards the cut-off may be deleted
   * @param began when the session began that goes on
   * @returns `false`: nothing was done, since that session is over itself
   */
  cutOff(
    rows: Rows,
    now: number,
    { sub, until, except }: UserCutoff,
    expires: number,
    began = 0,
  ): boolean {
    // The spared session must not be over: it would spare itself. An ended session stays ended,
    // whatever comes later.
    if (except !== undefined && isOver(rows, except, { sub, auth_time: began })) return false
    const row = rows.get('cutoffs', sub)
    rows.put('cutoffs', sub, {
      until: Math.max(until, row?.until ?? 0),
      kept: except ?? null,
      at: now,
      expires: Math.max(expires, row?.expires ?? 0),
    })
    return true
  },

  /**
   * Finishes a user's last cut-off, which may have been written to some of several objects only.
   * @param decided for one of several objects: the cut-off that it may have missed
   * @returns the last cut-off, if there is one
   */
  repeatCutOff(
    rows: Rows,
    now: number,
    sub: string,
    decided?: DecidedCutoff,
  ): DecidedCutoff | undefined {
    // An object that missed a decision takes it over. Each of two decisions of one second ends the
    // session that the other one spares.
    const row = rows.get('cutoffs', sub)
    if (!decided) return row && { ...cutoffOf(sub, row), expires: row.expires }
    const { until, except = null } = decided
    const isLater = !row || row.until < until
    const isAtOdds = row?.until === until && row.kept !== null && row.kept !== except
    const expires = Math.max(decided.expires, row?.expires ?? 0)
    const kept = isLater ? except : null
    if (isLater || isAtOdds) rows.put('cutoffs', sub, { until, kept, at: now, expires })
    return decided
  },

  /**
   * Ends all sessions of a user that began by a time, and keeps the ending under other names: the
   * record under `sub` is deleted.
   * @param pids the names of the user in tokens
   * @param expires seconds since the epoch; afterwards nothing is left
   */
  erase(
    rows: Rows,
    now: number,
    { sub, until }: Pick<UserCutoff, 'sub' | 'until'>,
    pids: readonly string[],
    expires: number,
  ): void {
    for (const pid of pids) {
      const name = erasedName(pid)
      const row = rows.get('cutoffs', name)
      const longest = Math.max(expires, row?.expires ?? 0)
      const latest = Math.max(until, row?.until ?? 0)
      rows.put('cutoffs', name, { until: latest, kept: null, at: now, expires: longest })
    }
    rows.delete('cutoffs', sub)
    forgetStale(rows, sub)
  },

  /** The revocations at or after a time. @param since seconds, by the ledger's clock */
  revokedSince(rows: Rows, now: number, since: number): RevokedLately {
    const sessions = endedSince(rows, 'revoked', since)
    const users = endedSince(rows, 'cutoffs', since)
    const stale = staleSince(rows, now, since)
    // If there is more, the next query begins in the second of the last one.
    const ends = [sessions, users].flatMap(({ last }) => last ?? [])
    return {
      sessions: sessions.found.map(([sid, { at }]) => ({ sid, at })),
      users: users.found.map(([sub, row]) => cutoffOf(sub, row)),
      next: ends.length > 0 ? Math.min(...ends) : now - LOOK_OVERLAP,
      hasMore: ends.length > 0,
      ...(stale.length === 0 ? {} : { stale }),
    }
  },
}

/**
 * The oldest endings since a time, and the second of the last one if there may be more. That is a
 * later second, so that the next query goes on: however many ended in one, it is answered whole.
 */
function endedSince<Name extends ListedTable>(rows: Rows, table: Name, since: number) {
  for (let limit = MAX_REVOCATIONS; ; limit *= 2) {
    const found = rows.since(table, since, limit)
    const last = found.length < limit ? undefined : found.at(-1)?.[1].at
    if (last === undefined || last > since) return { found, last }
  }
}

export function isOver(rows: Rows, sid: string, owner?: SessionOwner): boolean {
  if (rows.get('revoked', sid)) return true
  if (!owner) return false
  const names = [owner.sub, ...(owner.pid === undefined ? [] : [erasedName(owner.pid)])]
  return names.some((name) => {
    const cutoff = rows.get('cutoffs', name)
    return cutoff !== undefined && isCutOff({ sid, ...owner }, cutoffOf(name, cutoff))
  })
}

function cutoffOf(sub: string, { until, kept }: Tables['cutoffs']): UserCutoff {
  return { sub, until, ...(kept === null ? {} : { except: kept }) }
}
