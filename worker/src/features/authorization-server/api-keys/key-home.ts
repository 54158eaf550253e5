import { DamagedRecord, StoreUnavailable } from '../../../errors.js'
import type { AuthRequest } from '../../../http/request.js'
import { readDocument } from '../../../person/documents.js'
import { contentOf, subjectKey } from '../../../person/way-document.js'
import type { LedgerDocument, Life } from '../../../stores/ledger/types.js'
import { ledgerOf, ofItself } from '../grant-ledger.js'
import { drawHome, isHome } from './key-text.js'

/** How often it is written again after a faster request. */
const TRIES = 3

/** The key of the document with the home of a person's keys. It goes with all else of the person. */
function keyOf(sub: string): string {
  return `${subjectKey(sub)}\nkeys`
}

/** The home of a person's keys. @returns `undefined`: they have none yet @throws {DamagedRecord} @throws {StoreUnavailable} */
export async function keptHome(request: AuthRequest, sub: string): Promise<string | undefined> {
  return homeIn(await readDocument(request, keyOf(sub)))
}

/**
 * Is a home still that of a person's keys, and does the session go on that has asked for it? With one call.
 *
 * @param asker as of {@link takeHome}
 * @throws {DamagedRecord} @throws {StoreUnavailable}
 */
export async function keepsHome(
  request: AuthRequest,
  sub: string,
  asker: Life | undefined,
  home: string,
): Promise<boolean> {
  const read = await ledgerOf(request).liveDocument(keyOf(sub), asker ?? ofItself(sub))
  return !read.isOver && homeIn(read.document) === home
}

/**
 * The home of a person's keys, which is drawn for their first one.
 *
 * @param asker the session that asks for a key; left out: the operator does
 * @returns `undefined`: the session is over
 * @throws {DamagedRecord} @throws {StoreUnavailable}
 */
export async function takeHome(
  request: AuthRequest,
  sub: string,
  asker: Life | undefined,
): Promise<string | undefined> {
  const key = keyOf(sub)
  const content = JSON.stringify({ home: drawHome() })
  let version = 0
  for (let tries = 0; tries < TRIES; tries++) {
    const change = { version, content }
    const read = await ledgerOf(request).liveDocument(key, asker ?? ofItself(sub), change)
    if (read.isOver) return undefined
    if (read.document) return homeIn(read.document)
    version = read.deleted ?? 0
  }
  throw new StoreUnavailable('The home of API keys cannot be written.')
}

function homeIn(document: LedgerDocument | undefined): string | undefined {
  const content = contentOf(document)
  if (!content) return undefined
  if (isHome(content.home)) return content.home
  throw new DamagedRecord('The home of API keys cannot be read.')
}
