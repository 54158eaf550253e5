const MARK = Symbol.for('latchkey: timers of a file')
const shared = globalThis as unknown as { [MARK]?: WeakRef<NodeJS.Timeout>[] }

// All files of a process share its timers, and each file runs this module.
if (!shared[MARK]) {
  shared[MARK] = []
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const start = globalThis[name] as (...args: unknown[]) => NodeJS.Timeout
    const kept = (...args: unknown[]) => {
      const timer = start(...args)
      shared[MARK]?.push(new WeakRef(timer))
      return timer
    }
    // `promisify` reads a property of the function.
    Object.defineProperties(kept, Object.getOwnPropertyDescriptors(start))
    Object.assign(globalThis, { [name]: kept })
  }
}

/**
 * Stops the timers that a file left behind. A verifier, for example, reads its feed as long as it is used, and in a
 * clock that stands still it never becomes unused: it would ask, and log, in the middle of the files that come later.
 */
export function stopTimers(): void {
  for (const timer of shared[MARK]?.splice(0) ?? []) clearTimeout(timer.deref())
}
