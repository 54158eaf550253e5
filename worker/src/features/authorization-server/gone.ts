import type { AuthRequest } from '../../http/request.js'
import { endGrants, keyOf, ledgerOf } from './grant.js'

/**
 * Ends all that apps may do for a person who is erased or merged into another one, and forgets what they have consented to.
 *
 * @throws {StoreUnavailable} called again, it goes on
 */
export async function endAllOf(request: AuthRequest, sub: string): Promise<void> {
  const ledger = ledgerOf(request)
  const beginning = keyOf(sub, '')
  // A listing has a thousand documents at most, and a person has no more: but a listing may lack some that were written meanwhile.
  for (let rounds = 0; rounds < 3; rounds++) {
    const keys = (await ledger.documentsOf(sub, ['grant', 'consent'])).map(({ key }) => key)
    if (keys.length === 0) return
    const grants = keys.filter((key) => key.startsWith(beginning))
    const handles = grants.map((key) => key.slice(beginning.length))
    await endGrants(
      request,
      sub,
      handles,
      keys.filter((key) => !key.startsWith(beginning)),
    )
  }
}
