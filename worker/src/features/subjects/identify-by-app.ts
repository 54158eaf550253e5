import type { AuthRequest } from '../../http/request.js'
import type { FoundWay } from '../../person/found-way.js'
import { presentPerson } from '../../person/present-person.js'
import { readWay, wayOf } from '../../person/way-document.js'
import type { Identified } from '../../service/sign-in-hooks.js'
import type { SignedIn } from '../../session/signed-in.js'
import { wasRemoved } from '../../sign-in/identity.js'
import { signedInAs } from '../ways/find-person.js'
import { subjectFor } from './app-subject.js'

/**
 * The person whose id the app gives, of a way that the ledger does not know.
 *
 * @returns `undefined`: the ledger knows the way
 * @throws {OAuthAccountNotLinked} the id is another account's, or the way was removed
 * @throws {CallbackFailed} @throws {StoreUnavailable}
 */
export async function identifyByApp(
  request: AuthRequest,
  proved: SignedIn,
  { document }: FoundWay,
): Promise<Identified | undefined> {
  if (readWay(document)) return undefined
  const { account, way = wayOf(account) } = proved
  const subject = await subjectFor(request, proved, way)
  const present = await presentPerson(request, subject.sub, subject.person ?? null)
  const { document: person } = present
  if (person.person?.removed?.includes(way)) throw wasRemoved()
  const alone = person.person ? {} : { isAlone: true as const }
  return {
    signedIn: { ...signedInAs(present, proved, way), ...alone, isGiven: true },
    document: person,
    claim: subject.claim,
  }
}
