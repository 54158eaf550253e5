import { DOCUMENTS_RESHARD, documentIn, documentOf, type Rows, type Tables } from '../rows.js'
import { type DocumentEntry, type LedgerDocument, MAX_DOCUMENT } from '../types.js'
import { attemptsOf } from './attempts.js'

/** The kinds of documents whose names begin with a `sub`. */
const OF_PEOPLE = ['person', 'connection', 'subject', 'grant', 'consent', 'ended']

/** The kinds of documents, which begin their keys. */
const DOCUMENTS = ['way', ...OF_PEOPLE, 'key', 'device', 'rsa', 'bound', 'company']

/**
 * How long a deleted document is known, so that no slower writer takes it for one that never was.
 * Seconds.
 */
const TOMBSTONE = 24 * 60 * 60
/** The longest time for which one that had an end is known. Seconds. */
const LONGEST = 31 * TOMBSTONE

export const documents = {
  /**
   * A document.
   * @returns `undefined`: there is no document, and there was none lately
   */
  document: documentIn,

  /**
   * Changes a document if it is still as the caller read it: for exactly one of any number of callers
   * that read the same.
   * @param version the one that the caller read; 0: there was none
   * @param content `null` deletes it
   * @param role of one of several objects, which may have an older one than `version`: the first
   * decides, and the others follow, as often as they are called. One that has handed the document
   * over has only a copy, which the new object's document replaces: a `version` of -1 if that has
   * none. Any ledger `forgets` a document that was deleted before the day is over, and no other: a
   * `version` of -1, so that an older one does nothing
   * @param count the number of objects that it was handed over to
   * @param expires for one of several objects: the document's end, in seconds since the epoch
   * @returns `false`: somebody was faster. Read it again: while the number of objects changes it may
   *   have been changed as asked, and once more since
   */
  changeDocument(
    rows: Rows,
    now: number,
    key: string,
    version: number,
    content: string | null,
    role?: 'decides' | 'follows' | 'replaces' | 'forgets',
    count?: number,
    expires?: number,
  ): boolean {
    // One of several objects may have missed an earlier version.
    const document = documentIn(rows, now, key)
    const at = document?.version ?? 0
    const next = { version: version + 1, content }
    if (role === 'replaces') return replaceCopy(rows, key, { ...next, expires }, count)
    if (role === 'forgets') return forgetDeleted(rows, key)
    if (role === 'follows' && at === next.version) return document?.content === content
    if (role ? at > version : at !== version) return false
    checkLength(content)
    if (content === null && at === 0 && !role) return true
    const end = content === null ? endOfDeleted(rows, now, key) : expires
    putDocument(rows, key, { ...next, expires: end })
    return true
  },

  /**
   * Reads documents, and writes the missing ones: existing ones stay as they are, so that it may be
   * called again.
   *
   * @returns for each the document that exists; `null`: none did, so the new one, if there is one,
   * is written
   */
  insertDocuments(
    rows: Rows,
    now: number,
    entries: readonly DocumentEntry[],
  ): readonly (LedgerDocument | null)[] {
    const keys = entries.map(({ key }) => key)
    const all = rows.getAll?.('documents', keys)
    const added = new Map<string, Tables['documents']>()
    const answers = entries.map(({ key, content }) => {
      const row = added.get(key) ?? (all ? all.get(key) : rows.get('documents', key))
      const document = documentOf(row, now)
      if (document && document.content !== null) return document
      if (content === null) return null
      checkLength(content)
      added.set(key, { version: (document?.version ?? 0) + 1, content, expires: null })
      return null
    })
    if (rows.putAll) rows.putAll('documents', added)
    else for (const [key, row] of added) rows.put('documents', key, row)
    if (rows.get('handovers', DOCUMENTS_RESHARD)) {
      for (const key of added.keys()) rows.put('unhanded', key, { expires: null })
    }
    return answers
  },

  /**
   * Deletes all that is kept under a name, without a trace: its counts, its mails and its
   * documents. The caller makes sure that nothing goes on to write them.
   *
   * @param isSub only the documents about a person: as a name it may belong to another person
   * @param isFromOther for one of several objects: an object of another number has named this one to
   *   the caller, and has forgotten the name already
   * @returns for one of several objects, while their number changes: the other numbers, whose
   *   objects may have copies
   */
  forget(
    rows: Rows,
    now: number,
    key: string,
    isSub = false,
    isFromOther = false,
  ): readonly number[] | undefined {
    // If documents are handed over, a tombstone is handed over after them. But if an object of the
    // other number has named this one to the caller, that object has forgotten them already: a tombstone
    // would delete documents that the person has written again there.
    const changes = rows.keys('handovers', '')
    const isHanding = changes.includes(DOCUMENTS_RESHARD)
    if (!isSub) {
      for (const name of rows.keys('attempts', attemptsOf(key, ''))) rows.delete('attempts', name)
      for (const name of [key, ...rows.keys('verifications', `${key}\n`)]) {
        rows.delete('verifications', name)
      }
    }
    for (const kind of isSub ? OF_PEOPLE : DOCUMENTS) {
      const own = `${kind}\n${key}`
      for (const name of [own, ...rows.keys('documents', `${own}\n`)]) {
        const isOver = isFromOther && isCopy(rows, name)
        const row = isHanding && !isOver ? rows.get('documents', name) : undefined
        if (row) {
          const { version, content } = row
          const gone = { version: version + 1, content: null, expires: now + TOMBSTONE }
          if (content !== null) rows.put('documents', name, gone)
          rows.put('unhanded', name, { expires: null })
        } else {
          rows.delete('documents', name)
          rows.delete('unhanded', name)
        }
      }
    }
    return changes.flatMap((change) => rows.get('handovers', change)?.count ?? [])
  },
}

