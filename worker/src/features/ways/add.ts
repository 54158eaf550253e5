import type { SessionClaims } from '@latchkey/session'
import { OAuthAccountNotLinked, StoreUnavailable } from '../../errors.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { isGivenTo } from '../../person/claim.js'
import { changeDocument, changePerson, readDocument, readPerson } from '../../person/documents.js'
import { type PersonWay, withWay } from '../../person/person.js'
import {
  connectionKey,
  credentialOf,
  ownSubOf,
  readWay,
  wayKey,
} from '../../person/way-document.js'
import { liveRecords } from '../../session/list.js'
import { isRevoked } from '../../session/revoke.js'
import type { SignedIn } from '../../session/signed-in.js'
import type { LedgerDocument } from '../../stores/ledger/types.js'
import { announce, endedMeanwhile } from './announce.js'
import { markAdded, settled } from './changes.js'
import { dayOf } from './day-of.js'
import { describedBy, sealDescribed } from './description.js'

/** A way that a user has just proved, as the proof found it. */
interface ProvedWay {
  /** Its own name. */
  readonly way: string
  readonly document: LedgerDocument | undefined
}

/** How often a way's document is read again after a faster request. */
const TRIES = 20

/**
 * Adds a way to a signed-in user who has just proved that it is theirs.
 *
 * @param signedIn as the person that they are
 * @throws {OAuthAccountNotLinked} it belongs to another person
 * @throws {AccessDenied} they have too many
 * @throws {InvalidCheck} their session has ended meanwhile
 * @throws {StoreUnavailable} it is added, or not: their list says which
 */
export async function addWay(
  request: AuthRequest,
  asker: SessionClaims,
  signedIn: SignedIn,
  { way, document: seen }: ProvedWay,
): Promise<void> {
  const { sub } = asker
  if (await isRevoked(request, asker)) throw endedMeanwhile()
  const person = await settled(request, sub)
  let document = seen
  for (let tries = 0; tries < TRIES; tries++) {
    // Another request was faster, perhaps an erasure of the person: then no more is written about
    // them.
    if (tries > 0 && (await isRevoked(request, asker))) throw endedMeanwhile()
    const found = await holderOf(request, signedIn, way, document, sub)
    // A first way that was another's meanwhile is in no list.
    const isListed = !person || tries > 0 || person.ways.some((one) => one.way === way)
    const holder = found === 'own' && !isListed && !readWay(document) ? 'nobody' : found
    if (holder === 'own') return markAdded(request, sub, way, signedIn)
    if (holder === 'somebody') {
      throw new OAuthAccountNotLinked('The way to add belongs to another person.')
    }
    const entry = await entryOf(request, signedIn, way)
    await announce(request, asker, [entry])
    const isFirst = ownSubOf(way) === sub || (await isGivenTo(request, way, sub))
    const first = isFirst ? { first: true } : {}
    const [claim, version] = [{ owner: sub, ...first }, document?.version ?? 0]
    if (await changeDocument(request, wayKey(way), version, claim)) {
      if (!(await isRevoked(request, asker))) return markAdded(request, sub, way, signedIn)
      // Perhaps the session has ended because the person was erased: no hidden way must lead to
      // them. Without a document, a way of their own would sign in as them and ask for no second
      // factor.
      const before = readWay(document) ?? (isFirst ? claim : null)
      if (await changeDocument(request, wayKey(way), version + 1, before)) {
        await changePerson(request, sub, (person) =>
          person?.ways.some((one) => one.way === way) ? withWay(person, way, undefined) : undefined,
        )
      }
      throw endedMeanwhile()
    }
    document = await readDocument(request, wayKey(way))
  }
  throw new StoreUnavailable('A way is being changed all the time.')
}

/**
 * The owner of a way. Only the ledger and the sessions of the way's own `sub` decide it: no
 * address, name or picture.
 */
async function holderOf(
  request: AuthRequest,
  signedIn: SignedIn,
  way: string,
  document: LedgerDocument | undefined,
  sub: string,
): Promise<'own' | 'nobody' | 'somebody'> {
  const entry = readWay(document)
  if (!entry) {
    const itself = ownSubOf(way)
    // A credential is as new as its id.
    if (itself === undefined) return 'nobody'
    if (itself === sub) return 'own'
    const subject = await request.features.ports.subjects?.holder(request, signedIn, way)
    if (subject !== undefined) {
      const holder = await presentOf(request, subject, sub)
      return holder === sub ? 'own' : 'somebody'
    }
    return (await isSomebody(request, itself, way)) ? 'somebody' : 'nobody'
  }
  const isRemoved = 'removed' in entry
  const holder = await presentOf(request, isRemoved ? entry.removed : entry.owner, sub)
  if (holder !== sub) return 'somebody'
  return isRemoved ? 'nobody' : 'own'
}

/** Has nobody signed in here by a way yet, and has nobody added it? @throws {StoreUnavailable} */
export async function isNobodys(
  request: AuthRequest,
  signedIn: SignedIn,
  way: string,
  document: LedgerDocument | undefined,
): Promise<boolean> {
  return (await holderOf(request, signedIn, way, document, NO_SUB)) === 'nobody'
}

/** No person has it. */
const NO_SUB = ''

/** The person's current id: version 0.2 could merge people. */
async function presentOf(request: AuthRequest, holder: string, sub: string): Promise<string> {
  let now = holder
  for (let steps = 0; steps < TRIES && now !== sub; steps++) {
    const { person } = await readPerson(request, now)
    if (person?.mergedInto === undefined) return now
    now = person.mergedInto
  }
  return now
}

/** Does a `sub` that the ledger does not name yet belong to an existing person? */
async function isSomebody(request: AuthRequest, sub: string, way: string): Promise<boolean> {
  const [{ person }, connection, records] = await Promise.all([
    readPerson(request, sub),
    readDocument(request, connectionKey(sub, way)),
    liveRecords(request, sub),
  ])
  return person !== undefined || typeof connection?.content === 'string' || records.length > 0
}

/** A way that was proved just now, as its person's list has it. */
export async function entryOf(
  request: AuthRequest,
  signedIn: SignedIn,
  way: string,
): Promise<PersonWay> {
  const now = nowInSeconds(request)
  const { provider } = signedIn.account
  const sealed = await sealDescribed(request, way, describedBy(signedIn))
  return { way, provider, added: now, used: dayOf(now), sealed, ...credentialOf(signedIn) }
}
