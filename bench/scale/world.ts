import { createHash } from 'node:crypto'

/** A timer of the world; taking its work away cancels it. */
interface Timer {
  readonly at: number
  readonly order: number
  run: (() => void) | undefined
}

/**
 * The functions that are replaced while a world runs, since the packages take them from the
 * platform.
 */
const TIMERS = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const

/** The work of the platform's cryptography that ends at an unknown real time: the clock waits for it. */
const PREPARING = ['importKey', 'exportKey', 'deriveBits', 'digest'] as const

const START = Date.UTC(2026, 10, 1)

/**
 * A clock that stands still until everything that can happen now has happened, and then moves to the
 * next timer. The same seed gives the same run: nothing waits for real time, and signatures are
 * hashes of the same length, which are there at once.
 */
export class World {
  #now = START
  #order = 0
  /** A binary heap, the earliest timer first. */
  readonly #timers: Timer[] = []
  /** Work of the platform that has not ended. */
  #underWay = 0
  #state: number

  private constructor(seed: number) {
    this.#state = seed
  }

  /** Runs work in a world of its own: meanwhile the whole process has its timers. */
  static async run<Result>(seed: number, work: (world: World) => Promise<Result>): Promise<Result> {
    const world = new World(seed)
    const restore = world.#takeOver()
    try {
      return await work(world)
    } finally {
      restore()
    }
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => this.#now

  /** 0 to 1: mulberry32. */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A time between two events of a rate, in milliseconds. @param mean milliseconds */
  exponential(mean: number): number {
    return -Math.log(1 - this.random()) * mean
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)] as Item
  }

  /** @param bytes of randomness, as base64url would have them */
  id(bytes = 16): string {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    let text = ''
    for (let at = 0; at < Math.ceil((bytes * 4) / 3); at++)
      text += letters[(this.random() * 64) | 0]
    return text
  }

  after(delay: number, run: () => void): Timer {
    const timer = { at: this.#now + Math.max(0, delay), order: this.#order++, run }
    this.#push(timer)
    return timer
  }

  sleep(delay: number): Promise<void> {
    return new Promise((resolve) => void this.after(delay, resolve))
  }

  /** Calls work again and again, at random times. @param rate a second */
  often(rate: number, work: () => void): void {
    if (rate <= 0) return
    const next = () => {
      work()
      this.after(this.exponential(1000 / rate), next)
    }
    this.after(this.exponential(1000 / rate), next)
  }

  /** Moves the clock on by so many seconds. */
  async pass(seconds: number): Promise<void> {
    const end = this.#now + seconds * 1000
    await this.#settle()
    for (let first = this.#timers[0]; first && first.at <= end; first = this.#timers[0]) {
      this.#now = first.at
      for (let next: Timer | undefined = first; next?.at === first.at; next = this.#timers[0]) {
        this.#pop()
        next.run?.()
      }
      await this.#settle()
    }
    this.#now = end
  }

  /** Waits until no promise has anything left to do at this time. */
  async #settle(): Promise<void> {
    do {
      await new Promise((resolve) => setImmediate(resolve))
    } while (this.#underWay > 0)
  }

  #takeOver(): () => void {
    const { subtle } = crypto
    const { random } = Math
    const real = TIMERS.map((name) => [name, globalThis[name]] as const)
    const cancel = (timer: unknown) => {
      if (typeof timer === 'object' && timer) (timer as Timer).run = undefined
    }
    Object.assign(globalThis, {
      setTimeout: (run: () => void, delay = 0) => this.after(delay, run),
      clearTimeout: cancel,
      setInterval: (run: () => void, interval: number) => this.#every(interval, run),
      clearInterval: cancel,
    })
    Math.random = () => this.random()
    // Only ids of sessions, and what makes a question unlike every other, are drawn here.
    Object.defineProperty(crypto, 'getRandomValues', {
      value: (bytes: Uint8Array) => {
        for (let at = 0; at < bytes.length; at++) bytes[at] = this.random() * 256
        return bytes
      },
      configurable: true,
    })
    const replaced: Record<string, unknown> = {
      sign: async (_: unknown, __: unknown, data: Uint8Array) =>
        Uint8Array.from(standIn(data)).buffer,
      verify: async (_: unknown, __: unknown, signature: Uint8Array, data: Uint8Array) =>
        standIn(data).equals(signature),
    }
    for (const name of PREPARING) {
      const work = subtle[name].bind(subtle) as (...given: unknown[]) => Promise<unknown>
      replaced[name] = (...given: unknown[]) => {
        this.#underWay++
        return work(...given).finally(() => this.#underWay--)
      }
    }
    const own = Object.getOwnPropertyDescriptors(subtle) as PropertyDescriptorMap
    for (const [name, value] of Object.entries(replaced)) {
      Object.defineProperty(subtle, name, { value, configurable: true })
    }
    return () => {
      Object.assign(globalThis, Object.fromEntries(real))
      Math.random = random
      Reflect.deleteProperty(crypto, 'getRandomValues')
      for (const name of Object.keys(replaced)) Reflect.deleteProperty(subtle, name)
      // A function that other code has put there stays.
      Object.defineProperties(subtle, own)
    }
  }

  /** One handle for all turns, so that it can be canceled. */
  #every(interval: number, run: () => void): Pick<Timer, 'run'> {
    const handle: Pick<Timer, 'run'> = { run }
    const turn = () => {
      if (!handle.run) return
      handle.run()
      this.after(interval, turn)
    }
    this.after(interval, turn)
    return handle
  }

  #push(timer: Timer): void {
    const timers = this.#timers
    let at = timers.length
    for (; at > 0; ) {
      const parent = (at - 1) >> 1
      const above = timers[parent] as Timer
      if (!isBefore(timer, above)) break
      timers[at] = above
      at = parent
    }
    timers[at] = timer
  }

  #pop(): void {
    const timers = this.#timers
    const last = timers.pop() as Timer
    const { length } = timers
    if (length === 0) return
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= length) break
      if (child + 1 < length && isBefore(timers[child + 1] as Timer, timers[child] as Timer))
        child++
      if (!isBefore(timers[child] as Timer, last)) break
      timers[at] = timers[child] as Timer
      at = child
    }
    timers[at] = last
  }
}

/** A signature as long as one of Ed25519, and another one for other data. */
function standIn(data: Uint8Array): Buffer {
  return createHash('sha512').update(data).digest()
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}
