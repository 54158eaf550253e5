/** The header of an answer that waited for its session. */
export const WAITED = 'x-waited'

interface Repeated {
  readonly work: () => void
  readonly interval: number
  next: number
}

interface StoppedClock extends Disposable {
  /** @param time milliseconds since the epoch */
  moveTo(time: number): void
}

/**
 * Stops the clock of this process until it is moved. Work of `setInterval` runs as its time passes;
 * the limits of calls stay those of real time.
 */
export function stopClock(): StoppedClock {
  const platform = { now: Date.now, setInterval, clearInterval }
  const repeated = new Set<Repeated>()
  let now = Date.now()
  Date.now = () => now
  Object.assign(globalThis, {
    setInterval(work: () => void, interval: number): Repeated {
      const one = { work, interval, next: now + interval }
      repeated.add(one)
      return one
    },
    clearInterval: (one: Repeated) => void repeated.delete(one),
  })
  return {
    moveTo(time) {
      for (
        let first = earliest(repeated);
        first && first.next <= time;
        first = earliest(repeated)
      ) {
        now = first.next
        first.next += first.interval
        first.work()
      }
      now = time
    },
    [Symbol.dispose]() {
      Date.now = platform.now
      Object.assign(globalThis, {
        setInterval: platform.setInterval,
        clearInterval: platform.clearInterval,
      })
    },
  }
}

function earliest(repeated: ReadonlySet<Repeated>): Repeated | undefined {
  return [...repeated].sort((one, other) => one.next - other.next)[0]
}
