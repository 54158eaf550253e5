import type { Ledger as LedgerObject } from '../ledger.js'
import type { Ledger, Redemption, RefreshClaim } from './ports.js'

/**
 * The ledger behind a Durable Object binding, in one object or in several: what concerns a session
 * or a name is always in the same one. What was written with another number of objects is found
 * only while that number is still listed.
 *
 * @param shards numbers of objects, in the order in which they were or will be in use
 */
export function durableLedger(
  namespace: DurableObjectNamespace<LedgerObject>,
  shards: readonly number[] = [1],
): Ledger {
  const open = (name: string) => namespace.get(namespace.idFromName(name))
  const names = shards.flatMap((count) =>
    Array.from({ length: count }, (_, index) => nameOf(count, index)),
  )
  const homeNames = (key: string) => shards.map((count) => nameOf(count, hash(key) % count))
  const homes = (key: string) => homeNames(key).map(open)
  const newest = (key: string) => open(homeNames(key).at(-1) as string)
  return {
    async consume(name, expires) {
      // In turn, since an isolate that has not heard of a new number asks the old one alone.
      for (const ledger of homes(name)) {
        if (!(await ledger.consume(name, expires))) return false
      }
      return true
    },
    async revoke(sid, until) {
      await Promise.all(homes(sid).map((ledger) => ledger.revoke(sid, until)))
    },
    async isRevoked(sid, owner) {
      const answers = homes(sid).map((ledger) => ledger.isRevoked(sid, owner))
      return (await Promise.all(answers)).includes(true)
    },
    async cutOff(cutoff, expires, began) {
      const first = homeNames(cutoff.sub)
      // Of two at the same time, these decide which one counts; the others follow.
      for (const name of first) {
        if (!(await open(name).cutOff(cutoff, expires, began))) return false
      }
      const others = names.filter((name) => !first.includes(name))
      await Promise.all(others.map((name) => open(name).cutOff(cutoff, expires, began)))
      return true
    },
    async revokedSince(since) {
      const found = await Promise.all(names.map((name) => open(name).revokedSince(since)))
      return {
        sessions: found.flatMap(({ sessions }) => sessions),
        users: found.flatMap(({ users }) => users),
        // Each has a clock of its own.
        next: Math.min(...found.map(({ next }) => next)),
        hasMore: found.some(({ hasMore }) => hasMore),
      }
    },
    async refreshedTokens(sid) {
      const found = await Promise.all(homes(sid).map((ledger) => ledger.refreshedTokens(sid)))
      const [newest] = found.sort((one, other) => (other?.version ?? -1) - (one?.version ?? -1))
      return newest
    },
    async claimRefresh(sid, version, expires) {
      let claim: RefreshClaim = { state: 'taken' }
      for (const ledger of homes(sid)) {
        claim = await ledger.claimRefresh(sid, version, expires)
        if (claim.state !== 'yours') break
      }
      return claim
    },
    async settleRefresh(sid, version, sealed) {
      await Promise.all(homes(sid).map((ledger) => ledger.settleRefresh(sid, version, sealed)))
    },

    // What was mailed is in one object only, the newest, so that it is redeemed once; while the
    // number changes it is looked for in the others too. So are attempts, which may then be twice
    // as many.
    admit: (key, limits) => newest(key).admit(key, limits),
    forgive: (key, limits) => newest(key).forgive(key, limits),

    async startVerification(key, verification) {
      const older = homes(key).slice(0, -1)
      await Promise.all(older.map((ledger) => ledger.withdrawVerification(key)))
      await newest(key).startVerification(key, verification)
    },

    async findVerification(key, link) {
      const found = await Promise.all(
        homes(key).map((ledger) => ledger.findVerification(key, link)),
      )
      return found.find((sealed) => sealed !== undefined)
    },

    async redeemVerification(key, proof) {
      let redemption: Redemption = { state: 'over' }
      for (const ledger of homes(key).reverse()) {
        redemption = await ledger.redeemVerification(key, proof)
        if (redemption.state !== 'over') break
      }
      return redemption
    },

    async withdrawVerification(key, link) {
      await Promise.all(homes(key).map((ledger) => ledger.withdrawVerification(key, link)))
    },
  }
}

/** One object keeps the name that it has without the setting. */
function nameOf(count: number, index: number): string {
  return count === 1 ? 'ledger' : `ledger-${count}-${index}`
}

/** FNV-1a, 32 bits: spreads evenly, and everywhere in the same way. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  }
  return value >>> 0
}
