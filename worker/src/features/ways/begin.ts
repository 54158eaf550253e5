import { OAuthAccountNotLinked } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { changeDocument } from '../../person/documents.js'
import type { ReadPerson } from '../../person/found-way.js'
import type { Person } from '../../person/person.js'
import { personKey, wayKey } from '../../person/way-document.js'
import type { SignedIn } from '../../session/signed-in.js'
import { entryOf } from './add.js'

/**
 * Begins a person with a way that they have just made, and that has no `sub` of its own. The person has
 * a list from the beginning, because only the ledger names the owner of the way. The list comes first,
 * so that no way signs in as a person who does not see it.
 *
 * @param signedIn with the way's own name
 * @param version of the way's document
 * @throws {OAuthAccountNotLinked} another request was faster, with the same credential's id
 * @throws {StoreUnavailable} the way signs in, or not
 */
export async function beginPerson(
  request: AuthRequest,
  signedIn: SignedIn & { readonly way: string },
  version: number,
): Promise<ReadPerson> {
  const { way, account } = signedIn
  const sub = account.userId
  const ways = [await entryOf(request, signedIn, way)]
  const hooks = request.features.hooks('person', 'announced')
  const person = hooks.reduce<Person>((now, announced) => announced(now, ways), { ways })
  const isBegun = await changeDocument(request, personKey(sub), 0, person)
  if (isBegun && (await changeDocument(request, wayKey(way), version, { owner: sub }))) {
    return { version: 1, person }
  }
  if (isBegun) await changeDocument(request, personKey(sub), 1, null)
  throw new OAuthAccountNotLinked('A way was made with an id that belongs to another person.')
}
