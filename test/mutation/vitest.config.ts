import { defineConfig } from 'vitest/config'

/** The tests that `run.ts` names, with modules of their own for each file and run. */
export default defineConfig({
  // Our packages are their sources, by tsconfig.base.json.
  resolve: { tsconfigPaths: true },
  test: {
    include: process.env.TESTS?.split('\n') ?? [],
    setupFiles: './test/support/leave-nothing.ts',
    silent: true,
    // What hangs is ended by Stryker.
    testTimeout: 120_000,
  },
})
