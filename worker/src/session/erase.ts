import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { erasedName } from '../lib/pseudonyms.js'
import { type Ended, endedOf, endOf, listed, logRevocation, storedUntil } from './end.js'
import { revokeSession } from './revoke.js'

/**
 * Ends all sessions of a person who is erased, with one call. No record of that names the person.
 *
 * @throws {StoreUnavailable} called again, it finishes
 */
export async function endErased(
  request: AuthRequest,
  sub: string,
  by: 'person' | 'operator',
): Promise<void> {
  const { stores, revocations } = request
  const until = nowInSeconds(request)
  try {
    const pids = await request.keys.pseudonyms.all(sub)
    const tell = await request.features.ending(request, { sub, except: undefined })
    await stores.ledger.erase({ sub, until }, pids, storedUntil(request, until))
    for (const pid of pids) revocations.cutOff({ sub: erasedName(pid), until })
    await tell()
    await logRevocation(request, sub, 'all', by)
  } finally {
    await endOf(request, until)
  }
}

/**
 * How many records are read, ended and deleted together: if a request has 50 calls, it deletes
 * some.
 */
const ERASED_TOGETHER = 10

/**
 * Deletes the records of a person whose sessions are over, with a call or more for each. Listed
 * sessions are ended one by one too, so that their tokens are deleted, and a session that began by
 * a clock that is ahead ends.
 *
 * @throws {StoreUnavailable} called again, it continues; the rest lapses
 */
export async function eraseRecords(request: AuthRequest, sub: string): Promise<void> {
  const { stores } = request
  const erased = new Set<string>()
  for (;;) {
    const records = await listed(request, sub, { most: ERASED_TOGETHER, except: erased })
    const part = records.filter(({ sid }) => !erased.has(sid)).map(endedOf)
    for (const { sid } of part) erased.add(sid)
    await eraseSome(request, part, part.length < ERASED_TOGETHER)
    if (part.length < ERASED_TOGETHER) break
  }
  await stores.sessions.deleteAll?.(sub)
}

/** @param isRest are these records deleted with all that are left? */
async function eraseSome(request: AuthRequest, ended: readonly Ended[], isRest: boolean) {
  const { config, stores, revocations } = request
  const atProviders = await Promise.all(
    ended.map((one) => request.features.ports.tokens.revocation(request, one)),
  )
  // Before the records go: without them, nothing finds these again.
  for (const revokeAtProvider of atProviders) request.waitUntil(revokeAtProvider())
  const sids = ended.map(({ sid }) => sid)
  await request.features.ports.binding?.forget(request, sids)
  for (const { sub, sid, sexp, amr } of ended) {
    await stores.ledger.revoke(sid, sexp + config.session.maxAge)
    revocations.add(sid)
    // What features keep of it is found by its record alone, so both go together: a call that runs out goes on with the next one.
    const forgotten = request.features.ended(request, { sub, sid, provider: amr[0] })
    await forgotten
    if (forgotten || !isRest) await stores.sessions.delete(sub, sid)
  }
}

/**
 * Ends all sessions of a person who was merged into another one. Their providers' tokens go on,
 * since that person has them.
 *
 * @throws {StoreUnavailable} called again, it finishes
 */
export async function endSessionsOfMerged(request: AuthRequest, sub: string): Promise<void> {
  const { stores, revocations } = request
  const until = nowInSeconds(request)
  const cutoff = { sub, until }
  const tell = await request.features.ending(request, { sub, except: undefined })
  await stores.ledger.cutOff(cutoff, storedUntil(request, until))
  revocations.cutOff(cutoff)
  const ended = (await listed(request, sub)).map(endedOf)
  await Promise.all(ended.map((one) => revokeSession(request, one)))
  await tell()
  await endOf(request, until)
}
