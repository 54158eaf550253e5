import { BoundedCache } from '../lib/bounded-cache.js'
import { exchangeKey, KEY_ANSWER_LIFE, type PresentedKey } from './exchange-key.js'
import type { WaitUntil } from './poller.js'
import { SharedCalls } from './shared-calls.js'
import { Turns } from './turns.js'
import { type WorkerClient, WorkerUnavailable } from './worker-client.js'

/** The service's answer about an API key. */
export interface HeldKey {
  /** The access token; `undefined`: the service refuses the key. */
  readonly token: string | undefined
  /** When the answer stops to count. Milliseconds. */
  readonly until: number
  /** Not before then it is asked again because of a refresh of claims. Milliseconds. Absent: at once. */
  readonly againAt?: number
}

/** Keys that the service refused: they are remembered beside the good ones, which they must not push out. */
const MAX_REFUSED = 1_000
/**
 * The most keys that are asked about in a second. A checksum is not secret, so a stranger can make up any number of keys:
 * those that were good before are counted apart.
 */
const MAX_A_SECOND = { good: 1_000, unknown: 100 }
/**
 * For so long the last answer about a good key counts beyond its life, if no new one is to be had. Shorter than a feed
 * keeps an ending beyond the life of a token. Milliseconds.
 */
const GRACE = 10_000
/** After an answer, or none, to a question because of a refresh of claims the next one waits. Milliseconds. */
const PAUSE = 2_000

interface ExchangeParts {
  readonly client: Pick<WorkerClient, 'ask'>
  readonly now: () => number
  /** The least number of good keys that are remembered. */
  readonly size: number
}

/** Exchanges API keys for access tokens: one call for a key in five minutes, whatever the answer. */
export class KeyExchange {
  readonly #parts: ExchangeParts
  readonly #calls: Record<keyof typeof MAX_A_SECOND, Calls>
  readonly #good: BoundedCache<HeldKey>
  readonly #refused = new BoundedCache<HeldKey>(MAX_REFUSED)
  readonly #turns: Turns

  constructor(parts: ExchangeParts) {
    const { good, unknown } = MAX_A_SECOND
    this.#parts = parts
    this.#calls = { good: new Calls(parts.now, good), unknown: new Calls(parts.now, unknown) }
    this.#good = new BoundedCache(parts.size)
    this.#turns = new Turns(parts.now)
  }

  /**
   * The answer again, since the claims of the key's user were refreshed after it. Without a new one it counts until its end.
   */
  async again(presented: PresentedKey, stale: HeldKey, waitUntil?: WaitUntil): Promise<HeldKey> {
    const name = `${presented.key} ${presented.issuer}`
    const good = this.#good.get(name)
    // Another request was faster.
    if (good !== stale && good !== undefined) return good
    try {
      const call = () => this.#inTurn(() => this.#call(name, presented, PAUSE))
      return await this.#calls.good.share(`again ${name}`, call, waitUntil)
    } catch (error) {
      if (!(error instanceof WorkerUnavailable)) throw error
      return this.#good.set(name, { ...stale, againAt: this.#parts.now() + PAUSE })
    }
  }

  async #inTurn(call: () => Promise<HeldKey>): Promise<HeldKey> {
    const turn = await this.#turns.take()
    if (!turn) throw new WorkerUnavailable('Too many API keys are asked about again.')
    try {
      return await call()
    } finally {
      this.#turns.end(turn)
    }
  }

  /** @throws {WorkerUnavailable} */
  async of(presented: PresentedKey, waitUntil?: WaitUntil): Promise<HeldKey> {
    // Under another name of the app the token is another one.
    const name = `${presented.key} ${presented.issuer}`
    const good = this.#good.get(name)
    const held = good ?? this.#refused.get(name)
    const left = held ? held.until - this.#parts.now() : 0
    // Not longer when the clock was set back.
    if (held && left > 0 && left <= KEY_ANSWER_LIFE) return held
    const calls = good ? this.#calls.good : this.#calls.unknown
    try {
      return await calls.share(name, () => this.#call(name, presented), waitUntil)
    } catch (error) {
      if (!good || !(error instanceof WorkerUnavailable)) throw error
      const until = good.until + GRACE
      const more = until - this.#parts.now()
      if (more > 0 && more <= GRACE && this.#good.get(name) === good) return { ...good, until }
      throw error
    }
  }

  async #call(name: string, presented: PresentedKey, pause = 0): Promise<HeldKey> {
    const { client, now } = this.#parts
    const token = await exchangeKey(client, presented)
    const [cache, other] =
      token === undefined ? [this.#refused, this.#good] : [this.#good, this.#refused]
    other.delete(name)
    const at = now()
    const againAt = pause === 0 ? {} : { againAt: at + pause }
    return cache.set(name, { token, until: at + KEY_ANSWER_LIFE, ...againAt })
  }
}

/** Calls about keys of one kind, which share a budget. */
class Calls {
  readonly #now: () => number
  readonly #most: number
  readonly #shared: SharedCalls<HeldKey>
  /** The second of the last call, and the calls in it. Not those under way: in a Worker one may never end. */
  #second = 0
  #calledIn = 0

  constructor(now: () => number, most: number) {
    this.#now = now
    this.#most = most
    this.#shared = new SharedCalls(now)
  }

  /** @throws {WorkerUnavailable} */
  share(name: string, call: () => Promise<HeldKey>, waitUntil?: WaitUntil): Promise<HeldKey> {
    // Throws before there is anything to share, so that the next request is not held up.
    const counted = () => {
      this.#count(Math.floor(this.#now() / 1000))
      return call()
    }
    return this.#shared.share(name, counted, waitUntil)
  }

  #count(second: number): void {
    if (second !== this.#second) this.#calledIn = 0
    this.#second = second
    if (++this.#calledIn > this.#most) {
      throw new WorkerUnavailable('Too many API keys came at once to ask about each.')
    }
  }
}
