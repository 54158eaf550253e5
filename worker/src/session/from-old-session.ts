import type { SessionClaims } from '@latchkey/session'
import type { AuthRequest } from '../http/request.js'

/**
 * Does a session go on from one of another library? Its person has proved nothing here yet: it is no fresh sign-in,
 * whatever its time, and whoever signs in to change something begins a session of their own.
 */
export function isFromOldSession(
  { providers }: AuthRequest,
  { amr: [by = ''] }: Pick<SessionClaims, 'amr'>,
): boolean {
  return (by === 'authjs' || by === 'better-auth') && !providers.usable.has(by)
}
