import { BoundedCache } from '../internal/bounded-cache.js'
import { exchangeKey, KEY_ANSWER_LIFE, type PresentedKey } from './exchange-key.js'
import type { WaitUntil } from './refresher.js'
import { Renewals } from './renewals.js'
import { type WorkerClient, WorkerUnavailable } from './worker-client.js'

/** The service's answer about an API key. */
export interface HeldKey {
  /** The access token; `undefined`: the service refuses the key. */
  readonly token: string | undefined
  /** When the answer stops to count. Milliseconds. */
  readonly until: number
}

/** Keys that the service refused: they are remembered beside the good ones, which they must not push out. */
const MAX_REFUSED = 1_000
/**
 * The most keys that are asked about in a second. A checksum is not secret, so a stranger can make up any number of keys.
 */
const MAX_A_SECOND = 100

interface ExchangeParts {
  readonly client: Pick<WorkerClient, 'ask'>
  readonly now: () => number
  /** The least number of good keys that are remembered. */
  readonly size: number
}

/** Exchanges API keys for access tokens: one call for a key in five minutes, whatever the answer. */
export class KeyExchange {
  readonly #parts: ExchangeParts
  readonly #calls: Renewals<HeldKey>
  readonly #good: BoundedCache<HeldKey>
  readonly #refused = new BoundedCache<HeldKey>(MAX_REFUSED)
  /** The second of the last call, and the calls in it. Not those under way: in a Worker one may never end. */
  #second = 0
  #calledIn = 0

  constructor(parts: ExchangeParts) {
    this.#parts = parts
    this.#calls = new Renewals(parts.now)
    this.#good = new BoundedCache(parts.size)
  }

  /** @throws {WorkerUnavailable} */
  async of(presented: PresentedKey, waitUntil?: WaitUntil): Promise<HeldKey> {
    // Under another name of the app the token is another one.
    const name = `${presented.key} ${presented.issuer}`
    return (
      this.#known(name) ?? this.#calls.share(name, () => this.#call(name, presented), waitUntil)
    )
  }

  #known(name: string): HeldKey | undefined {
    const held = this.#good.get(name) ?? this.#refused.get(name)
    if (held === undefined) return undefined
    const left = held.until - this.#parts.now()
    // Not longer when the clock was set back.
    return left > 0 && left <= KEY_ANSWER_LIFE ? held : undefined
  }

  async #call(name: string, presented: PresentedKey): Promise<HeldKey> {
    const { client, now } = this.#parts
    this.#count(Math.floor(now() / 1000))
    const token = await exchangeKey(client, presented)
    const cache = token === undefined ? this.#refused : this.#good
    return cache.set(name, { token, until: now() + KEY_ANSWER_LIFE })
  }

  /** @throws {WorkerUnavailable} */
  #count(second: number): void {
    if (second !== this.#second) this.#calledIn = 0
    this.#second = second
    if (++this.#calledIn > MAX_A_SECOND) {
      throw new WorkerUnavailable('Too many API keys came at once to ask about each.')
    }
  }
}
