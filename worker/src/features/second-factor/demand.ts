import type { SessionClaims } from '@latchkey/session'
import { acrOf } from '@latchkey/session/internal'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import type { KeptFactor, Person } from '../../person/documents.js'
import { askSecondFactor, type SignedIn } from '../../session/callbacks.js'
import { settled } from '../ways/changes.js'
import { hasStrongFactor, isStrong, isWaiting } from '../ways/strength.js'
import { factorOf } from './person-factor.js'

/** What the `amr` of a session gains by a second factor (RFC 8176): one that waits is no second one yet. */
export function methodsBy(request: AuthRequest, factor: KeptFactor | undefined): readonly string[] {
  return factor && !isWaiting(factor, nowInSeconds(request)) ? ['otp', 'mfa'] : ['otp']
}

/** What a sign-in still takes: a code, a code that may be left out, or that a second factor is set up. */
export type Demand = 'code' | 'either' | 'set-up'

/**
 * What a sign-in still takes before a session begins: a code of the person's, or that they set a second factor
 * up. Nothing after a passkey that has verified its person, which is two factors (NIST SP 800-63B, 2.2.1). A code
 * of an app that waits may be left out, unless the app of this service demands one: perhaps the app is a stranger's,
 * and its person must not be kept out.
 *
 * @param person their document; left out: the ledger has none, and so no factor of theirs
 * @throws {AccessDenied} the app's function threw, or did not answer
 */
export async function demandOf(
  request: AuthRequest,
  signedIn: SignedIn,
  person: Person | undefined,
): Promise<Demand | undefined> {
  if (acrOf(signedIn.amr ?? [signedIn.account.provider]) === '2') return undefined
  const factor = factorOf(person)
  if (factor && isWaiting(factor, nowInSeconds(request))) {
    return (await askSecondFactor(request, signedIn)) ? 'code' : 'either'
  }
  if (factor) return 'code'
  const isAskedFor = request.again !== undefined && request.acr === '2'
  return isAskedFor || (await askSecondFactor(request, signedIn)) ? 'set-up' : undefined
}

/**
 * Has the person of a session shown their second factor, where they have one that counts? A session that began
 * before it was set up, perhaps a stranger's, is fresh for five minutes more: it takes nothing away that the factor
 * protects, and adds nothing. The token alone says it, since a stranger may have a copy of the cookie from before.
 *
 * @throws {StoreUnavailable}
 */
export function hasShownFactor(request: AuthRequest, asker: Asker): Promise<boolean> {
  return hasShown(request, asker, hasStrongFactor)
}

/** Is a session of `acr` 2, where its person has a passkey or an app that gives it? @throws {StoreUnavailable} */
export function isAsStrong(request: AuthRequest, asker: Asker): Promise<boolean> {
  return hasShown(request, asker, isStrong)
}

type Asker = Pick<SessionClaims, 'sub' | 'amr'>

async function hasShown(
  request: AuthRequest,
  { sub, amr }: Asker,
  asks: typeof isStrong,
): Promise<boolean> {
  if (acrOf(amr) === '2') return true
  // A passkey whose addition failed halfway protects nothing: nobody can sign in by it.
  const person = await settled(request, sub)
  return !person || !asks(person, nowInSeconds(request))
}
