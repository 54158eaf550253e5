import type { ReadPerson } from '../../person/found-way.js'
import { isBlocked, type Person } from '../../person/person.js'
import { ownerIn, ownSubOf, type WayDocument } from '../../person/way-document.js'
import type { WaysSettings } from './settings.js'

/** The facts by which a person's way is removed. */
interface Removal extends WaysSettings {
  /** The person, and their document. */
  readonly sub: string
  readonly person: Person | undefined
  readonly way: string
  /** The way's document. */
  readonly entry: WayDocument | undefined
  /** People who may have been taken in with the way, as `people` were read. */
  readonly taken: readonly string[]
  readonly people: readonly ReadPerson[]
}

/** What a removal does. */
type Release =
  /** Nothing: the way is not being removed any more, or its person is blocked. */
  | { readonly does: 'nothing' }
  /** Nothing more: the way is another person's. */
  | { readonly does: 'leave' }
  /** The people who were taken in are free. @param isKept the way's document says that it was removed */
  | { readonly does: 'free'; readonly isKept: boolean }
  /** They are free, and then the way has this document, or none. */
  | { readonly does: 'write'; readonly left: WayDocument | null; readonly isKept: boolean }

/** Decides what becomes of a way that its person removes, and of the people who were taken in with it. */
export function decideRelease(removal: Removal): Release {
  const { sub, person, way, entry, taken, people, unlinked } = removal
  if (!person?.ways.some((one) => one.way === way && one.state === 'removing')) {
    return { does: 'nothing' }
  }
  // Their ways stay theirs: by a free one they would be here again. The removal goes on after the block.
  if (isBlocked(person)) return { does: 'nothing' }
  const isFirst = ownSubOf(way) === sub || (entry !== undefined && 'first' in entry)
  if (!isTheirs(removal, isFirst)) {
    if (ownerIn(entry) !== undefined) return { does: 'leave' }
    // A failure after an earlier such write is repaired.
    return {
      does: 'free',
      isKept: entry !== undefined && 'removed' in entry && entry.removed === sub,
    }
  }
  const other = ofBlocked(way, taken, people) ?? inUse(sub, way, taken[0], people[0])
  if (other) return { does: 'write', left: other, isKept: false }
  // An unknown way without a `sub` of its own signs no user in anyway.
  const isKept = ownSubOf(way) !== undefined && (isFirst || unlinked === 'refuse')
  return { does: 'write', left: isKept ? { removed: sub } : null, isKept }
}

/** Without a document a way belongs to the person whose `sub` follows from it. */
function isTheirs({ sub, entry }: Removal, isFirst: boolean): boolean {
  return entry ? ownerIn(entry) === sub : isFirst
}

/**
 * The document of a way that leads to a blocked person again, who was taken in with it: without one a sign-in would not read the
 * block, or the app could give the way another id.
 *
 * @param taken people who may have been taken in with it, as `people` were read
 */
function ofBlocked(
  way: string,
  taken: readonly string[],
  people: readonly ReadPerson[],
): WayDocument | undefined {
  // A credential without a document signs no user in.
  if (ownSubOf(way) === undefined) return undefined
  const at = people.findIndex(({ person }) => isBlocked(person) && person?.ways.length === 0)
  const owner = taken[at]
  return owner === undefined ? undefined : { owner, first: true }
}

/**
 * The mark for an account that a person loses, if its own `sub` belongs to another person with a
 * list: they were not found when it was added, since KV lists a session late. Without a document it
 * would sign in as them, unseen and past their second factor. Only they may add it.
 *
 * @param own the `sub` of the person who may have begun with it, and their document
 */
export function inUse(
  sub: string,
  way: string,
  own: string | undefined,
  { person }: Partial<ReadPerson> = {},
): WayDocument | undefined {
  const isOther = own !== undefined && own !== sub && own === ownSubOf(way)
  return isOther && person && person.mergedInto === undefined ? { removed: own } : undefined
}
