import { AccessDenied, InvalidCheck } from '../errors.js'
import { hasEndedSince } from '../http/ended-since.js'
import { findProvider } from '../http/find-provider.js'
import type { Outcome } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import type { ReadPerson } from '../person/found-way.js'
import { isStillOf } from '../person/present-person.js'
import { wayOf } from '../person/way-document.js'
import type { PendingSignIn } from '../service/sign-in-hooks.js'
import { approve } from './approve.js'
import { completeSignIn } from './finish.js'
import { checkStepUp, checkStrength } from './step-up.js'

declare const checked: unique symbol

/** A sign-in that has waited and still counts: {@link checkPendingSignIn} alone makes one. */
export interface Checked {
  readonly [checked]: true
}

/**
 * Does a sign-in that has waited still count? Its session begins when it goes on, so that the session's own time would
 * outlive a sign-out everywhere, an erasure or a merge since the proof, or a logout by a company. Meanwhile its way may have been removed too.
 *
 * @throws {AccessDenied} @throws {InvalidCheck} it does not @throws {StoreUnavailable}
 */
export async function checkPendingSignIn<Pending extends Pick<PendingSignIn, 'signedIn' | 'came'>>(
  request: AuthRequest,
  pending: Pending,
): Promise<Pending & Checked> {
  const { account, way = wayOf(account), isGiven } = pending.signedIn
  const { provider, userId: sub } = account
  if (!(await findProvider(request, provider))) {
    throw new AccessDenied('The provider of a sign-in that waited is not configured any more.')
  }
  const isGone =
    (await hasEndedSince(request, sub, pending.came)) ||
    (await request.features.ports.logouts?.isProofOver(request, pending)) ||
    !(await isStillOf(request, way, sub, isGiven))
  if (!isGone) return pending as Pending & Checked
  throw new InvalidCheck('A sign-in that waited no longer counts: its person, or the way, is gone.')
}

/**
 * Goes on after the wait of a sign-in, such as for a second factor: it is completed, or waits for
 * the next feature. The app was asked before.
 *
 * @param pending as it was kept
 * @param document the person as this request knows them, by which other features decide
 * @param methods what `amr` gains
 * @throws {InvalidCheck} it no longer counts
 */
export async function finishPendingSignIn(
  request: AuthRequest,
  pending: PendingSignIn & Checked,
  document: ReadPerson,
  methods: readonly string[] = [],
): Promise<Outcome> {
  const { signedIn: waited, purpose, limited, came } = pending
  const first = waited.amr ?? ([waited.account.provider] as const)
  // A wait without a proof makes the sign-in no fresher.
  const authTime = methods.length > 0 ? request.came : (waited.authTime ?? came)
  const signedIn = { ...waited, authTime, amr: [...first, ...methods] as const }
  checkStepUp(purpose, signedIn.account.userId)
  const answer = await approve(request, { signedIn, document, purpose }, pending)
  if (answer.kind === 'waits') return answer.wait({ purpose, limited })
  // If a feature asks for second factors, it has asked for one here, perhaps one that does not
  // count yet.
  if (request.features.hooks('signIn', 'asksMore').length === 0) checkStrength(purpose, signedIn)
  return completeSignIn(request, answer.signedIn, purpose, { limited, document })
}
