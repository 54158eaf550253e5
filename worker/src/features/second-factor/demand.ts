import { acrOf } from '@latchkey/session/issue'
import { AccessDenied } from '../../errors.js'
import type { Outcome } from '../../http/outcome.js'
import type { Purpose } from '../../http/purpose.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import type { Person } from '../../person/person.js'
import type { PendingSignIn, SignIn } from '../../service/sign-in-hooks.js'
import { runCallback } from '../../session/callbacks.js'
import type { SignedIn } from '../../session/signed-in.js'
import type { StartedFlow } from '../../sign-in/flow-cookie.js'
import type { AuthConfig } from '../../types.js'
import { isStrong, isWaiting } from '../ways/strength.js'
import type { PersonFactor } from './kept-factor.js'
import { type Demand, savePendingSignIn } from './pending-sign-in.js'

/** The factor of an existing person: not being erased, and not merged into another. */
export function factorOf(person: Person | undefined): PersonFactor | undefined {
  return person?.erasing || person?.mergedInto !== undefined ? undefined : person?.factor
}

/**
 * The methods that a second factor adds to the `amr` of a session (RFC 8176): a factor that waits
 * does not count yet.
 */
export function methodsBy(
  request: AuthRequest,
  factor: PersonFactor | undefined,
): readonly string[] {
  return factor && !isWaiting(factor, nowInSeconds(request)) ? ['otp', 'mfa'] : ['otp']
}

/**
 * The step that a sign-in still needs before a session begins: a code, or the set-up of a second
 * factor. None is needed after a passkey that has verified its person, which is two factors (NIST
 * SP 800-63B, 2.2.1). A code of an app that waits may be left out, unless the app of this service
 * demands one: perhaps the app is a stranger's, and its person must not be kept out.
 *
 * @param person their document; left out: the ledger has none, and so no factor for them
 * @throws {AccessDenied} the app's function threw, or did not answer
 */
async function demandOf(
  request: AuthRequest,
  signedIn: SignedIn,
  person: Person | undefined,
  purpose: Partial<Purpose>,
): Promise<Demand | undefined> {
  if (acrOf(signedIn.amr ?? [signedIn.account.provider]) === '2') return undefined
  const factor = factorOf(person)
  if (factor && isWaiting(factor, nowInSeconds(request))) {
    return (await askSecondFactor(request, signedIn)) ? 'code' : 'either'
  }
  if (factor) return 'code'
  const isAskedFor = purpose.stepUp !== undefined && purpose.acr === '2'
  return isAskedFor || (await askSecondFactor(request, signedIn)) ? 'set-up' : undefined
}

/** Has a sign-in wait if it needs more than its proof. */
export async function holdSignIn(
  request: AuthRequest,
  { signedIn, document, purpose }: SignIn,
): Promise<((pending: PendingSignIn) => Promise<Outcome>) | undefined> {
  const demand = await demandOf(request, signedIn, document?.person, purpose)
  return demand && ((pending) => savePendingSignIn(request, pending, demand))
}

/**
 * Is a code too little for a sign-in, though the app of this service demands one? It is if the
 * authenticator app does not count yet, and the person has a passkey that does: a stranger with the
 * first factor alone, such as the mailbox, may have set the authenticator app up. A running session
 * loses and gains nothing by such a code.
 */
export function isTooLittle(
  request: AuthRequest,
  { again }: Pick<StartedFlow, 'again'>,
  person: Person | undefined,
): boolean {
  const now = nowInSeconds(request)
  const factor = factorOf(person)
  return (
    again === undefined &&
    person !== undefined &&
    factor !== undefined &&
    isWaiting(factor, now) &&
    isStrong(request, person)
  )
}

/** The refusal of it. */
export function tooLittle(): AccessDenied {
  return new AccessDenied(
    'A second factor is demanded of a person whose authenticator app does not count yet: they sign in by the way that counts as two factors.',
  )
}

/** The app's settings for second factors. */
export interface SecondFactorSettings {
  readonly secondFactor: AuthConfig['secondFactor']
}

/**
 * Asks the app whether this person needs a second factor, whether they have one or not. Only `true` and `false`
 * are answers.
 *
 * @throws {AccessDenied}
 */
export async function askSecondFactor(
  { features }: AuthRequest,
  { user, account, amr = [account.provider] }: SignedIn,
): Promise<boolean> {
  const { secondFactor } = features.settings<SecondFactorSettings>('second-factor') ?? {}
  if (!secondFactor) return false
  const { userId: sub } = account
  const answer: unknown = await runCallback(AccessDenied, 'secondFactor', () =>
    secondFactor({ sub, user: { ...user, id: sub }, amr: [...amr] }),
  )
  if (typeof answer === 'boolean') return answer
  throw new AccessDenied('secondFactor returned neither true nor false.')
}
