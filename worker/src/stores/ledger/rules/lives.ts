import type { LedgerDocument, LiveChange } from '../../ports.js'
import { documentIn, documentOf, type Rules } from '../rows.js'
import { checkLength, endOfDeleted, isCopy, putDocument } from './documents.js'
import { endings, isOver } from './endings.js'

/** The most documents in one answer. */
export const MAX_LISTED = 1_000

/** The most rows of each kind that are looked at for it, deleted documents among them. */
const MAX_LOOKED = 10_000

/** Documents that count only while a session, or what ends like one, is alive. */
export const lives: Rules<'liveDocument' | 'documentsOf' | 'endAll'> = {
  liveDocument(rows, now, key, { sid, also, owner }, change) {
    const isEnded = isOver(rows, sid, owner) || (also !== undefined && isOver(rows, also))
    const before = documentIn(rows, now, key)
    const isChanged = !isEnded && change !== undefined && isVersion(before, change)
    const { version, expires } = change ?? { version: 0, expires: 0 }
    const content = isChanged ? contentAfter(before, change) : (before?.content ?? null)
    if (isChanged) putDocument(rows, key, { version: version + 1, content, expires })
    const document = isChanged ? { version: version + 1, content, expires } : before
    return { isOver: isEnded, isChanged, ...(content === null ? {} : { document }) }
  },

  documentsOf(rows, now, home, kinds, count) {
    const found = kinds.flatMap((kind) => {
      const entries = rows.entries('documents', `${kind}\n${home}\n`, MAX_LOOKED)
      return entries.flatMap(([key, row]) => {
        const document = documentOf(row, now)
        const isMeant = count === undefined ? document?.content !== null : !isCopy(rows, key, count)
        return document && isMeant ? { key, ...document } : []
      })
    })
    return count === undefined ? found.slice(0, MAX_LISTED) : found
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

/** Is a document as the caller of a change read it? */
export function isVersion(document: LedgerDocument | undefined, change: LiveChange): boolean {
  return (document?.version ?? 0) === change.version
}

/** @throws {RangeError} it is too long */
export function contentAfter(
  document: LedgerDocument | undefined,
  { content, last }: LiveChange,
): string {
  const before = document?.content ?? ''
  const after = content ?? before.slice(0, before.lastIndexOf('\n') + 1) + (last ?? '')
  checkLength(after)
  return after
}
