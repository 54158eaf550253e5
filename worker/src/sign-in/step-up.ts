import type { SessionClaims } from '@latchkey/session'
import { acrOf } from '@latchkey/session/internal'
import { AccessDenied, InvalidCheck } from '../errors.js'
import type { AuthRequest, ResolvedProvider } from '../http/request.js'
import type { SignedIn } from '../session/callbacks.js'
import { hasProvedHere } from '../session/has-proved-here.js'
import { readSession } from '../session/read.js'

/** The providers of a person's ways that are configured. */
interface OwnProviders {
  readonly all: readonly ResolvedProvider[]
  /** The providers that can prove again that the person is here. */
  readonly proving: readonly ResolvedProvider[]
  /** Has the person anything that does not count as a second factor yet? */
  readonly isWaiting: boolean
}

/**
 * Marks the start of a step-up, for a signed-in person who needs a fresh or a strong sign-in: it is
 * for this person alone. A provider that cannot give a new proof is refused, unless none of the
 * person's ways can: then it is an ordinary sign-in.
 *
 * @throws {AccessDenied} @throws {StoreUnavailable}
 */
export async function markStepUp(request: AuthRequest, provider: ResolvedProvider): Promise<void> {
  if (request.maxAge === undefined && request.acr === undefined) return
  const current = await readSession(request)
  if (!current || !hasProvedHere(request, current.claims)) return
  const { claims } = current
  const { sid } = claims
  if (await provider.kind.canStepUp?.(request, provider)) request.stepUp = { sid }
  else if ((await ownProviders(request, claims)).proving.length === 0) {
    request.stepUp = { sid, isOrdinary: true }
  } else {
    throw new AccessDenied(`Provider "${provider.id}" cannot prove again that a person is here.`)
  }
}

/**
 * Who asked for the proof that comes now, if anybody did: the browser's session must be theirs still. To be
 * called before the proof is used up.
 *
 * @throws {InvalidCheck} @throws {StoreUnavailable}
 */
export async function stepUpAsker(request: AuthRequest): Promise<SessionClaims | undefined> {
  const { stepUp } = request
  if (!stepUp) return undefined
  const current = await readSession(request)
  if (current?.claims.sid === stepUp.sid) return current.claims
  throw new InvalidCheck('Somebody proves who they are in the session alone that asked for it.')
}

/**
 * The same, once it is known who was proved to be here: nobody else.
 *
 * @throws {InvalidCheck} @throws {AccessDenied} @throws {StoreUnavailable}
 */
export async function checkStepUp(
  request: AuthRequest,
  sub: string,
): Promise<SessionClaims | undefined> {
  const asker = await stepUpAsker(request)
  if (!asker || asker.sub === sub) return asker
  throw new AccessDenied('Somebody has proved to be another person than who is signed in.')
}

/**
 * A page has asked for two factors, and the sign-in waits for no second one, since no feature here asks for any. With one it
 * would end where it began, at a page that asks for two.
 *
 * @throws {AccessDenied}
 */
export function checkStrength(
  { stepUp, acr }: AuthRequest,
  { account, amr = [account.provider] }: SignedIn,
): void {
  if (!stepUp || acr !== '2' || acrOf(amr) === '2') return
  throw new AccessDenied(
    'A page asks for two factors, and one was proved: there is no second one without the feature of @latchkey/worker/features/second-factor.',
  )
}

/** The providers by which a person may sign in again. @throws {StoreUnavailable} */
export async function ownProviders(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<OwnProviders> {
  const { ids, isWaiting } = await request.features.stepUp.ownProviders(request, claims)
  const all = [...request.providers.usable.values()].filter(({ id }) => ids.has(id))
  const proves = await Promise.all(
    all.map((provider) => provider.kind.canStepUp?.(request, provider) ?? false),
  )
  return { all, proving: all.filter((_, index) => proves[index]), isWaiting }
}
