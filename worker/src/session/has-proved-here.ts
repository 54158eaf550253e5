import type { SessionClaims } from '@latchkey/session'
import type { AuthRequest } from '../http/request.js'

/**
 * Has the person of a session proved here who they are? They have not if it moved in from another
 * library: it is not a fresh sign-in, whatever its time, and a person who signs in to change
 * something begins a session of their own.
 */
export function hasProvedHere(
  { providers }: AuthRequest,
  { amr: [by = ''] }: Pick<SessionClaims, 'amr'>,
): boolean {
  return !(by === 'authjs' || by === 'better-auth') || providers.usable.has(by)
}
