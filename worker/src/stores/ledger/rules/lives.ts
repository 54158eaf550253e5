import { documentIn, documentOf, type Rows } from '../rows.js'
import type { KeyedDocument, LedgerDocument, Life, LiveChange, LiveDocument } from '../types.js'
import { checkLength, endOfDeleted, isCopy, putDocument } from './documents.js'
import { endings, isOver } from './endings.js'
import { staleUntil } from './stale-rows.js'

/** The most documents in one answer. */
export const MAX_LISTED = 1_000

/** The rows of each kind that are looked for first, deleted documents among them. */
const LOOKED = 10_000

/** Documents that count only while a session, or another handle, is alive. */
export const lives = {
  /**
   * Reads a document that counts only while something is alive, and changes it in the same step if
   * it is. For exactly one of any number of callers with one version, as for `changeDocument`.
   *
   * @example
   * const life = { sid, owner: { sub: 'ada', auth_time: 1_800_000_000 } }
   * const change = { version: 0, content: 'new', expires: 1_800_003_600 }
   * const { isOver, isChanged } = await ledger.liveDocument('grant\nada\nid', life, change)
   */
  liveDocument(
    rows: Rows,
    now: number,
    key: string,
    { sid, also, owner }: Life,
    change?: LiveChange,
  ): LiveDocument {
    const isEnded = isOver(rows, sid, owner) || (also !== undefined && isOver(rows, also))
    const before = documentIn(rows, now, key)
    const until = staleUntil(rows, now, owner, also === undefined ? [] : [also])
    const standing = until === undefined ? {} : { staleUntil: until }
    if (isEnded || !isCurrent(before, change)) {
      return { ...liveAnswer(isEnded, false, before), ...standing }
    }
    const after = documentAfter(before, change)
    putDocument(rows, key, after)
    return { ...liveAnswer(false, true, after), ...standing }
  },

  /**
   * The documents `<kind>\n<home>\n<more>` of one home, of these kinds: 1,000 at most, and none that is deleted or over.
   * They are in the order of the kinds, and then of their keys. `wholeList` asks for all of them.
   *
   * @param count for one of several objects, while their number changes: the newest number. The
   *   answer has deleted documents too, with a content of `null`, and leaves out those that were handed over to that number
   * @param after the last key of the answer before: the rest follows
   */
  documentsOf(
    rows: Rows,
    now: number,
    home: string,
    kinds: readonly string[],
    count?: number,
    after?: string,
  ): readonly KeyedDocument[] {
    const found = kinds.flatMap((kind) =>
      entriesOf(rows, `${kind}\n${home}\n`).flatMap(([key, row]) => {
        const document = documentOf(row, now)
        const isMeant = count === undefined ? document?.content !== null : !isCopy(rows, key, count)
        return document && isMeant ? { key, ...document } : []
      }),
    )
    return count === undefined ? pageOf(found, kinds, after) : found
  },

  /**
   * Ends sessions, or other handles, as `revoke` does, and deletes documents, in one step. A
   * handle that the ledger does not know ends too. One of several objects counts a document that it
   * does not know as deleted for a day.
   *
   * @param until as of `revoke`. Seconds since the epoch
   * @param left the documents that are listed afterwards, as by `documentsOf`
   * @returns the whole list; `undefined`: it was not asked for, is longer, or is not of the same step (several objects have
   *   it, several processes, or an object of the version before): ask `documentsOf`
   */
  endAll(
    rows: Rows,
    now: number,
    sids: readonly string[],
    until: number,
    keys: readonly string[],
    left?: readonly [home: string, kinds: readonly string[]],
  ): readonly KeyedDocument[] | undefined {
    const listed = left && !rows.isCopy ? lives.documentsOf(rows, now, ...left) : undefined
    for (const sid of sids) endings.revoke(rows, now, sid, until)
    for (const key of keys) {
      // One that is not there yet may be on its way from an isolate that asks several objects.
      const { version, content } = documentIn(rows, now, key) ?? { version: 0 }
      if (content === null) continue
      const expires = endOfDeleted(rows, now, key)
      putDocument(rows, key, { version: version + 1, content: null, expires })
    }
    if (!listed || listed.length >= MAX_LISTED) return undefined
    const ended = new Set(keys)
    return listed.filter(({ key }) => !ended.has(key))
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
