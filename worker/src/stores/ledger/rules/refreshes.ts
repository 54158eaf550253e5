import { type Rows, unexpired } from '../rows.js'
import type { RefreshClaim, RefreshedTokens } from '../types.js'
import { isOver } from './endings.js'

/**
 * After this time another caller may take over an unsettled claim. Longer than the deadline of any
 * request to a provider. Seconds.
 */
const REFRESH_LEASE = 30

export const refreshes = {
  /** A session's refreshed provider tokens. `undefined`: those of its record are the newest. */
  refreshedTokens(rows: Rows, now: number, sid: string): RefreshedTokens | undefined {
    const { version = 0, sealed = null } = unexpired(rows.get('refreshes', sid), now) ?? {}
    return sealed === null ? undefined : { version, sealed }
  },

  /**
   * Asks to refresh a session's provider tokens: one caller at a time may.
   * @param version how often the tokens that the caller has were refreshed
   * @param expires seconds since the epoch; afterwards the row may be deleted
   */
  claimRefresh(
    rows: Rows,
    now: number,
    sid: string,
    version: number,
    expires: number,
  ): RefreshClaim {
    if (isOver(rows, sid)) return { state: 'over' }
    const row = unexpired(rows.get('refreshes', sid), now)
    if (row && row.version > version) {
      const { version: newer, sealed } = row
      return sealed === null ? { state: 'taken' } : { state: 'newer', version: newer, sealed }
    }
    const isSame = row?.version === version
    if (isSame && row.leased_until > now) return { state: 'taken' }
    const sealed = isSame ? row.sealed : null
    rows.put('refreshes', sid, { version, sealed, leased_until: now + REFRESH_LEASE, expires })
    return { state: 'yours' }
  },

  /**
   * Ends a refresh that was claimed. Nothing happens when the session was revoked meanwhile.
   * @param version the one that was claimed; the tokens have the next one
   * @param sealed `undefined` when there are no new tokens: another caller may try
   */
  settleRefresh(
    rows: Rows,
    _now: number,
    sid: string,
    version: number,
    sealed: string | undefined,
  ): void {
    if (rows.get('refreshes', sid)?.version !== version) return
    const refreshed = sealed === undefined ? {} : { version: version + 1, sealed }
    rows.change('refreshes', sid, { ...refreshed, leased_until: 0 })
  },
}
