/** How many times as long a deadline is here as it is in an app. */
const TIMES = 60

/** A timer whose `unref` says that it is a deadline, as in `session/src/lib/deadline.ts`. */
class Timer {
  #stop: () => void
  readonly #call: () => void
  readonly #wait: number

  constructor(call: () => void, wait: number) {
    this.#call = call
    this.#wait = wait
    this.#stop = started(call, wait)
  }

  unref(): this {
    this.#stop()
    this.#stop = started(this.#call, this.#wait * TIMES)
    return this
  }

  stop(): void {
    this.#stop()
  }
}

const { setTimeout, clearTimeout } = globalThis

function started(call: () => void, wait: number): () => void {
  const timer = setTimeout(call, wait)
  return () => clearTimeout(timer)
}

// After a second without an answer of the ledger a read goes on with the endings that it knows. On a busy machine that
// second passes in a healthy ledger, and the tests of endings would fail. Tests of deadlines have timers of their own.
globalThis.setTimeout = ((call: (...given: unknown[]) => void, wait = 0, ...given: unknown[]) =>
  new Timer(() => call(...given), wait)) as unknown as typeof setTimeout
globalThis.clearTimeout = ((timer: unknown) =>
  timer instanceof Timer ? timer.stop() : clearTimeout(timer as number)) as typeof clearTimeout
