import { isRecord } from '@latchkey/session/internal'
import type { AuthRequest } from '../../http/request.js'
import { readDocument } from '../../person/documents.js'
import type { Person } from '../../person/person.js'
import { contentOf, ownerIn, personKey, readWay, wayKey } from '../../person/way-document.js'
import type { LedgerDocument } from '../../stores/ledger/types.js'
import { type KeptPassword, passwordOf } from './kept-password.js'

/** The documents behind an address, before anything is proved. */
export interface Holder {
  /** The document of the address. */
  readonly document: LedgerDocument | undefined
  /** Its person, if they have a password. */
  readonly found?:
    | {
        readonly sub: string
        readonly person: LedgerDocument
        readonly kept: KeptPassword
      }
    | undefined
}

/** The longest chain of merges, in people. */
const MAX_STEPS = 20

/**
 * The person of an address. A block or an erasure is judged later: nobody must hear of it without the password.
 *
 * @param way the address's own name
 * @param own the `sub` that follows from the address, which most people with one have
 * @throws {StoreUnavailable}
 */
export async function holderOf(request: AuthRequest, way: string, own: string): Promise<Holder> {
  const keys = [wayKey(way), personKey(own)]
  const [first, second] = await request.stores.ledger.insertDocuments(
    keys.map((key) => ({ key, content: null })),
  )
  const document = first ?? undefined
  let sub = ownerIn(readWay(document))
  let person = sub === own ? (second ?? undefined) : undefined
  for (let step = 0; sub !== undefined && step < MAX_STEPS; step++) {
    person ??= await readDocument(request, personKey(sub))
    const read = personIn(person)
    if (typeof read?.mergedInto !== 'string' || read.ways.length === 0) {
      const kept = passwordOf(read)
      return { document, found: kept && person && { sub, person, kept } }
    }
    sub = read.mergedInto
    person = undefined
  }
  return { document }
}

/** A person, whatever other features keep of them. */
export function personIn(document: LedgerDocument | undefined): Person | undefined {
  const content = contentOf(document)
  const person = isRecord(content?.person) ? content.person : content
  return person && Array.isArray(person.ways) ? (person as unknown as Person) : undefined
}
