import {
  AccessDenied,
  AuthError,
  OAuthAccountNotLinked,
  OAuthCallbackError,
  StoreUnavailable,
} from '../../../errors.js'
import type { AuthRequest } from '../../../http/request.js'
import { readPerson } from '../../../person/documents.js'
import type { FoundWay } from '../../../person/found-way.js'
import { askSignIn } from '../../../session/callbacks.js'
import type { SignedIn } from '../../../session/signed-in.js'
import { approve, checkBlocked } from '../../../sign-in/approve.js'
import { identifyByAccount } from '../../../sign-in/identity.js'
import { OAuthError, ServerFault } from '../oauth-error.js'
import { RefusedAssertion } from './refused-assertion.js'

/**
 * Finds the person of an account, as a sign-in on the web does, also before their first one. A reason to refuse them there, or to have
 * them wait, refuses the assertion.
 *
 * @param proved the account, as the assertion describes it
 * @param entrance the ledger's documents about it
 * @throws {RefusedAssertion}
 * @throws {ServerFault} a function of the app threw
 * @throws {StoreUnavailable}
 */
export async function assertedPerson(
  request: AuthRequest,
  proved: SignedIn,
  entrance: FoundWay,
): Promise<SignedIn> {
  try {
    return await found(request, proved, entrance)
  } catch (error) {
    throw asRefusal(error)
  }
}

async function found(
  request: AuthRequest,
  proved: SignedIn,
  entrance: FoundWay,
): Promise<SignedIn> {
  const { features } = request
  const byFeature = await features.identify(request, proved, entrance)
  const identified = byFeature ?? (await identifyByAccount(request, proved, entrance))
  const { signedIn, claim } = identified
  const isKnown = entrance.document !== undefined || identified.document !== undefined
  const document =
    identified.document ??
    (byFeature && isKnown ? await readPerson(request, signedIn.account.userId) : undefined)
  checkBlocked(document)
  // The app would send a browser elsewhere, and an assertion comes without one.
  if ((await askSignIn(request, signedIn)) !== undefined) throw new RefusedAssertion('person')
  const answer = await approve(request, { signedIn, document, purpose: {} })
  if (answer.kind === 'waits') throw new RefusedAssertion('person')
  // The id is this account's from now on. Their first session is still to come.
  await claim?.(features.asksFirst)
  return answer.signedIn
}

/** Makes a refusal of the person one of the assertion, and a mistake of the configuration a fault of the server. */
function asRefusal(error: unknown): unknown {
  if (error instanceof StoreUnavailable || error instanceof OAuthError) return error
  const isRefusal = error instanceof AccessDenied || error instanceof OAuthAccountNotLinked
  if (isRefusal || error instanceof OAuthCallbackError) return new RefusedAssertion('person')
  if (!(error instanceof AuthError)) return error
  return new ServerFault('A person cannot be found by an assertion.', { cause: error })
}
