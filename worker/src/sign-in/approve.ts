import { AccessDenied, OAuthAccountNotLinked } from '../errors.js'
import type { Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import type { ReadPerson } from '../person/found-way.js'
import { hasMoved, isBlocked } from '../person/person.js'
import type { PendingSignIn, SignIn } from '../service/sign-in-hooks.js'
import type { Approved } from '../session/issue.js'

/** May a session begin? */
type Answer =
  | { readonly kind: 'approved'; readonly signedIn: Approved }
  | { readonly kind: 'waits'; readonly wait: Wait }

/** Keeps a sign-in until it may go on. @returns the page that comes first */
type Wait = (to: Pick<PendingSignIn, 'limited' | 'purpose'>) => Promise<Outcome>

/**
 * May a session begin for a person? Each place that gives one asks here, once it is known who the
 * person is and the app has agreed: the kinds of sign-in, a step-up, a sign-in that has waited, and
 * a session of another library. So a feature that stops a user is asked in all of these places, and
 * nothing else makes an {@link Approved}, without which no session begins.
 *
 * @param pending a sign-in that has waited: the features that it has waited for are not asked again
 * @throws {OAuthAccountNotLinked} the person is being erased, or is another one now
 * @throws {AccessDenied} the operator has blocked the person, or a feature refuses
 */
export async function approve(
  request: AuthRequest,
  signIn: SignIn,
  { passed, came }: Pick<PendingSignIn, 'passed' | 'came'> = firstTime(request, signIn),
): Promise<Answer> {
  checkBlocked(signIn.document)
  const { person } = signIn.document ?? {}
  if (person?.erasing || (person?.mergedInto !== undefined && !hasMoved(person))) {
    throw new OAuthAccountNotLinked(
      'A person who is being erased, or is another one now, signs in.',
    )
  }
  await request.features.check(request, signIn)
  const hold = await request.features.hold(request, signIn, passed)
  if (!hold) return { kind: 'approved', signedIn: signIn.signedIn as Approved }
  // A feature must not keep a password.
  const { credentials: _, ...signedIn } = signIn.signedIn
  const wait: Wait = (to) => hold.wait({ ...to, signedIn, came, passed: [...passed, hold.name] })
  return { kind: 'waits', wait }
}

/**
 * Refuses a person if the operator has blocked them. Called also before a callback of the app is asked.
 *
 * @param document as it was read after the proof
 * @throws {AccessDenied} with `code` `blocked`
 */
export function checkBlocked(document: ReadPerson | undefined): void {
  if (!isBlocked(document?.person)) return
  const error = new AccessDenied('The person is blocked.')
  error.code = 'blocked'
  throw error
}

function firstTime({ came }: AuthRequest, { signedIn }: SignIn) {
  return { passed: [], came: signedIn.authTime ?? came }
}
