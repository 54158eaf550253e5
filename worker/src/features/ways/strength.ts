import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import type { Person, Unconfirmed } from '../../person/person.js'
import type { Means } from '../../service/sign-in-hooks.js'

// Some ways bring a sign-in to `acr` 2, and so does a step that follows any way. Means that a session of
// `acr` 1 adds beside others must not do so at once, or one factor would be enough to get both (NIST SP
// 800-63B-4, section 4.1.2). So they wait, until a session of `acr` 2 confirms them, or until the
// person has had a week to read the notice.

/** How long it waits after every verified address got a notice. Seconds. */
const WEEK = 7 * 24 * 3600

/** A thing that may wait. */
type Added = { readonly unconfirmed?: Unconfirmed | undefined }

/**
 * When it counts.
 *
 * @returns seconds since the epoch; `null`: no time is known; `undefined`: nothing holds it back
 */
export function countsFrom({ unconfirmed }: Added): number | null | undefined {
  if (unconfirmed === undefined) return undefined
  return typeof unconfirmed?.told === 'number' ? unconfirmed.told + WEEK : null
}

/** Does it not count yet? @param now seconds since the epoch */
export function isWaiting(added: Added, now: number): boolean {
  const from = countsFrom(added)
  return from !== undefined && (from === null || now < from)
}

/** A factor that brings a sign-in to `acr` 2, whether it counts or waits. Each feature names its own. */
export function meansOf({ features }: AuthRequest, person: Person): readonly Means[] {
  return features.hooks('person', 'means').flatMap((means) => means(person))
}

/** Has a person any means besides these ways? */
export function hasMeans(
  request: AuthRequest,
  person: Person,
  but: ReadonlySet<string> = new Set(),
): boolean {
  return meansOf(request, person).some(({ way }) => way === undefined || !but.has(way))
}

/** Is this way one of the person's means? */
export function isMeans(request: AuthRequest, person: Person, name: string): boolean {
  return meansOf(request, person).some(({ way }) => way === name)
}

/** Is a person asked for something after any way of theirs, which counts? */
export function hasStrongStep(request: AuthRequest, person: Person): boolean {
  return counting(request, person).some(({ way }) => way === undefined)
}

/** Has a person anything that brings a sign-in to `acr` 2? */
export function isStrong(request: AuthRequest, person: Person): boolean {
  return counting(request, person).length > 0
}

function counting(request: AuthRequest, person: Person): readonly Means[] {
  return meansOf(request, person).filter((one) => !isWaiting(one, nowInSeconds(request)))
}

/** Has a person anything that does not count yet? */
export function isAnyWaiting(request: AuthRequest, person: Person): boolean {
  return meansOf(request, person).some((one) => isWaiting(one, nowInSeconds(request)))
}
