import { type Rules, unexpired } from '../rows.js'
import { isOver } from './endings.js'

/**
 * After this time another caller may take over an unsettled claim. Longer than the deadline of any
 * request to a provider. Seconds.
 */
const REFRESH_LEASE = 30

export const refreshes: Rules<'refreshedTokens' | 'claimRefresh' | 'settleRefresh'> = {
  refreshedTokens(rows, now, sid) {
    const { version = 0, sealed = null } = unexpired(rows.get('refreshes', sid), now) ?? {}
    return sealed === null ? undefined : { version, sealed }
  },

  claimRefresh(rows, now, sid, version, expires) {
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

  settleRefresh(rows, _now, sid, version, sealed) {
    if (rows.get('refreshes', sid)?.version !== version) return
    const refreshed = sealed === undefined ? {} : { version: version + 1, sealed }
    rows.change('refreshes', sid, { ...refreshed, leased_until: 0 })
  },
}
