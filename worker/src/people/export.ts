import type { AuthRequest } from '../http/request.js'
import { exportSessions } from '../session/list.js'
import type { ExportedPerson } from '../types/auth-handler.js'

/** All that is kept of a person, without tokens and secrets. @throws {StoreUnavailable} */
export async function exportPerson(
  request: AuthRequest,
  sub: string,
): Promise<ExportedPerson | null> {
  const sessions = await exportSessions(request, sub)
  if (sessions.length === 0) return null
  return { sub, sessions }
}
