import { DamagedRecord, StoreUnavailable } from '../errors.js'
import type { AuthRequest } from '../http/request.js'
import type { BlockedSince } from '../types/auth-handler.js'
import { firstWaysOf, waysByForm } from './claim.js'
import { contentOfPerson, readPerson } from './documents.js'
import type { ReadPerson } from './found-way.js'
import { type Block, isBlocked, type Person } from './person.js'
import { personKey, wayKey } from './way-document.js'

/** The most people of a chain of merges, and the tries that a faster request makes necessary. */
const MAX_STEPS = 50

/** A document that was there for the block alone. */
const NOTHING = '{"ways":[]}'

/**
 * Blocks a person, and the people that they became by merges, or ends the block. It may be called again, and finishes.
 *
 * Each way that may sign in as a blocked person without a document gets one: a sign-in reads the person only then, and so needs no further
 * call for anybody else. These documents stay after the block, since another request may rely on them by now: without one a
 * sign-in would not see a second factor.
 *
 * @param block its time counts for a person that is not blocked yet, and its reason in any case; left out: the block ends
 * @returns the people: the one that was named, and those that they became; and has this call changed anything?
 * @throws {StoreUnavailable} perhaps they are blocked, or not; also if the ledger keeps no documents
 */
export async function setBlock(
  request: AuthRequest,
  sub: string,
  block?: Block,
): Promise<{ readonly people: readonly string[]; readonly isChanged: boolean }> {
  const { ledger } = request.stores
  const people: string[] = []
  let isChanged = false
  let next: string | undefined = sub
  for (let step = 0; next !== undefined && step < MAX_STEPS; step++) {
    const { version, person }: ReadPerson = await readPerson(request, next)
    const { blocked, ...rest } = person ?? { ways: [] }
    const since = blocked?.since ?? block?.since ?? 0
    const changed: Person = block ? { ...rest, blocked: { ...block, since } } : rest
    const text = JSON.stringify(contentOfPerson(changed))
    // Before the block can be read: who it says is blocked must find it at their next sign-in.
    if (block) isChanged = (await documentWays(request, next)) || isChanged
    if (block ? text !== textOf(person) : isBlocked(person)) {
      const content = text === NOTHING ? null : text
      // Another request was faster, or the ledger keeps no documents.
      if (!(await ledger.changeDocument(personKey(next), version, content))) continue
      isChanged = true
    }
    people.push(next)
    next = person?.mergedInto
  }
  if (next !== undefined) throw new StoreUnavailable('A block cannot be written.')
  return { people, isChanged }
}

function textOf(person: Person | undefined): string | undefined {
  return person && JSON.stringify(contentOfPerson(person))
}

/** A block as the operator sees it. */
export function shownBlock(person: Person | undefined): BlockedSince | null {
  const { blocked } = person ?? {}
  if (blocked === undefined) return null
  const { since, reason = null } = blocked
  return { since: new Date(since * 1000).toISOString(), reason }
}

/**
 * Writes documents for the ways from which a `sub` follows, or for the first one to which the app has given it: the app may give
 * that one another id tomorrow.
 *
 * @returns has this call written any?
 */
async function documentWays(request: AuthRequest, sub: string): Promise<boolean> {
  const ways = await waysToDocument(request, sub)
  const content = JSON.stringify({ owner: sub, first: true })
  const entries = ways.map((one) => ({ key: wayKey(one), content }))
  return (await request.stores.ledger.insertDocuments(entries)).includes(null)
}

/** A damaged claim signs nobody in, and no block waits until somebody has mended it. @throws {StoreUnavailable} */
async function waysToDocument(request: AuthRequest, sub: string): Promise<readonly string[]> {
  try {
    return await firstWaysOf(request, sub)
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error
    request.config.logger.error(error)
    return waysByForm(sub)
  }
}
