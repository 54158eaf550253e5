import { afterEach, beforeEach } from 'vitest'
import { openContexts } from './browser.ts'

// A page of an earlier test goes on to run its scripts, beside those of the other files.
let kept: ReadonlySet<unknown>
beforeEach(() => {
  kept = new Set(openContexts)
})
afterEach(async () => {
  await Promise.all([...openContexts].map((one) => (kept.has(one) ? undefined : one.close())))
})
