import { type AuthRequest, nowInSeconds } from '../http/request.js'
import type { SessionRecord } from '../stores/ports.js'

/** A failed attempt to extend is followed by another one after it. Seconds. */
const NEXT_ATTEMPT = 60 * 60

/** One request extends; the name changes every hour, and sooner for a short session, so that a failed attempt is not the last. */
export async function mayExtend(
  request: AuthRequest,
  { sid, updated }: SessionRecord,
): Promise<boolean> {
  const now = nowInSeconds(request)
  const period = Math.min(NEXT_ATTEMPT, Math.ceil(request.config.session.maxAge / 10))
  const name = `extend:${sid}:${updated}:${Math.floor(now / period)}`
  return request.stores.ledger.consume(name, now + period)
}

/** In this time KV shows a write everywhere. Seconds. */
const LATENESS = 15 * 60

/** The id of the key and the nonce, a new one for every write, in base64url. */
const SEAL_ID_LENGTH = 8 + 1 + 16

/**
 * One request replaces a record that was read: KV may show it long after, and a second write over
 * it would undo the first. A record has the nonce of its seal for a version. Without a `jwt`
 * callback every write keeps the same, and none is asked for.
 *
 * The name changes, so that a write that failed is not the last; the one before is used up as well,
 * since it may have been another request's a moment ago.
 */
export async function mayReplace(
  request: AuthRequest,
  { sid, sealed }: SessionRecord,
): Promise<boolean> {
  if (!request.config.callbacks.jwt) return true
  const { ledger } = request.stores
  const now = nowInSeconds(request)
  const period = Math.floor(now / LATENESS)
  const name = `write:${sid}:${sealed.slice(0, SEAL_ID_LENGTH)}`
  const isFirst = await ledger.consume(`${name}:${period - 1}`, now + 2 * LATENESS)
  return isFirst && ledger.consume(`${name}:${period}`, now + 2 * LATENESS)
}
