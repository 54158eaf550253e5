import type { SessionClaims, SessionNeeds } from '@latchkey/session'
import { acrOf } from '@latchkey/session/issue'
import { MEMBERS } from '../config/manifests.js'
import { AccessDenied, InvalidCheck } from '../errors.js'
import { shownProviders } from '../http/find-provider.js'
import type { ResolvedProvider } from '../http/kind.js'
import type { Purpose } from '../http/purpose.js'
import type { AuthRequest } from '../http/request.js'
import { hasProvedHere, readSession } from '../session/read.js'
import type { SignedIn } from '../session/signed-in.js'
import type { StartedFlow } from './flow-cookie.js'

/** The providers of a person's ways that are configured. */
interface OwnProviders {
  readonly all: readonly ResolvedProvider[]
  /** The providers that can prove again that the person is here. */
  readonly proving: readonly ResolvedProvider[]
  /** Has the person anything that does not count as a second factor yet? */
  readonly isWaiting: boolean
}

/**
 * The start of a step-up, for a signed-in person who needs a fresh or a strong sign-in: it is
 * for this person alone. A provider that cannot give a new proof is refused, unless none of the
 * person's ways can: then it is an ordinary sign-in.
 *
 * @throws {AccessDenied} @throws {StoreUnavailable}
 */
export async function stepUpOf(
  request: AuthRequest,
  provider: ResolvedProvider,
  { maxAge, acr }: SessionNeeds,
): Promise<Pick<Purpose, 'stepUp' | 'asker'>> {
  if (maxAge === undefined && acr === undefined) return {}
  const current = await readSession(request)
  if (!current || !hasProvedHere(request, current.claims)) return {}
  const { claims: asker } = current
  const { sid } = asker
  if (await provider.kind.canStepUp?.(request, provider)) return { asker, stepUp: { sid } }
  if ((await ownProviders(request, asker)).proving.length === 0) {
    return { asker, stepUp: { sid, isOrdinary: true } }
  }
  throw new AccessDenied(`Provider "${provider.id}" cannot prove again that a person is here.`)
}

/**
 * The purpose of a flow, in the request that goes on with it. If a signed-in user has begun it, the
 * browser must still have their session. Call it before a proof is used up.
 *
 * @throws {InvalidCheck} it is another session, or the service lacks the feature that began the
 * flow
 * @throws {StoreUnavailable}
 */
export async function purposeOf(
  request: AuthRequest,
  { maxAge, acr, scope, again: stepUp, features }: StartedFlow,
): Promise<Omit<Purpose, 'target'>> {
  const asker = features
    ? await request.features.resumed(request, features)
    : stepUp && (await askerIn(request, stepUp.sid))
  return { maxAge, acr, scope, stepUp, features, asker }
}

async function askerIn(request: AuthRequest, sid: string): Promise<SessionClaims> {
  const current = await readSession(request)
  if (current?.claims.sid === sid) return current.claims
  throw new InvalidCheck('A step-up works only in the session that has begun it.')
}

/**
 * A step-up ends with a proof of the user who began it, not of another person.
 *
 * @throws {AccessDenied}
 */
export function checkStepUp({ asker, stepUp }: Purpose, sub: string): void {
  if (!stepUp || asker?.sub === sub) return
  throw new AccessDenied('A step-up has proved another person than the signed-in user.')
}

/**
 * A page has asked for two factors, and the sign-in waits for no second one, since no feature here asks for any. With one it
 * would end where it began, at a page that asks for two.
 *
 * @throws {AccessDenied}
 */
export function checkStrength(
  { stepUp, acr }: Purpose,
  { account, amr = [account.provider] }: SignedIn,
): void {
  if (!stepUp || acr !== '2' || acrOf(amr) === '2') return
  throw new AccessDenied(
    `A page asks for two factors, and one was proved: there is no second one without the feature of @latchkey/worker/features/${MEMBERS.factor}.`,
  )
}

/** The providers by which a person may sign in again. @throws {StoreUnavailable} */
export async function ownProviders(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<OwnProviders> {
  const { ids, isWaiting } = await request.features.ports.stepUp.ownProviders(request, claims)
  const known = await shownProviders(request, [...ids])
  const all = [...known.values()].filter(({ id }) => ids.has(id))
  const proves = await Promise.all(
    all.map((provider) => provider.kind.canStepUp?.(request, provider) ?? false),
  )
  return { all, proving: all.filter((_, index) => proves[index]), isWaiting }
}

/** How long ago a person may have proved who they are, if nothing else is asked. Seconds. */
const MAX_AGE = 5 * 60

/**
 * The greatest age of the proof at the provider, if the person is to prove again who they are.
 * Seconds; `undefined`: it does not matter.
 */
export function provedWithin({
  again: stepUp,
  maxAge = MAX_AGE,
}: Pick<StartedFlow, 'again' | 'maxAge'>): number | undefined {
  return stepUp && !stepUp.isOrdinary ? maxAge : undefined
}
