import { type AuthError, InvalidConfiguration, StoreUnavailable } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { releaseMemory, shareMemory } from '../../passwords/argon2id.js'
import { hashPassword, verifyPassword } from '../../passwords.js'
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
    if (places.size === 0) releaseMemory()
  }
}

/** A hash that belongs to nobody takes as long as any other. */
const NOBODY = 'the password of nobody'

/** A new hash. @param password as the rules have put it */
export function newHash(password: string): Promise<string> {
  return hashPassword(password)
}

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
  if (!read || typed === undefined) {
    await hashPassword(NOBODY)
    return false
  }
  try {
    return await inTurn(() => verifyPassword(read.hash, read.isOld ? typed : normalized(typed)))
  } catch (error) {
    // The package of an old format may be missing. To say so would tell that there is such a password.
    request.config.logger.error(error as AuthError)
    await hashPassword(NOBODY)
    return false
  }
}

/** Since when a hash is being computed. Milliseconds since the epoch; 0: none is. */
let since = 0

/** Old formats are computed by other threads, or in many steps. A wait of its own outlives a request that has gone. */
async function inTurn<Result>(compute: () => Promise<Result>): Promise<Result> {
  while (since !== 0 && Date.now() - since < STALE) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  since = Date.now()
  try {
    return await compute()
  } finally {
    since = 0
  }
}
