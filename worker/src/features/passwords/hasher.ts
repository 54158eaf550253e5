import { InvalidConfiguration, StoreUnavailable } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { releaseMemory, shareMemory } from '../../passwords/argon2id.js'
import type { ReadHash } from './kept-password.js'
import { newHash, verifyHash } from './own-hash.js'
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

/**
 * Is this text the password of a hash? Without a hash or a text it is not, which takes one hash to find out.
 *
 * @param typed `undefined`: no password can be the typed text
 */
export async function isPassword(
  read: ReadHash | undefined,
  typed: string | undefined,
): Promise<boolean> {
  if (read && typed !== undefined) return verifyHash(read.hash, normalized(typed))
  await newHash(NOBODY)
  return false
}
