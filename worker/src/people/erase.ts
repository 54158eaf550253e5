import type { AuthRequest } from '../http/request.js'
import { eraseSessionsOf } from '../session/list.js'

/**
 * Deletes everything that is kept of a person. Each step may be done again, so a call after a failure
 * finishes.
 *
 * @throws {StoreUnavailable}
 */
export async function erasePerson(request: AuthRequest, sub: string): Promise<void> {
  await eraseSessionsOf(request, sub)
  // For who signs in by mail: the counts and the mail of the address.
  await request.stores.ledger.forget?.(`email:${sub}`)
}
