import type { RevocationList } from '@latchkey/session/internal'
import { MAX_TOKEN_LIFE, type UserCutoff } from '@latchkey/session/issue'

/** Called with each ending that is written to a ledger. */
export interface RevokingLedger {
  revoke(sid: string, until: number): Promise<void>
  cutOff(cutoff: UserCutoff, expires: number, began?: number): Promise<boolean>
  erase(cutoff: UserCutoff, pids: readonly string[], expires: number): Promise<void>
  endAll(sids: readonly string[], until: number, keys: readonly string[]): Promise<void>
  refreshClaims(
    whose: RefreshedClaims,
    ...rest: readonly unknown[]
  ): Promise<{ readonly until?: number }>
}

/** The claims of a person, or of one session. */
interface RefreshedClaims {
  readonly sub: string
  readonly sid?: string | undefined
}

/**
 * A ledger that tells this process of its endings at once: after a sign-out here the next request
 * has no session, without a call. An ending is remembered for as long as any token may live, since
 * several configurations may share the ledger.
 */
export function hearingLedger<Ledger extends RevokingLedger>(
  ledger: Ledger,
  ended: RevocationList,
): Ledger {
  const hearing: RevokingLedger = {
    async revoke(...ending) {
      const result = await ledger.revoke(...ending)
      const at = Math.floor(Date.now() / 1000)
      ended.add({ sessions: [{ sid: ending[0], at }], users: [] }, MAX_TOKEN_LIFE)
      return result
    },
    async cutOff(...ending) {
      const result = await ledger.cutOff(...ending)
      if (result === true) ended.add({ sessions: [], users: [ending[0]] }, MAX_TOKEN_LIFE)
      return result
    },
    async erase(...ending) {
      await ledger.erase(...ending)
      ended.add({ sessions: [], users: [ending[0]] }, MAX_TOKEN_LIFE)
    },
    async endAll(...ending) {
      await ledger.endAll(...ending)
      const at = Math.floor(Date.now() / 1000)
      ended.add({ sessions: ending[0].map((sid) => ({ sid, at })), users: [] }, MAX_TOKEN_LIFE)
    },
    async refreshClaims(...refresh) {
      const answer = await ledger.refreshClaims(...refresh)
      const [{ sub, sid }] = refresh
      const { until } = answer
      const name = sid === undefined ? { sub } : { sid }
      if (until !== undefined) ended.add({ stale: [{ ...name, until }] }, MAX_TOKEN_LIFE)
      return answer
    },
  }
  return { ...ledger, ...hearing }
}
