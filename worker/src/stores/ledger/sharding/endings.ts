import type { UserCutoff } from '@latchkey/session/issue'
import { answerOf } from '../answers.js'
import type { DecidedCutoff, RefreshClaim, RevokedLately } from '../types.js'
import { answers, type Call, type Homes, inTurn } from './homes.js'

/**
 * If an object keeps others away it has not asked the rest, one of which may know the session to be
 * over.
 */
export async function claimInTurn(
  homes: Homes,
  call: Call<RefreshClaim>,
  sid: string,
): Promise<RefreshClaim> {
  const claim = await inTurn(homes, call, ({ state }) => state === 'yours')
  if (homes.own.length === 1 || claim.state === 'yours' || claim.state === 'over') return claim
  const over = await Promise.all(homes.own.map((object) => answerOf(object, 'isRevoked', [sid])))
  return over.includes(true) ? { state: 'over' } : claim
}

/** The first object decides which of two simultaneous calls counts; the others follow. */
export async function inTurnThenOthers(
  homes: Homes,
  call: Call<boolean>,
  { sub, until }: UserCutoff,
  expires: number,
): Promise<boolean> {
  const isDone = await inTurn(homes, call, (answer) => answer)
  if (!isDone) return false
  // One that knows the spared session to be over by itself ends the rest all the same.
  const followed = homes.others().map(async (object) => {
    if (!(await call(object))) await answerOf(object, 'cutOff', [{ sub, until }, expires])
  })
  await Promise.all(followed)
  return true
}

/**
 * Every object that missed a decision of the person's own objects takes it over: one of them may
 * have failed. Otherwise the sessions would be over in some objects only, and the caller could not
 * ask again.
 */
export async function repeatEverywhere(
  homes: Homes,
  call: Call<DecidedCutoff | undefined>,
  sub: string,
): Promise<DecidedCutoff | undefined> {
  const cutoffs = (await answers(homes, call)).flatMap((cutoff) => cutoff ?? [])
  const [latest] = cutoffs.toSorted((one, other) => other.until - one.until)
  if (!latest) return undefined
  // Each keeps it for the longest time that it heard.
  const decided = { ...latest, expires: Math.max(...cutoffs.map(({ expires }) => expires)) }
  // If two numbers of objects disagree on the spared session, no session is spared.
  const { except: _, ...forAll } = decided
  const isAgreed = cutoffs.every(({ except }) => except === decided.except)
  const repeated = isAgreed ? decided : forAll
  const all = [...(homes.own.length > 1 ? homes.own : []), ...homes.others()]
  await Promise.all(all.map((object) => answerOf(object, 'repeatCutOff', [sub, repeated])))
  return repeated
}

export async function everywhere(
  { own, others }: Homes,
  call: Call<RevokedLately>,
): Promise<RevokedLately> {
  const revocations = await Promise.all([...own, ...others()].map(call))
  return { ...joined(revocations), sessions: revocations.flatMap(({ sessions }) => sessions) }
}

/** The endings of several objects, but for the sessions. */
export function joined(
  revocations: readonly Omit<RevokedLately, 'sessions'>[],
): Omit<RevokedLately, 'sessions'> {
  const stale = revocations.flatMap(({ stale = [] }) => stale)
  return {
    users: revocations.flatMap(({ users }) => users),
    // Each object has a clock of its own.
    next: Math.min(...revocations.map(({ next }) => next)),
    hasMore: revocations.some(({ hasMore }) => hasMore),
    ...(stale.length === 0 ? {} : { stale }),
  }
}
