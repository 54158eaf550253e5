import type { KeyedDocument, LedgerDocument, LiveChange, LiveDocument } from '../../ports.js'
import { documentIn, documentOf, type Rows, type Rules } from '../rows.js'
import { checkLength, endOfDeleted, isCopy, putDocument } from './documents.js'
import { endings, isOver } from './endings.js'

/** The most documents in one answer. */
export const MAX_LISTED = 1_000

/** The rows of each kind that are looked for first, deleted documents among them. */
const LOOKED = 10_000

/** Documents that count only while a session, or another handle, is alive. */
export const lives: Rules<'liveDocument' | 'documentsOf' | 'endAll'> = {
  liveDocument(rows, now, key, { sid, also, owner }, change) {
    const isEnded = isOver(rows, sid, owner) || (also !== undefined && isOver(rows, also))
    const before = documentIn(rows, now, key)
    if (isEnded || !isCurrent(before, change)) return liveAnswer(isEnded, false, before)
    const after = documentAfter(before, change)
    putDocument(rows, key, after)
    return liveAnswer(false, true, after)
  },

  documentsOf(rows, now, home, kinds, count, after) {
    const found = kinds.flatMap((kind) =>
      entriesOf(rows, `${kind}\n${home}\n`).flatMap(([key, row]) => {
        const document = documentOf(row, now)
        const isMeant = count === undefined ? document?.content !== null : !isCopy(rows, key, count)
        return document && isMeant ? { key, ...document } : []
      }),
    )
    return count === undefined ? pageOf(found, kinds, after) : found
  },

  endAll(rows, now, sids, until, keys) {
    for (const sid of sids) endings.revoke(rows, now, sid, until)
    for (const key of keys) {
      // One that is not there yet may be on its way from an isolate that asks several objects.
      const { version, content } = documentIn(rows, now, key) ?? { version: 0 }
      if (content === null) continue
      const expires = endOfDeleted(rows, now, key)
      putDocument(rows, key, { version: version + 1, content: null, expires })
    }
  },
}

/** All of them: however many documents somebody has made and deleted, they hide none that is there. */
function entriesOf(rows: Rows, beginning: string) {
  for (let limit = LOOKED; ; limit *= 4) {
    const entries = rows.entries('documents', beginning, limit)
    if (entries.length < limit) return entries
  }
}

/** One answer of a list, in the order of the kinds and then of the keys. @param after the last key of the answer before */
export function pageOf(
  documents: readonly KeyedDocument[],
  kinds: readonly string[],
  after?: string,
): readonly KeyedDocument[] {
  const order = (one: string, other: string) =>
    kinds.indexOf(kindOf(one)) - kinds.indexOf(kindOf(other)) || (one < other ? -1 : 1)
  return documents
    .filter(({ key }) => after === undefined || (key !== after && order(key, after) > 0))
    .toSorted((one, other) => order(one.key, other.key))
    .slice(0, MAX_LISTED)
}

function kindOf(key: string): string {
  return key.slice(0, key.indexOf('\n'))
}

/** Is a document as the caller of a change read it? */
export function isCurrent(
  document: LedgerDocument | undefined,
  change: LiveChange | undefined,
): change is LiveChange {
  return change?.version === (document?.version ?? 0)
}

/** @throws {RangeError} it is too long */
export function documentAfter(
  before: LedgerDocument | undefined,
  { version, content, last = '', expires }: LiveChange,
): LedgerDocument & { readonly content: string } {
  const old = before?.content ?? ''
  const text = content ?? old.slice(0, old.lastIndexOf('\n') + 1) + last
  checkLength(text)
  return { version: version + 1, content: text, ...(expires === undefined ? {} : { expires }) }
}

export function liveAnswer(
  isOver: boolean,
  isChanged: boolean,
  document: LedgerDocument | undefined,
): LiveDocument {
  if (document?.content === null) return { isOver, isChanged, deleted: document.version }
  return { isOver, isChanged, ...(document ? { document } : {}) }
}
