import { InvalidConfiguration, OAuthAccountNotLinked } from '../errors.js'
import type { AuthRequest } from '../http/request.js'
import { asPerson, ownSubOf, readPerson } from '../person/documents.js'
import type { FoundWay } from '../person/found-way.js'
import { readWay, wayOf } from '../person/way-document.js'
import type { Identified } from '../service/feature.js'
import type { SignedIn } from '../session/callbacks.js'

/**
 * The person that an account itself names, if no feature knows another one. The ledger may know more of the way than any
 * feature here: then nobody is signed in by a guess.
 *
 * @throws {OAuthAccountNotLinked} the way was removed
 * @throws {InvalidConfiguration} the way is another person's, which the feature `ways` alone can tell
 * @throws {StoreUnavailable}
 */
export async function identifyByAccount(
  request: AuthRequest,
  proved: SignedIn,
  { document, person }: FoundWay,
): Promise<Identified> {
  const way = readWay(document)
  if (!way) return { signedIn: proved }
  if ('removed' in way) throw wasRemoved()
  if (way.owner !== ownSubOf(wayOf(proved.account))) throw needsWays()
  const { owner } = way
  const known =
    person === undefined ? await readPerson(request, owner) : asPerson(request, person ?? undefined)
  return { signedIn: proved, document: known }
}

/** The refusal of a way that its person has removed. */
export function wasRemoved(): OAuthAccountNotLinked {
  return new OAuthAccountNotLinked('A way was used that its person removed.')
}

function needsWays(): InvalidConfiguration {
  return new InvalidConfiguration(
    'A way to sign in was added to a person: add the feature ways of @latchkey/worker/features/ways.',
  )
}
