import type { Cases } from './cases.js'

/** One promise of a store, with its test. */
export interface ContractCase {
  /** The promise. */
  readonly name: string
  /** @throws {Error} with the store's answer and the expected answer */
  run(): Promise<void>
}

/** The clock of a store. */
export interface ContractClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Moves the clock on, at once. */
  pass(seconds: number): void | Promise<void>
}

/** Cases for any test runner, each with an empty store. */
export function named<Store>(
  kind: string,
  cases: Cases<Store>,
  make: (now: () => number) => Store | Promise<Store>,
  clock: ContractClock | undefined,
): ContractCase[] {
  return Object.entries(cases).map(([name, run]) => ({
    name: `${kind}: ${name}`,
    async run() {
      const { now, pass } = clock ?? stoppedClock()
      await run({
        make: async () => make(now),
        now: Math.floor(now() / 1000),
        pass: async (seconds) => pass(seconds),
      })
    },
  }))
}

/** A clock that stands at the beginning of this second and moves only by `pass`. */
function stoppedClock(): ContractClock {
  let time = Math.floor(Date.now() / 1000) * 1000
  return {
    now: () => time,
    pass(seconds) {
      time += seconds * 1000
    },
  }
}
