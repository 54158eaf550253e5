import { answerOf } from '../answers.js'
import { homeOfDocument, personKeyIn } from '../rows.js'
import type { Ledger } from '../rules.js'
import type { Entrance, LedgerDocument, Redemption } from '../types.js'
import { type Ask, atNewest, type Call, type Copies, type Homes, inTurn } from './homes.js'

/** How often a document is read that changes meanwhile. */
const MAX_TRIES = 4

/**
 * A document from an object that missed no change. The objects that did get it: the next caller may
 * ask another number of objects.
 *
 * @param copies the newest number last: it counts if isolates with either have changed one at once
 * @param answered what they have answered already
 */
export async function newestDocument(
  { own, counts }: Copies,
  key: string,
  answered?: readonly (LedgerDocument | undefined)[],
): Promise<LedgerDocument | undefined> {
  const read = () => Promise.all(own.map((object) => answerOf(object, 'document', [key])))
  let documents = answered ?? ((await read()) as typeof answered & object)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    documents = await withoutCopies({ own, counts }, key, documents)
    const there = documents.flatMap((document) => document ?? [])
    const newest = there.toSorted((one, other) => one.version - other.version).at(-1)
    if (!newest) return undefined
    const { version, content, expires } = newest
    // If there is none, a deleted one need not be known: in a day it is nowhere.
    const behind = own.filter((_, at) => {
      const { version: theirs = 0, content: old = null } = documents[at] ?? {}
      return theirs < version && (content ?? old) !== null
    })
    const followed = await Promise.all(
      behind.map((object) =>
        answerOf(object, 'changeDocument', [
          key,
          version - 1,
          content,
          'follows',
          undefined,
          expires,
        ]),
      ),
    )
    if (followed.every(Boolean)) return newest
    documents = (await read()) as typeof documents
  }
  throw new Error('A document changes faster than it can be read.')
}

/**
 * The documents of the objects. An object that has handed its document over may be ahead of the newest one, because that
 * one has forgotten the document, or begun a new one: then the copy in the older object is replaced.
 */
async function withoutCopies(
  { own, counts }: Copies,
  key: string,
  documents: readonly (LedgerDocument | undefined)[],
): Promise<readonly (LedgerDocument | undefined)[]> {
  const last = documents[own.length - 1]
  const { version = 0, content = null, expires } = last ?? {}
  const args = [key, version - 1, content, 'replaces', counts.at(-1), expires]
  const replaced = own.map(async (object, at) => {
    const { version: theirs = 0, content: text = null } = documents[at] ?? {}
    // With one version each may have a change of its own.
    const isAhead = theirs > version || (theirs === version && text !== content)
    const mayBeCopy = isAhead && (text ?? content) !== null
    return mayBeCopy && (await answerOf(object, 'changeDocument', args)) ? last : documents[at]
  })
  return Promise.all(replaced)
}

/**
 * Isolates without a new number change the old ones alone, and those without the old one the new ones: who
 * has both is done where neither kind was faster.
 */
export const changeEverywhere: Ask<'changeDocument'> = async (
  homes,
  call,
  key,
  version,
  content,
  role,
) => {
  const [first, ...rest] = homes.own as [Ledger, ...Ledger[]]
  if (rest.length === 0) return call(first)
  // Another number of objects may have an older one on its way.
  if (role === 'forgets') return false
  if (((await newestDocument(homes, key))?.version ?? 0) !== version) return false
  return decideEverywhere(homes, key, version, content)
}

/**
 * Changes a document that was read in every object just now: the oldest number decides, and the others follow.
 *
 * @param expires the document's end
 */
export async function decideEverywhere(
  { own }: Copies,
  key: string,
  version: number,
  content: string | null,
  expires?: number,
): Promise<boolean> {
  const [first, ...rest] = own as [Ledger, ...Ledger[]]
  const ask = (object: Ledger, role: 'decides' | 'follows') =>
    answerOf(object, 'changeDocument', [key, version, content, role, undefined, expires])
  if (!(await ask(first, 'decides'))) return false
  const followed = await Promise.all(rest.map((object) => ask(object, 'follows')))
  return followed.every(Boolean)
}

export const enterInTurn: Ask<'enter'> = async (
  { own, at, counts },
  call,
  _name,
  _expires,
  key,
) => {
  const entrances: Entrance[] = []
  for (const object of own) {
    const entrance = await call(object)
    if (!entrance.isFirst) return { isFirst: false }
    entrances.push(entrance)
  }
  const documents = entrances.map(({ document }) => document)
  const document = await newestDocument({ own, counts }, key, documents)
  // An object that is not the person's knows none, or an old one.
  const owner = own.length === 1 ? personKeyIn(document?.content) : undefined
  const isThere = owner !== undefined && at({ name: homeOfDocument(owner) })[0] === own[0]
  return { isFirst: true, document, ...(isThere ? { person: entrances[0]?.person } : {}) }
}

/** Attempts are counted in the newest object, and the way's document may be in another one. */
export const forgiveAtNewest: Ask<'forgive'> = async (homes, call, _key, _limits, way) => {
  const answer = await atNewest(homes, call)
  if (way === undefined) return undefined
  const own = homes.at({ name: way })
  const isThere = own.length === 1 && own[0] === homes.own.at(-1)
  return isThere ? answer : newestDocument({ ...homes, own }, `way\n${way}`)
}
/** A mail is in one object, and other objects may know its address too. */
export async function redeemInTurn(
  homes: Homes,
  call: Call<Redemption>,
  key: string,
): Promise<Redemption> {
  const newestFirst = { ...homes, own: homes.own.toReversed() }
  const answer = await inTurn(newestFirst, call, ({ state }) => state === 'over')
  if (answer.state !== 'redeemed' || homes.own.length === 1) return answer
  return { ...answer, document: await newestDocument(homes, `way\n${key}`) }
}
