import type { AuthError } from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { changePerson } from '../../person/documents.js'
import { type Person, type Unconfirmed, withWay } from '../../person/person.js'
import { isMail } from '../../person/way-document.js'
import type { WayDescription } from '../../session/session-way.js'
import { dayOf } from './day-of.js'
import { isOpened, openDescribed } from './description.js'
import { isWaiting, meansOf } from './strength.js'

/**
 * The name of the step that is asked for after any way. It cannot be the name of a way, which is
 * never empty.
 */
export const STEP = ''

/** Does it wait until its person has a notice? */
export function needsNotice(
  added: { readonly unconfirmed?: Unconfirmed | undefined } | undefined,
): added is { readonly unconfirmed: Unconfirmed } {
  return added?.unconfirmed !== undefined && added.unconfirmed.told === undefined
}

/** The recipients of a mail to a person. */
interface Reach {
  /** The description of each of their ways. */
  readonly described: readonly WayDescription[]
  /** Their verified addresses. */
  readonly addresses: ReadonlySet<string>
  /**
   * Are these all of the person's addresses, and does at least one of them not wait itself?
   * Otherwise nothing begins to count by itself: a stranger could be the only reader of the mails.
   */
  readonly isWhole: boolean
}

export async function reach(request: AuthRequest, { ways }: Person): Promise<Reach> {
  const now = nowInSeconds(request)
  const described = await Promise.all(ways.map((way) => openDescribed(request, way)))
  let [isWhole, isTrusted] = [true, false]
  for (const [at, entry] of ways.entries()) {
    const { address } = described[at] ?? {}
    const isRead = entry.sealed === undefined || isOpened(described[at])
    // A description sealed with a retired secret may be an address, and an imported address has no
    // description.
    if (address === undefined && (isMail(entry.way) || !isRead)) isWhole = false
    if (address !== undefined && !isWaiting(entry, now)) isTrusted = true
  }
  const addresses = new Set(described.flatMap(({ address }) => address ?? []))
  return { described, addresses, isWhole: isWhole && isTrusted }
}

/**
 * Records that a person got the notice about a waiting way, or that it was tried today. A failure
 * is logged: it waits for longer then.
 *
 * @param names of ways, or {@link STEP}
 * @returns whether this call has written it
 */
export async function noteNotified(
  request: AuthRequest,
  sub: string,
  names: ReadonlySet<string>,
  isSent: boolean,
): Promise<boolean> {
  const now = nowInSeconds(request)
  const note: Unconfirmed = isSent ? { told: now } : { tried: dayOf(now) }
  const isMeant = (name: string, one: { readonly unconfirmed?: Unconfirmed | undefined }) =>
    names.has(name) && needsNotice(one) && (isSent || one.unconfirmed.tried !== note.tried)
  const noted = (person: Person): Person => {
    const meant = person.ways.filter((entry) => isMeant(entry.way, entry))
    const steps = meansOf(request, person).filter((one) => one.noted && isMeant(STEP, one))
    return meant.reduce<Person>(
      (now, entry) => withWay(now, entry.way, { ...entry, unconfirmed: note }),
      steps.reduce((now, one) => one.noted?.(now, note) ?? now, person),
    )
  }
  try {
    const { isChanged } = await changePerson(request, sub, (person) => {
      const changed = person && noted(person)
      return changed === person ? undefined : changed
    })
    return isChanged
  } catch (error) {
    request.config.logger.error(error as AuthError)
    return false
  }
}
