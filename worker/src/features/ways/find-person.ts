import type { AuthRequest } from '../../http/request.js'
import type { FoundWay, PresentPerson } from '../../person/found-way.js'
import { isAlone } from '../../person/person.js'
import { presentPerson } from '../../person/present-person.js'
import { readWay, wayOf } from '../../person/way-document.js'
import type { Identified } from '../../service/sign-in-hooks.js'
import type { SignedIn } from '../../session/signed-in.js'
import { wasRemoved } from '../../sign-in/identity.js'

/**
 * The person that a way signs in, if the ledger knows it. It does not know most ways.
 *
 * @param proved as the kind of sign-in has made them
 * @throws {OAuthAccountNotLinked} the way was removed
 * @throws {StoreUnavailable}
 */
export async function findPerson(
  request: AuthRequest,
  proved: SignedIn,
  entrance: FoundWay,
): Promise<Identified | undefined> {
  const way = readWay(entrance.document)
  if (!way) return undefined
  if ('removed' in way) throw wasRemoved()
  const name = proved.way ?? wayOf(proved.account)
  const present =
    entrance.present ?? (await presentPerson(request, way.owner, entrance.person, name))
  const { document: person } = present
  return { signedIn: signedInAs(present, proved, name), document: person }
}

/** A proof as one of a person that the ledger knows. */
export function signedInAs(
  { sub: userId, document: { person } }: PresentPerson,
  proved: SignedIn,
  way: string,
): SignedIn {
  const { user, account } = proved
  return {
    ...proved,
    user: { ...user, id: userId },
    account: { ...account, userId },
    way,
    ...(person && isAlone(person) ? { isAlone: true as const } : {}),
  }
}
