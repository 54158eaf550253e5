import { BoundedCache } from '../internal/bounded-cache.js'

/** Longer tokens are verified, but not remembered. */
const MAX_LENGTH = 4_096
/** A token up to this length counts as one, a longer one as several: the bound is one in bytes. */
const UNIT = 1_024

/** Enough of a signature to tell tokens apart: 192 bits. */
const TAIL = 32

/**
 * What is known of tokens that were verified. They are found by the end of their signature and then
 * compared whole: to hash a token of many hundred characters takes longer than all the rest of
 * reading a session. Two genuine tokens with the same end do not exist; a forged one with the end of
 * a genuine one is unequal to it.
 */
export class SeenTokens<Value> {
  readonly #entries: BoundedCache<{ readonly token: string; readonly value: Value }>

  /** @param size how many of up to 1,024 characters are kept at least; never twice as many */
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
 * A token that was cut out of a Cookie header may keep the whole header in memory, and the cache's
 * bound in bytes would be the attacker's to choose. Tokens are ASCII.
 */
function ownCopy(token: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(token))
}
