import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import { beganAt } from '@latchkey/session/issue'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { changePerson } from '../../person/documents.js'
import type { ReadPerson } from '../../person/found-way.js'
import { isBlocked, type Person, type PersonWay } from '../../person/person.js'
import { subjectOf } from '../../person/subject.js'
import { isMail, ownerIn, readWay, wayKey, wayOf } from '../../person/way-document.js'
import { type SessionWay, wayOfSession } from '../../session/session-way.js'
import { takeBack } from '../ways/announce.js'
import { dayOf } from '../ways/day-of.js'
import { openDescribed, sealDescribed } from '../ways/description.js'
import { type KeptPassword, sealHash } from './kept-password.js'
import { mailProvider, passwordSettings } from './settings.js'

/** A signed-in person, as this request has read them. */
export interface Asker {
  readonly claims: SessionClaims
  readonly read: ReadPerson
  /** The way that their session began with, if they have no document. */
  readonly way: SessionWay | undefined
  /** An address by which they sign in with a password. */
  readonly address: string | undefined
  /** The key of that address, in the ledger. */
  readonly name: string | undefined
}

/** The facts about a person that a password needs. The address of their session comes first. */
export async function askerIn(
  request: AuthRequest,
  claims: SessionClaims,
  read: ReadPerson,
): Promise<Asker> {
  if (!read.person) {
    const way = await wayOfSession(request, claims)
    const own = isOurs(request, way) ? { address: way.described.address, name: way.way } : undefined
    return { claims, read, way, address: own?.address, name: own?.name }
  }
  const ways = addressesOf(request, read.person)
  const mine = await ownAddress(request, claims)
  // The description of a way may be sealed with a retired secret: the session says the address too.
  const own = ways.find(({ way }) => way === mine?.name)
  if (own && mine) return { claims, read, way: undefined, ...mine }
  const [first] = ways
  const address = first && (await openDescribed(request, first)).address
  return { claims, read, way: undefined, address, name: first?.way }
}

function isOurs(
  request: AuthRequest,
  { provider, way }: { readonly provider: string; readonly way: string },
): boolean {
  return provider === passwordSettings(request).email && isMail(way)
}

/** The addresses by which a person signs in with a password. */
export function addressesOf(request: AuthRequest, { ways }: Person): readonly PersonWay[] {
  return ways.filter((one) => isOurs(request, one) && one.state === undefined)
}

/** The verified address of a session, and its key in the ledger. */
async function ownAddress(
  request: AuthRequest,
  { session }: SessionClaims,
): Promise<{ readonly address: string; readonly name: string } | undefined> {
  const user = isRecord(session.user) ? session.user : {}
  const provider = mailProvider(request)
  const address = user.emailVerified === true ? provider.normalize(user.email) : undefined
  if (address === undefined) return undefined
  const userId = await subjectOf(provider.id, address)
  return { address, name: wayOf({ type: 'email', userId }) }
}

/**
 * Gives a person a password, or another one, unless another request has changed it since it was read.
 *
 * @param hash of the new password
 * @returns the person, and what takes it back; `undefined`: another request was faster, or the person can have none any more
 * @throws {StoreUnavailable} it is set, or not
 */
export async function writePassword(
  request: AuthRequest,
  { claims, read, way }: Asker,
  before: KeptPassword | undefined,
  hash: string,
): Promise<{ readonly person: Person; undo(): Promise<void> } | undefined> {
  const { sub } = claims
  const first = read.person || !way ? [] : await firstEntry(request, claims, way)
  if (!read.person && first.length === 0) return undefined
  const password: KeptPassword = {
    since: nowInSeconds(request),
    sealed: await sealHash(request, sub, { hash }),
    ...(before ? { ends: true as const } : {}),
  }
  const change = (known: Person | undefined): Person | undefined => {
    if (known?.erasing || known?.mergedInto !== undefined || isBlocked(known)) return undefined
    if (known?.password?.sealed !== before?.sealed) return undefined
    // An erased person must not come back.
    if (!known && read.person) return undefined
    // The last address may be removed meanwhile: the password would stay for nobody to see.
    if (known && addressesOf(request, known).length === 0) return undefined
    return { ...(known ?? { ways: first, isAlone: true }), password }
  }
  const { person, isChanged } = await changePerson(request, sub, change, read)
  if (!person || !isChanged) return undefined
  const undo = async () => {
    if (!read.person && (await takeBack(request, sub, person))) return
    await changePerson(request, sub, (now) => {
      if (now?.password?.sealed !== password.sealed) return undefined
      const { password: _, ...rest } = now
      return before ? { ...rest, password: before } : rest
    })
  }
  return { person, undo }
}

/**
 * The one way of a person without a document, which names its owner from now on. The caller makes sure afterwards that the
 * session has not ended meanwhile.
 *
 * @returns none if it belongs to another person meanwhile
 */
async function firstEntry(
  request: AuthRequest,
  claims: SessionClaims,
  { way, provider, described }: SessionWay,
): Promise<readonly PersonWay[]> {
  const { sub } = claims
  const content = JSON.stringify({ owner: sub, first: true })
  const [there] = await request.stores.ledger.insertDocuments([{ key: wayKey(way), content }])
  if (there && ownerIn(readWay(there)) !== sub) return []
  const sealed = await sealDescribed(request, way, described)
  return [{ way, provider, added: null, used: dayOf(beganAt(claims)), sealed }]
}

/**
 * Takes the password from a person.
 *
 * @param kept as it was read; left out: whatever it is
 * @returns the person; `undefined`: they had none, or another one
 * @throws {StoreUnavailable}
 */
export async function dropPassword(
  request: AuthRequest,
  sub: string,
  kept?: KeptPassword,
  read?: ReadPerson,
): Promise<Person | undefined> {
  const change = (person: Person | undefined) => {
    if (!person?.password || (kept && person.password.sealed !== kept.sealed)) return undefined
    const { password: _, ...rest } = person
    return rest
  }
  const { person, isChanged } = await changePerson(request, sub, change, read)
  return isChanged ? person : undefined
}
