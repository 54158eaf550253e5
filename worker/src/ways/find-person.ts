import { DamagedRecord, OAuthAccountNotLinked } from '../errors.js'
import type { AuthRequest } from '../http/request.js'
import type { SignedIn } from '../session/callbacks.js'
import type { LedgerDocument } from '../stores/ports.js'
import { contentOf, personKey, readWay, wayOf } from './way-document.js'

/** The most people of whom one has become the next. */
const MAX_STEPS = 20

/**
 * The person that a way signs in. Most ways are known to nobody but their provider: then it is who the
 * account itself says, without a call.
 *
 * @param proved as the kind of sign-in has made them
 * @param document of the way, which came with the call that used up the proof
 * @throws {OAuthAccountNotLinked} the way was removed
 * @throws {StoreUnavailable}
 */
export async function findPerson(
  request: AuthRequest,
  proved: SignedIn,
  document: LedgerDocument | undefined,
): Promise<SignedIn> {
  const known = readWay(document)
  if (!known) return proved
  if ('removed' in known) throw new OAuthAccountNotLinked('A way was used that its person removed.')
  const { user, account } = proved
  const userId = await present(request, known.owner)
  return {
    ...proved,
    user: { ...user, id: userId },
    account: { ...account, userId },
    way: wayOf(account),
  }
}

/** Who somebody is now. A person who became another one is told so by their own document. */
async function present({ stores }: AuthRequest, sub: string): Promise<string> {
  let found = sub
  for (let step = 0; step < MAX_STEPS; step++) {
    const document = await stores.ledger.document?.(personKey(found))
    const { mergedInto, erasing } = contentOf(document) ?? {}
    if (erasing) throw new OAuthAccountNotLinked('The person of a way is being erased.')
    if (mergedInto === undefined) return found
    if (typeof mergedInto !== 'string') break
    found = mergedInto
  }
  throw new DamagedRecord('It cannot be read which person somebody became.')
}
