import { OAuthAccountNotLinked, StoreUnavailable } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { readClaim, writeClaim } from '../../person/claim.js'
import { asPerson, readDocument } from '../../person/documents.js'
import type { Claim } from '../../person/found-way.js'
import { isBlocked } from '../../person/person.js'
import { mayBeOwnSub } from '../../person/subject.js'
import { ownSubOf, personKey } from '../../person/way-document.js'
import { isOfItself } from '../../session/of-itself.js'
import type { SignedIn } from '../../session/signed-in.js'
import type { LedgerDocument } from '../../stores/ledger/types.js'
import { askSubject } from './ask-subject.js'
import { isShared } from './settings.js'

/** How often a claim is read again after a faster request. */
const TRIES = 5

/** The `sub` of an account whose way has no owner. */
export interface AppSubject {
  readonly sub: string
  /** The document of the person who has it. */
  readonly person: LedgerDocument | undefined
  /**
   * Records the owner of the `sub`, if no request has.
   *
   * @param isUnseen the person's first sign-in is not announced yet
   * @throws {OAuthAccountNotLinked} another account was faster
   */
  claim(isUnseen: boolean): Promise<Claim>
}

/**
 * The `sub` that the app gives an account, or else the account's own, which no other person may have either.
 *
 * @param way the account's own name
 * @throws {OAuthAccountNotLinked} it is another account's
 * @throws {CallbackFailed} @throws {StoreUnavailable}
 */
export async function subjectFor(
  request: AuthRequest,
  proved: SignedIn,
  way: string,
): Promise<AppSubject> {
  const chosen = await askSubject(request, proved)
  const sub = chosen ?? proved.account.userId
  const isGiven = sub !== proved.account.userId
  const [found, person] = await Promise.all([
    readClaim(request, sub),
    readDocument(request, personKey(sub)),
  ])
  // The sign-in is refused as one of a blocked person, also if the id is another account's.
  const known = asPerson(request, person).person
  if (isBlocked(known) && known?.mergedInto === undefined) {
    return { sub, person, claim: async () => found }
  }
  const check = (claim: Claim) => checkHolder(request, { sub, way, isGiven }, claim)
  if (found.way === undefined && isGiven) await checkUnclaimed(request, sub, person)
  check(found)
  return {
    sub,
    person,
    async claim(isUnseen) {
      let known = found
      for (let tries = 0; known.way === undefined; tries++) {
        if (tries === TRIES) throw new StoreUnavailable('A subject is being changed all the time.')
        const claim = { way, ...(isUnseen ? { unseen: true as const } : {}) }
        if (await writeClaim(request, sub, known.version, claim)) {
          return { version: known.version + 1, ...claim }
        }
        known = await readClaim(request, sub)
        check(known)
      }
      return known
    },
  }
}

/**
 * The `sub` that the app has given a way without an owner, if a person has been signed in by it:
 * `undefined` also for one that follows from the account itself.
 *
 * @param signedIn as the person who adds it
 * @throws {CallbackFailed} @throws {StoreUnavailable}
 */
export async function holderBySubject(
  request: AuthRequest,
  signedIn: SignedIn,
  way: string,
): Promise<string | undefined> {
  const sub = await askSubject(request, signedIn)
  if (sub === undefined || sub === ownSubOf(way)) return undefined
  const { way: holder } = await readClaim(request, sub)
  const isTheirs = holder === way || (holder !== undefined && isShared(request))
  return isTheirs ? sub : undefined
}

/**
 * Does a `sub` without a claim belong to a person all the same? People who signed in before
 * `subject` was configured have claimed none.
 *
 * @throws {OAuthAccountNotLinked} @throws {StoreUnavailable}
 */
async function checkUnclaimed(
  request: AuthRequest,
  sub: string,
  person: LedgerDocument | undefined,
): Promise<void> {
  const isPerson = typeof person?.content === 'string'
  if (isPerson && !isShared(request)) throw notTheirs()
  if (mayBeOwnSub(sub) && (isPerson || (await isOfItself(request, sub)))) throw notTheirs()
}

/** @throws {OAuthAccountNotLinked} the `sub` is another account's, and not shared */
function checkHolder(
  request: AuthRequest,
  { sub, way, isGiven }: { readonly sub: string; readonly way: string; readonly isGiven: boolean },
  { way: holder }: Claim,
): void {
  if (holder === undefined || holder === way) return
  // An id that follows from an account is never shared: a person who may choose an id could choose
  // that one.
  if (isGiven && isShared(request) && ownSubOf(holder) !== sub) return
  throw notTheirs()
}

function notTheirs(): OAuthAccountNotLinked {
  return new OAuthAccountNotLinked('subject() returned an id that is another account’s.')
}
