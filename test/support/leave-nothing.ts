import { afterAll, vi } from 'vitest'

// The files of functions share their processes: each leaves time, network and console as it found them.
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
