import { answerOf } from '../answers.js'
import { homeOfDocument } from '../rows.js'
import type { Ledger } from '../rules.js'
import type { DocumentEntry, LedgerDocument } from '../types.js'
import { newestDocument } from './documents.js'
import type { Ask, Copies } from './homes.js'

/** One call to each object. While their number changes the first one decides, as for a change. */
export const insertEverywhere: Ask<'insertDocuments'> = async ({ at, counts }, _call, entries) => {
  const all = entries.map((entry) => ({
    ...entry,
    own: at({ name: homeOfDocument(entry.key) }),
    counts,
  }))
  const isOne = all.every(({ own }) => own.length === 1)
  const answers = new Map<Insertion, LedgerDocument | null>()
  const copies = await insertIn(all, (own) => own, isOne)
  const agree = async ({ one, there }: ExistingCopies) => answers.set(one, await agreed(one, there))
  await Promise.all(copies.map(agree))
  if (!isOne) {
    const write = async (some: readonly Insertion[], part: (own: Own) => Own) => {
      for (const { one, there } of await insertIn(some, part, true)) {
        answers.set(one, there[0] ?? null)
      }
    }
    const wanted = all.filter((one) => !answers.get(one) && one.content !== null)
    await write(wanted, (own) => own.slice(0, 1))
    const decided = wanted.filter((one) => !answers.get(one))
    await write(decided, (own) => own.slice(1))
    // Another isolate, which knows the newer number alone, was faster there.
    const astray = decided.filter((one) => answers.get(one))
    const look = async (one: Insertion) => {
      const newest = await newestDocument(one, one.key)
      answers.set(one, newest && newest.content !== one.content ? newest : null)
    }
    await Promise.all(astray.map(look))
  }
  return all.map((one) => answers.get(one) ?? null)
}

type Own = readonly Ledger[]

/** A document to insert, and the objects that it is kept in. */
interface Insertion extends DocumentEntry, Copies {}

/** What some of these objects have already, in no order. */
interface ExistingCopies {
  readonly one: Insertion
  readonly there: readonly LedgerDocument[]
}

/**
 * Inserts documents with one call to each object.
 *
 * @param part which of its objects are meant
 * @param isWritten they are read alone otherwise
 */
async function insertIn(
  some: readonly Insertion[],
  part: (own: Own) => Own,
  isWritten: boolean,
): Promise<readonly ExistingCopies[]> {
  const copies = some.map((one) => ({ one, there: [] as LedgerDocument[] }))
  const parts = new Map<Ledger, typeof copies>()
  for (const each of copies) {
    for (const object of part(each.one.own)) {
      const others = parts.get(object)
      if (others) others.push(each)
      else parts.set(object, [each])
    }
  }
  const asked = [...parts].map(async ([object, those]) => {
    const entries = those.map(({ one }) => ({
      key: one.key,
      content: isWritten ? one.content : null,
    }))
    const there = (await answerOf(object, 'insertDocuments', [
      entries,
    ])) as (LedgerDocument | null)[]
    for (const [at, { there: documents }] of those.entries()) {
      const document = there[at]
      if (document) documents.push(document)
    }
  })
  await Promise.all(asked)
  return copies
}

/** A document as each of its objects has it, once they do. */
async function agreed(
  one: Insertion,
  there: readonly LedgerDocument[],
): Promise<LedgerDocument | null> {
  const [first] = there
  if (!first) return null
  const isSame =
    there.length === one.own.length && there.every(({ version }) => version === first.version)
  const newest = isSame ? first : await newestDocument(one, one.key)
  return newest && newest.content !== null ? newest : null
}
