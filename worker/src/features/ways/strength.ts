import type { Person, Unconfirmed } from '../../person/documents.js'

// A passkey and an authenticator app bring a sign-in to `acr` 2. A factor that a session of `acr` 1
// adds beside one must not do so at once, or one factor would be enough to get both (NIST SP
// 800-63B-4, section 4.1.2). So it waits, until a session of `acr` 2 confirms it, or until the
// person has had a week to read the notice.

/** How long it waits after every verified address got a notice. Seconds. */
const WEEK = 7 * 24 * 3600

/** The things that may wait: a way, or an app. */
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

/** Has a person a passkey or an app beside these ways, whether it counts or waits? */
export function hasMeans({ ways, factor }: Person, but: ReadonlySet<string>): boolean {
  return factor !== undefined || ways.some(({ way, passkey }) => passkey && !but.has(way))
}

/**
 * Has a person had a passkey or an app? Then a session of theirs may still be of `acr` 2: its tokens say so, and removing
 * ends no session. A version before notes no removal, but leaves the handle of the passkeys.
 */
export function mayHaveBeenStrong({ hadMeans, handle }: Person): boolean {
  return hadMeans === true || handle !== undefined
}

/** Has a person an app that counts? */
export function hasStrongFactor({ factor }: Person, now: number): boolean {
  return factor !== undefined && !isWaiting(factor, now)
}

/** Has a person anything that brings a sign-in to `acr` 2? */
export function isStrong(person: Person, now: number): boolean {
  const counts = ({ passkey, ...way }: Person['ways'][number]) => passkey && !isWaiting(way, now)
  return hasStrongFactor(person, now) || person.ways.some(counts)
}

/** Has a person anything that does not count yet? */
export function isAnyWaiting({ ways, factor }: Person, now: number): boolean {
  return [...ways.filter(({ passkey }) => passkey), factor ?? {}].some((one) => isWaiting(one, now))
}
