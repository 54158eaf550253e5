import { isWorkerd } from '@latchkey/session/internal'
import { InvalidConfiguration, StoreUnavailable } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { releaseMemory, shareMemory } from '../../passwords/argon2id.js'
import { hashPassword } from '../../passwords/new-hash.js'
import { verifyPassword } from '../../passwords/verify-password.js'
import type { ReadHash } from './kept-password.js'
import { normalized } from './rules.js'

// A hash of argon2id is computed in one step of this thread, in one memory. So one at a time is computed, and the
// requests that wait for theirs are counted.

/** One computes, and sixteen wait. */
const MAX_PLACES = 17

/** A request that has ended without leaving its place, since its client has gone, keeps it no longer. Milliseconds. */
const STALE = 60_000

/** When each place was taken. Milliseconds since the epoch. */
const places = new Map<object, number>()

/** Too many requests of this process wait for a hash. */
class Busy extends StoreUnavailable {
  override readonly retryAfter = 1
}

/**
 * Runs work that computes hashes, if there is room for it.
 *
 * @throws {StoreUnavailable} there is none: nothing has been counted or stored
 * @throws {InvalidConfiguration} the package that hashes is not installed
 */
export async function hashing<Result>(
  { config }: AuthRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  const now = config.now()
  for (const [place, since] of places) if (now - since > STALE) places.delete(place)
  if (places.size >= MAX_PLACES) throw new Busy('Too many passwords wait for their hash.')
  const place = {}
  places.set(place, now)
  try {
    await shareMemory().catch((cause) => {
      throw new InvalidConfiguration(
        'Passwords need the package @phi-ag/argon2: npm install @phi-ag/argon2',
        { cause },
      )
    })
    return await work()
  } finally {
    places.delete(place)
    // All requests of a Worker share 128 MB. A process of Node keeps the memory: to throw it away costs as much as the hash.
    if (isWorkerd && places.size === 0) releaseMemory()
  }
}

/** A hash that belongs to nobody takes as long as any other. */
const NOBODY = 'the password of nobody'

/**
 * Is this text the password of a hash? Without a hash or a text it is not, which takes one hash to find out.
 *
 * @param typed `undefined`: no password can be the typed text
 */
export async function isPassword(
  request: AuthRequest,
  read: ReadHash | undefined,
  typed: string | undefined,
): Promise<boolean> {
  if (read && typed !== undefined) {
    if (!read.isOld) return verifyPassword(read.hash, normalized(typed))
    try {
      // Another system has hashed the text as it was typed.
      return await inTurn(() => verifyPassword(read.hash, typed))
    } catch (cause) {
      // The answer must be that of a wrong password: it would say that there is an account.
      const { message } = cause as Error
      request.config.logger.error(new InvalidConfiguration(message, { cause }))
    }
  }
  await hashPassword(NOBODY)
  return false
}

let last: Promise<unknown> = Promise.resolve()

/** Node computes scrypt beside this thread, so several at once would each take their memory. */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (isWorkerd) return work()
  const turn = last.then(work)
  last = turn.catch(() => {})
  return turn
}
