import { BoundedCache } from '../internal/bounded-cache.js'

/** Longer tokens are verified, but not cached. */
const MAX_LENGTH = 4_096
/** A token up to this length counts as one, a longer one as several: the bound is one in bytes. */
const UNIT = 1_024

/** Enough of a signature to tell tokens apart: 192 bits. */
const TAIL = 32

/**
 * The results of verified tokens. They are found by the end of their signature and then compared
 * whole: hashing a token of many hundred characters takes longer than all other steps of reading a
 * session. Two genuine tokens with the same end do not exist; a forged one with the end of a
 * genuine one is unequal to it.
 */
export class SeenTokens<Value> {
  readonly #entries: BoundedCache<{ readonly token: string; readonly value: Value }>

  /**
   * @param size the least number of tokens of up to 1,024 characters that are kept; never more than
   * twice as many
   */
  constructor(size: number) {
    this.#entries = new BoundedCache(size, ({ token }) => Math.max(1, token.length / UNIT))
  }

  get(token: string): Value | undefined {
    const entry = this.#entries.get(token.slice(-TAIL))
    return entry !== undefined && entry.token === token ? entry.value : undefined
  }

  set(token: string, value: Value): void {
    if (token.length > MAX_LENGTH) return
    const own = ownCopy(token)
    this.#entries.set(own.slice(-TAIL), { token: own, value })
  }

  delete(token: string): void {
    if (this.get(token) !== undefined) this.#entries.delete(token.slice(-TAIL))
  }
}

/**
 * A copy of the token: a slice of a Cookie header may keep the whole header in memory, and an
 * attacker would choose the cache's size in bytes. Tokens are ASCII.
 */
function ownCopy(token: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(token))
}
