import { InvalidCheck } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { signedIn } from '../../session/read.js'

/**
 * A flow that adds a way belongs to the session that began it, and adds to no other person: the browser's
 * session must be that one now, and not be over.
 *
 * @param sid of the session that began it
 * @throws {InvalidCheck} @throws {StoreUnavailable}
 */
export async function checkAsker(request: AuthRequest, sid: string): Promise<void> {
  const claims = await signedIn(request)
  if (claims?.sid !== sid) {
    throw new InvalidCheck('A way to sign in is added in the session alone that asked for it.')
  }
  request.asker = claims
}
