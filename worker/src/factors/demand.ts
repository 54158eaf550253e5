import type { SessionClaims } from '@latchkey/session'
import { acrOf } from '@latchkey/session/internal'
import type { AuthRequest } from '../http/request.js'
import { askSecondFactor, type SignedIn } from '../session/callbacks.js'
import { type Person, readPerson } from '../ways/documents.js'
import { factorOf } from './person-factor.js'

/** What the `amr` of a session gains by a second factor (RFC 8176). */
export const SECOND_FACTOR = ['otp', 'mfa'] as const

/**
 * What a sign-in still takes before a session begins: a code of the person's, or that they set a second factor
 * up. Nothing after a passkey that has verified its person, which is two factors (NIST SP 800-63B, 2.2.1).
 *
 * @param person their document; left out: the ledger has none, and so no factor of theirs
 * @throws {AccessDenied} the app's function threw, or did not answer
 */
export async function demandOf(
  request: AuthRequest,
  signedIn: SignedIn,
  person: Person | undefined,
): Promise<'code' | 'set-up' | undefined> {
  if (acrOf(signedIn.amr ?? [signedIn.account.provider]) === '2') return undefined
  if (factorOf(person)) return 'code'
  const isAskedFor = request.again !== undefined && request.acr === '2'
  return isAskedFor || (await askSecondFactor(request, signedIn)) ? 'set-up' : undefined
}

/**
 * Has the person of a session shown their second factor, where they have one? A session that began before it was
 * set up, perhaps a stranger's, is fresh for five minutes more: it neither takes the factor away nor adds a passkey,
 * which would do without. The token alone says it, since a stranger may have a copy of the cookie from before.
 *
 * @throws {StoreUnavailable}
 */
export async function hasShownFactor(
  request: AuthRequest,
  { sub, amr }: Pick<SessionClaims, 'sub' | 'amr'>,
): Promise<boolean> {
  return acrOf(amr) === '2' || !factorOf((await readPerson(request, sub)).person)
}