/**
 * Once an object has handed a document over, its copy says nothing that the new object does not know better: not of one
 * that is missing there either.
 *
 * @returns `false`: it was not handed over to that number, or was changed since
 */
function replaceCopy(
  rows: Rows,
  key: string,
  { version, content, expires }: LedgerDocument,
  count = 0,
): boolean {
  if (!isCopy(rows, key, count)) return false
  if (content === null) rows.delete('documents', key)
  else rows.put('documents', key, { version, content, expires: expires ?? null })
  return true
}

/**
 * Until when a document is known as deleted. One that had an end within a month keeps it, since an older copy in
 * another object has one too.
 */
export function endOfDeleted(rows: Rows, now: number, key: string): number {
  const end = rows.get('documents', key)?.expires ?? 0
  return end > now + LONGEST ? now + TOMBSTONE : Math.max(now + TOMBSTONE, end)
}

/** Writes a document, also to the objects of another number if documents are handed over. */
export function putDocument(
  rows: Rows,
  key: string,
  { version, content, expires }: LedgerDocument,
): void {
  const end = expires ?? null
  // The same end costs no row of the index, if it is not written.
  if (rows.get('documents', key)?.expires === end) {
    rows.change('documents', key, { version, content })
  } else rows.put('documents', key, { version, content, expires: end })
  if (rows.get('handovers', DOCUMENTS_RESHARD)) rows.put('unhanded', key, { expires: null })
}

/**
 * Deletes the rest of a deleted document. While documents are handed over it stays for its day: an
 * older copy may be on its way, and would be taken for a new document.
 */
function forgetDeleted(rows: Rows, key: string): boolean {
  const isDeleted = rows.get('documents', key)?.content === null
  if (!isDeleted || rows.keys('handovers', '').length > 0) return false
  rows.delete('documents', key)
  return true
}

/**
 * Was a document handed over, and not changed since?
 *
 * @param count the number of objects that it was handed over to; left out: any
 */
export function isCopy(rows: Rows, key: string, count?: number): boolean {
  const handover = rows.get('handovers', DOCUMENTS_RESHARD)
  if (!handover || (count ?? handover.count) !== handover.count) return false
  return handover.after === null && !rows.get('unhanded', key)
}

/** @throws {RangeError} */
export function checkLength(content: string | null): void {
  if (content === null || content.length <= MAX_DOCUMENT) return
  throw new RangeError(`A document of ${content.length} characters is too long.`)
}
