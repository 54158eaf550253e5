import type { SessionClaims } from '@latchkey/session'
import type { AuthRequest } from '../http/request.js'

/**
 * Did a session move in from another library? Its person has proved nothing here yet: it is not a
 * fresh sign-in, whatever its time, and a person who signs in to change something begins a session
 * of their own.
 */
export function isFromOldSession(
  { providers }: AuthRequest,
  { amr: [by = ''] }: Pick<SessionClaims, 'amr'>,
): boolean {
  return (by === 'authjs' || by === 'better-auth') && !providers.usable.has(by)
}
