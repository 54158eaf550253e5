import type { AuthRequest } from '../../http/request.js'
import { ownWaysOf, readClaim } from '../../person/claim.js'
import { changeDocument, forgetDeleted, readDocument } from '../../person/documents.js'
import { hereKey, personHere, readWay, wayKey } from '../../person/way-document.js'

/**
 * Deletes the ledger's documents about a person by their `sub`, with their claim to it. Another
 * person who has a way that is spelled alike loses nothing.
 *
 * @param isAddress the mails of the address stay
 */
export async function forgetPerson(
  request: AuthRequest,
  sub: string,
  isAddress = false,
): Promise<void> {
  const { ledger } = request.stores
  await request.features.gone(request, sub)
  const own = await ownWaysOf(request, sub)
  for (const countedAs of request.features.hooks('countedAs')) {
    await ledger.forget?.(await countedAs(sub))
  }
  await forgetTrace(request, sub)
  // The person goes first: without it the rest of a way signs in as a new person.
  await ledger.forget?.(sub, true)
  // An account's `sub` is not an address's, but a second factor may have left a document of one.
  for (const name of isAddress ? [sub] : own) {
    const way = readWay(await readDocument(request, wayKey(name)))
    const holder = way && ('owner' in way ? way.owner : way.removed)
    if (holder === undefined || holder === sub) await ledger.forget?.(name)
  }
}

/** Deletes the trace of a way whose person has an id of the app's, before their claim to it is gone. */
async function forgetTrace(request: AuthRequest, sub: string): Promise<void> {
  const { way } = await readClaim(request, sub)
  if (way === undefined) return
  const trace = await readDocument(request, hereKey(way))
  if (trace && personHere(trace) === sub) {
    await changeDocument(request, hereKey(way), trace.version, null)
    await forgetDeleted(request, [hereKey(way)])
  }
}
