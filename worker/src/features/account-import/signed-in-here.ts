import { InvalidCheck } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { firstWaysOf, waysByForm } from '../../person/claim.js'
import {
  hereKey,
  ownerIn,
  ownSubOf,
  readWay,
  sharedKey,
  wayKey,
  wayOf,
} from '../../person/way-document.js'
import type { SignedIn } from '../../session/signed-in.js'
import type { DocumentEntry } from '../../stores/ledger/types.js'
import type { SessionRecord } from '../../stores/ports.js'
import { isImporting } from './signed-request.js'

/**
 * Keeps a trace of a sign-in here by a way that the ledger does not know, while
 * accounts are being imported: it outlives the session, so that an import never moves the account
 * to another person. Afterwards the way is read once more. An import writes the way and then reads
 * the trace, so that one of the two sees the other.
 *
 * @throws {InvalidCheck} an import has brought the account meanwhile: the next sign-in is the old
 * person's
 * @throws {StoreUnavailable}
 */
export async function traceSignIn(
  request: AuthRequest,
  { account, way, isGiven }: SignedIn,
): Promise<void> {
  const isKnown = way !== undefined && !isGiven
  if (isKnown || !isImporting(request)) return
  const { userId: sub } = account
  const name = way ?? wayOf(account)
  const documents = await request.stores.ledger.insertDocuments([
    { key: wayKey(name), content: null },
    ...traceOf(sub, name, isGiven === true),
  ])
  const owner = ownerIn(readWay(documents?.[0] ?? undefined))
  if (owner !== undefined && owner !== sub) {
    throw new InvalidCheck('An import brought the account while its person signed in.')
  }
}

/**
 * The same at the end of a session that may have begun before the import. Its record, which is about to be deleted, has
 * the way by which it began or was last proved. Besides there are the ways whose own `sub` this is, of an account
 * and of an address, or the first one to which the app has given it.
 *
 * @throws {StoreUnavailable}
 */
export async function traceEnd(
  request: AuthRequest,
  { sub, sid }: Pick<SessionRecord, 'sub' | 'sid'>,
): Promise<void> {
  const record = await request.stores.sessions.get(sub, sid)
  const content = record && (await request.keys.record.open(record.sealed))
  const byForm = waysByForm(sub)
  // Unless the app gives ids, the form says it without a call.
  const isOwn = request.features.ports.subjects === undefined && byForm.length > 0
  const own = isOwn ? byForm : await firstWaysOf(request, sub)
  const ways = new Set([content?.way, ...own].filter((way) => typeof way === 'string'))
  // An imported account has a `sub` of its own, and a session that moved in keeps its old id.
  const brought = [...ways].filter((way) => ownSubOf(way) !== undefined && !way.startsWith('old:'))
  if (brought.length === 0) return
  const entries = brought.flatMap((way) => traceOf(sub, way, !own.includes(way)))
  await request.stores.ledger.insertDocuments(entries)
}

/** @param mayShare may another way have had the `sub` first? Then an erasure would not know this one. */
function traceOf(sub: string, way: string, mayShare: boolean): DocumentEntry[] {
  const content = JSON.stringify({ sub })
  const shared = mayShare ? [{ key: sharedKey(sub, way), content }] : []
  return [{ key: hereKey(way), content }, ...shared]
}
