import type { AuthError } from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { changePerson, readPerson } from '../../person/documents.js'
import type { ReadPerson } from '../../person/found-way.js'
import { type Person, type PersonWay, withWay } from '../../person/person.js'
import { isMail } from '../../person/way-document.js'
import type { Begun } from '../../service/session-hooks.js'
import type { SignedIn } from '../../session/signed-in.js'
import { dayOf } from './day-of.js'
import { describedBy, isOpened, openDescribed, sealDescribed } from './description.js'
import { retryNotices } from './notify.js'

/**
 * Notes once a day that a person has signed in with a way, with the data that its kind keeps. If
 * the way has no description, since it was imported or its secret is retired, the one of this
 * sign-in is kept. If that fails the list is a day late, and the person is signed in.
 *
 * @param way its own name
 * @param known the person's document as it was read
 */
async function noteUse(
  request: AuthRequest,
  way: string,
  signedIn: SignedIn,
  known?: ReadPerson,
): Promise<void> {
  const sub = signedIn.account.userId
  const kind = request.features.wayKind(way)
  const used = dayOf(nowInSeconds(request))
  try {
    const read = known ?? (await readPerson(request, sub))
    const before = read.person?.ways.find((one) => one.way === way)
    const described = before && (await descriptionFor(request, before, used, signedIn))
    const change = (person: Person | undefined) => {
      const entry = person?.ways.find((one) => one.way === way)
      if (!person || !entry) return undefined
      const now = kind?.used(entry, signedIn) ?? entry
      const sealed = entry.sealed === before?.sealed ? (described ?? entry.sealed) : entry.sealed
      if (entry.used === used && now === entry && sealed === entry.sealed) return undefined
      const changed = { ...now, used }
      return withWay(person, way, sealed === undefined ? changed : { ...changed, sealed })
    }
    await changePerson(request, sub, change, read)
  } catch (error) {
    request.config.logger.error(error as AuthError)
  }
}

/** The sealed description of a person by a way, if the kept one is empty; looked at once a day. */
async function descriptionFor(
  request: AuthRequest,
  entry: PersonWay,
  used: number,
  signedIn: SignedIn,
): Promise<string | undefined> {
  if (entry.sealed !== undefined && entry.used === used) return undefined
  const described = await openDescribed(request, entry)
  // A list that began from a token alone may lack the address: nothing could be mailed to it.
  const isKnown = isMail(entry.way) ? described.address !== undefined : isOpened(described)
  return isKnown ? undefined : sealDescribed(request, entry.way, describedBy(signedIn))
}

/** Notes a sign-in in the person's document, if they have one. */
export async function noteSignIn(
  request: AuthRequest,
  { account, way, ...rest }: SignedIn,
  { document }: Begun,
): Promise<void> {
  if (way !== undefined) await noteUse(request, way, { account, way, ...rest }, document)
  if (document?.person) await retryNotices(request, account.userId, document.person)
}
