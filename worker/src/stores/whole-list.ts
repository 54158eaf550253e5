import { StoreUnavailable } from '../errors.js'
import { MAX_LISTED } from './ledger/rules/lives.js'
import type { Ledger } from './ledger/rules.js'
import type { KeyedDocument } from './ledger/types.js'

/**
 * All documents of a home, however many, with a call for each thousand: others may have made some of them, and a list that is cut
 * says nothing about the rest.
 *
 * @param kinds of which each begins its documents' keys
 * @throws {StoreUnavailable} also if the ledger answers no more than a thousand, as one of a version before does
 * @example const documents = await wholeList(ledger, sub, ['grant', 'consent'])
 */
export async function wholeList(
  ledger: Required<Pick<Ledger, 'documentsOf'>>,
  home: string,
  kinds: readonly string[],
): Promise<readonly KeyedDocument[]> {
  const all = new Map<string, KeyedDocument>()
  let page = await ledger.documentsOf(home, kinds)
  for (;;) {
    const before = all.size
    for (const document of page) all.set(document.key, document)
    const last = page.at(-1)
    if (!last || page.length < MAX_LISTED) return [...all.values()]
    if (all.size === before) throw new StoreUnavailable('The ledger does not list all documents.')
    page = await ledger.documentsOf(home, kinds, undefined, last.key)
  }
}

/**
 * Ends all documents of a home, page by page until nothing is left, also of a ledger of a version before.
 *
 * @param end ends all that it is given
 * @throws {StoreUnavailable} called again, it goes on
 */
export async function endWholeList(
  ledger: Required<Pick<Ledger, 'documentsOf'>>,
  home: string,
  kinds: readonly string[],
  end: (documents: readonly KeyedDocument[]) => Promise<unknown>,
): Promise<void> {
  let ended: string | undefined
  for (;;) {
    const page = await ledger.documentsOf(home, kinds)
    const [first] = page
    if (!first) return
    if (first.key === ended) throw new StoreUnavailable('The ledger does not end documents.')
    // A document that is made between the list and the end is in the next one.
    await end(page)
    ended = first.key
  }
}
