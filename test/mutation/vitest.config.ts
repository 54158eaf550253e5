import { defineConfig } from 'vitest/config'
import { sources } from '../support/sources.ts'

/** The tests that `run.ts` names, with modules of their own for each file and run. */
export default defineConfig({
  resolve: { alias: sources },
  test: {
    include: process.env.TESTS?.split('\n') ?? [],
    setupFiles: './test/support/leave-nothing.ts',
    silent: true,
    // Stryker ends a test that hangs.
    testTimeout: 120_000,
  },
})
