import type { SessionClaims } from '@latchkey/session'
import { acrOf } from '@latchkey/session/issue'
import type { AuthRequest } from '../../http/request.js'
import { settled } from './changes.js'
import { hasStrongStep, isStrong } from './strength.js'

/**
 * Has the person of a session shown their second factor, if they have one that counts? A session that began
 * before it was set up, perhaps a stranger's, is fresh for five minutes more: it takes nothing away that the factor
 * protects, and adds nothing. The token alone says it, since a stranger may have a copy of the cookie from before.
 *
 * @throws {StoreUnavailable}
 */
export function hasShownFactor(request: AuthRequest, asker: Asker): Promise<boolean> {
  return hasShown(request, asker, hasStrongStep)
}

/** Is a session of `acr` 2, if its person has a passkey or an app that gives it? @throws {StoreUnavailable} */
export function isAsStrong(request: AuthRequest, asker: Asker): Promise<boolean> {
  return hasShown(request, asker, isStrong)
}

type Asker = Pick<SessionClaims, 'sub' | 'amr'>

async function hasShown(
  request: AuthRequest,
  { sub, amr }: Asker,
  asks: typeof isStrong,
): Promise<boolean> {
  if (acrOf(amr) === '2') return true
  // A passkey whose addition failed halfway protects nothing: it does not sign in.
  const person = await settled(request, sub)
  return !person || !asks(request, person)
}
