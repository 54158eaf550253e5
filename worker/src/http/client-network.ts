import { networkIn, networkOf } from './network.js'
import type { AuthRequest } from './request.js'

/**
 * The network of the visitor: behind an app that has proved itself the one that the app names,
 * otherwise the network of the sender. It suffices for counts in this process or location; {@link
 * provenNetwork} is for the ledger.
 */
export function clientNetwork({ proof, original }: AuthRequest): string | undefined {
  return networkIn(proof?.client ?? '') ?? networkOf(original)
}

/**
 * The same, but each proof names a visitor only once: a stolen proof cannot have its thief's tries
 * counted as the visitor's. Called once for each request, after the nearer counts have let it pass:
 * it costs a write.
 *
 * @throws {StoreUnavailable}
 */
export async function provenNetwork(request: AuthRequest): Promise<string | undefined> {
  const { proof, original, stores } = request
  const named = networkIn(proof?.client ?? '')
  if (!proof || named === undefined) return networkOf(original)
  if (await stores.ledger.consume(`proof:${proof.nonce}`, proof.expires)) return named
  request.features.proofs?.notifyReplay(request)
  return networkOf(original)
}
