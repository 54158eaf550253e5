import type { Ledger as LedgerObject } from '../ledger.js'
import type { Ledger } from './ports.js'

/**
 * The ledger behind a Durable Object binding, in one object or in several: what concerns a session
 * or a name is always in the same one. What was written with another number of objects is found
 * only while that number is still listed.
 *
 * @param shards numbers of objects; the last is written to, all are read
 */
export function durableLedger(
  namespace: DurableObjectNamespace<LedgerObject>,
  shards: readonly number[] = [1],
): Ledger {
  const object = (count: number, index: number) =>
    // One object keeps the name that it has without the setting.
    namespace.get(namespace.idFromName(count === 1 ? 'ledger' : `ledger-${count}-${index}`))
  const home = (key: string, count = shards.at(-1) ?? 1) => object(count, hash(key) % count)
  const homes = (key: string) => shards.map((count) => home(key, count))
  const everywhere = shards.flatMap((count) =>
    Array.from({ length: count }, (_, index) => () => object(count, index)),
  )
  return {
    async consume(name, expires) {
      // Where it was used up before the number was changed, it stays so.
      const [last, ...others] = homes(name).reverse()
      const used = await Promise.all(others.map((other) => other.isConsumed(name)))
      return !used.includes(true) && last !== undefined && last.consume(name, expires)
    },
    async revoke(sid, until) {
      await Promise.all(homes(sid).map((ledger) => ledger.revoke(sid, until)))
    },
    async isRevoked(sid, owner) {
      const answers = homes(sid).map((ledger) => ledger.isRevoked(sid, owner))
      return (await Promise.all(answers)).includes(true)
    },
    async cutOff(cutoff, expires) {
      await Promise.all(everywhere.map((ledger) => ledger().cutOff(cutoff, expires)))
    },
    async revokedSince(since) {
      const found = await Promise.all(everywhere.map((ledger) => ledger().revokedSince(since)))
      return {
        sessions: found.flatMap(({ sessions }) => sessions),
        users: found.flatMap(({ users }) => users),
      }
    },
    async refreshedTokens(sid) {
      const found = await Promise.all(homes(sid).map((ledger) => ledger.refreshedTokens(sid)))
      return found.findLast((tokens) => tokens !== undefined)
    },
    async claimRefresh(sid, version, expires) {
      const [last, ...others] = homes(sid).reverse()
      for (const other of others) {
        const tokens = await other.refreshedTokens(sid)
        if (tokens && tokens.version > version) return { state: 'newer', ...tokens }
      }
      return last === undefined ? { state: 'taken' } : last.claimRefresh(sid, version, expires)
    },
    settleRefresh: async (sid, version, sealed) => home(sid).settleRefresh(sid, version, sealed),
  }
}

/** FNV-1a, 32 bits: spreads evenly, and everywhere in the same way. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  }
  return value >>> 0
}
