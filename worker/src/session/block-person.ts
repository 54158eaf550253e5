import { logEvent } from '../http/log-event.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { setBlock } from '../person/block.js'
import type { WhomToBlock } from '../types/auth-handler.js'
import { endSessionsOf } from './end-for-operator.js'

/**
 * Blocks a person for the operator: first in the ledger, which each sign-in reads, and then all that they have ends. A sign-in that
 * read before the block began before the end of all sessions, which ends it too.
 *
 * @throws {StoreUnavailable} called again, it finishes
 */
export async function blockPerson(request: AuthRequest, whom: WhomToBlock): Promise<void> {
  const { sub, ...reason } = whom
  const block = { since: nowInSeconds(request), ...reason }
  const { people } = await setBlock(request, sub, block)
  await Promise.all(people.map((one) => endAccess(request, one)))
  // An erasure that was under way may have deleted it meanwhile: then it counts from now on.
  if ((await setBlock(request, sub, block)).isChanged) return blockPerson(request, whom)
  await logEvent(request, { event: 'person-blocked', sub, by: 'operator', ...reason })
}

/** Ends the sessions of a person, and what gives tokens without one. */
async function endAccess(request: AuthRequest, sub: string): Promise<void> {
  await endSessionsOf(request, { sub })
  for (const ended of request.features.hooks('person', 'blocked')) await ended(request, sub)
}

/**
 * Ends the block of a person. Sessions that have ended stay ended. Nothing happens to anybody else.
 *
 * @throws {StoreUnavailable} call it again
 */
export async function unblockPerson(request: AuthRequest, sub: string): Promise<void> {
  if (!(await setBlock(request, sub)).isChanged) return
  await logEvent(request, { event: 'person-unblocked', sub, by: 'operator' })
}
