import { networkIn, networkOf } from './network.js'
import type { AuthRequest } from './request.js'

/**
 * The network of the visitor: behind an app that has proved itself the one that the app names, otherwise
 * that of who sends the request. It suffices for what is counted close by; {@link provenNetwork} is for
 * the ledger.
 */
export function clientNetwork({ proof, original }: AuthRequest): string | undefined {
  return networkIn(proof?.client ?? '') ?? networkOf(original)
}

/**
 * The same, where a proof names a visitor once: whoever got hold of one cannot have their own tries counted
 * as somebody else's. Asked once for each request, after what is counted close by has let it pass: it costs
 * a write.
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
