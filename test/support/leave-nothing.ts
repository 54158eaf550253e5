import { setImmediate } from 'node:timers/promises'
import { afterAll, vi } from 'vitest'
import { stopTimers } from './timers-of-file.ts'

// The files of functions share their processes: each leaves time, network, console and timers as it found them.
afterAll(async () => {
  vi.useRealTimers()
  stopTimers()
  // Work that a timer began just now ends, and logs, before the next file listens.
  await setImmediate()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
