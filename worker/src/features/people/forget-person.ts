import type { AuthRequest } from '../../http/request.js'
import { setBlock } from '../../person/block.js'
import { firstWaysOf, ownWaysOf, readClaim, waysByForm } from '../../person/claim.js'
import { changeDocument, forgetDeleted, readDocument, readPerson } from '../../person/documents.js'
import type { Person } from '../../person/person.js'
import {
  hereKey,
  ownSubOf,
  personHere,
  readWay,
  sharedKey,
  wayKey,
} from '../../person/way-document.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { wholeList } from '../../stores/whole-list.js'

/**
 * Deletes the ledger's documents about a person by their `sub`, with their claim to it. Another
 * person who has a way that is spelled alike loses nothing.
 *
 * @param isAddress the mails of the address stay
 * @param keepsBlock the person asks for it, and only the operator ends a block
 * @returns are they blocked afterwards, so that sessions which began meanwhile are to be ended?
 */
export async function forgetPerson(
  request: AuthRequest,
  sub: string,
  isAddress = false,
  keepsBlock = false,
): Promise<boolean> {
  const { ledger } = request.stores
  await request.features.gone(request, sub)
  const { way } = await readClaim(request, sub)
  const own = await ownWaysOf(request, sub)
  for (const countedAs of request.features.hooks('person', 'countedAs')) {
    await ledger.forget(await countedAs(sub, request))
  }
  const traced = await firstWaysOf(request, sub)
  // By its form too: a version before looked at nothing else, and the configuration may have changed.
  const shared = way === undefined || ownSubOf(way) === sub ? [] : await sharedWays(request, sub)
  for (const one of new Set([...traced, ...waysByForm(sub), ...shared])) {
    await forgetTrace(request, sub, one)
  }
  const { person } = keepsBlock ? await readPerson(request, sub) : { person: undefined }
  // The person goes first: without it the rest of a way signs in as a new person.
  await ledger.forget(sub, true)
  // The documents of their ways stay, by which a sign-in finds the block.
  if (await blockedAgain(request, sub, person)) return true
  // An account's `sub` is not an address's, but a second factor may have left a document of one, and a block that of the first
  // way with an id of the app's.
  const names = isAddress ? [sub] : new Set([...own, ...(way === undefined ? [] : [way])])
  for (const name of names) {
    const entry = readWay(await readDocument(request, wayKey(name)))
    const holder = entry && ('owner' in entry ? entry.owner : entry.removed)
    const isOurs = holder === sub || (holder === undefined && own.includes(name))
    if (isOurs) await ledger.forget(name)
  }
  // A block that came meanwhile has lost documents that it needs.
  return blockedAgain(request, sub, (await readPerson(request, sub)).person)
}

/** Writes a block again. @returns is there one? */
export async function blockedAgain(
  request: AuthRequest,
  sub: string,
  person: Person | undefined,
): Promise<boolean> {
  if (!person?.blocked) return false
  await setBlock(request, sub, person.blocked)
  return true
}

/** The ways besides the first one to which the app gives a `sub`, as far as each has left a trace. @throws {StoreUnavailable} */
async function sharedWays({ stores }: AuthRequest, sub: string): Promise<readonly string[]> {
  const { ledger } = stores
  const beginning = sharedKey(sub)
  const documents = await wholeList(ledger as Required<Ledger>, sub, ['subject'])
  return documents.flatMap(({ key }) =>
    key.startsWith(beginning) ? [key.slice(beginning.length)] : [],
  )
}

/** Deletes the trace of a way whose person has an id of the app's, before their claim to it is gone. */
async function forgetTrace(request: AuthRequest, sub: string, way: string): Promise<void> {
  const trace = await readDocument(request, hereKey(way))
  if (trace && personHere(trace) === sub) {
    await changeDocument(request, hereKey(way), trace.version, null)
    await forgetDeleted(request, [hereKey(way)])
  }
}
