import type { SessionClaims } from '@latchkey/session'
import type { AuthRequest } from '../../http/request.js'
import { shownWays } from './list.js'
import { isAnyWaiting } from './strength.js'

/** The providers of a person's ways, and whether anything of theirs waits to count. @throws {StoreUnavailable} */
export async function ownProvidersOf(
  request: AuthRequest,
  claims: SessionClaims,
): Promise<{ readonly ids: ReadonlySet<string>; readonly isWaiting: boolean }> {
  const { ways, person } = await shownWays(request, claims)
  const isWaiting = person !== undefined && isAnyWaiting(request, person)
  const more = person
    ? request.features.hooks('person', 'provesBy').flatMap((provesBy) => provesBy(request, person))
    : []
  return { ids: new Set([...ways.map(({ provider }) => provider), ...more]), isWaiting }
}
