import type { SessionClaims } from '@latchkey/session'
import { InvalidCheck } from '../../errors.js'
import { flowPart } from '../../http/purpose.js'
import type { AuthRequest } from '../../http/request.js'
import { signedIn } from '../../session/read.js'

/** The data of a flow that adds a way: the `sid` of the session that began it. */
export const adding = flowPart<{ readonly sid: string }>('ways')

/**
 * A flow that adds a way belongs to the session that began it, and adds to no other person: the browser's
 * session must be that one now, and not be over.
 *
 * @param part as {@link adding} has it
 * @throws {InvalidCheck} @throws {StoreUnavailable}
 */
export async function checkAsker(request: AuthRequest, part: unknown): Promise<SessionClaims> {
  const claims = await signedIn(request)
  if (claims && claims.sid === (part as { readonly sid?: unknown }).sid) return claims
  throw new InvalidCheck('A way to sign in is added in the session alone that asked for it.')
}
