import { DamagedRecord } from '../errors.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import type { WhoseSessions } from '../types/auth-handler.js'
import { end, endedOf, endOf, listed, logRevocation } from './end.js'

/**
 * Ends sessions of a person for the operator: all of them, or all but one.
 *
 * @throws {StoreUnavailable} when the ledger cannot be written, in parts or at all: called again, it
 *   finishes
 */
export async function endSessionsOf(
  request: AuthRequest,
  { sub, except }: WhoseSessions,
): Promise<void> {
  const until = nowInSeconds(request)
  try {
    const ended = (await listed(request, sub)).map(endedOf)
    const began = except === undefined ? undefined : await beginningOf(request, sub, except)
    if (except !== undefined && began !== undefined) {
      const others = ended.filter(({ sid }) => sid !== except)
      if (await end(request, others, { sub, until, except }, began)) {
        return await logRevocation(request, sub, 'others', 'operator')
      }
    }
    await end(request, ended, { sub, until })
    await logRevocation(request, sub, 'all', 'operator')
  } finally {
    await endOf(request, until)
  }
}

/**
 * When a session began that is to go on, in seconds; `undefined` if it is over. Without its record
 * it is unknown whether it began before all sessions ended the last time: then it is over as well,
 * since an ended session must not come back.
 */
async function beginningOf(
  { stores }: AuthRequest,
  sub: string,
  sid: string,
): Promise<number | undefined> {
  const record = await stores.sessions.get(sub, sid).catch((error: Error) => error)
  const auth_time = record instanceof Error ? 0 : (record?.created ?? 0)
  if (!(await stores.ledger.isRevoked(sid, { sub, auth_time }))) return auth_time
  // While KV fails that is not certain, and the caller may ask again.
  if (record instanceof Error && !(record instanceof DamagedRecord)) throw record
  return undefined
}
