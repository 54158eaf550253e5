import { fileURLToPath } from 'node:url'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { configDefaults, defineConfig } from 'vitest/config'
import { makeSourceModules } from './scripts/generate/source-modules.ts'
import { LongestFirst } from './test/support/longest-first.ts'
import { SkippedStores } from './test/support/skipped-stores.ts'
import { ofWorkerd, sources } from './test/support/sources.ts'
import { apart, inRun, patterns } from './test/support/speeds.ts'

// Tests run on the packages' sources, some of which git does not have.
makeSourceModules(import.meta.dirname)

/**
 * No test fails because the machine is busy: these limits are for tests that hang. A poll ends
 * with the first match, or before its test's limit. In milliseconds.
 */
const patience = {
  testTimeout: 300_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 60_000 } },
}

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** How long, and from which seed, properties are tried, for the tests in workerd too. */
const property = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name.startsWith('PROPERTY_')),
)

/** Kit's own module, which is there only in an app that Kit builds. */
const appPaths = { find: '$app/paths', replacement: path('adapters/sveltekit/test/app-paths.ts') }

/** The tests in workerd hash as a Worker does. A bundle by vite would pack the module in another way than wrangler does. */
const argon2 = {
  find: /^#argon2-module$/,
  replacement: path('worker/src/passwords/argon2-on-workerd.ts'),
}

/** Next has no `exports`, and its own bundlers alone know the name without an ending. */
const nextNavigation = { find: /^next\/navigation$/, replacement: 'next/navigation.js' }

export default defineConfig({
  test: {
    teardownTimeout: 60_000,
    // A worker for each processor: by default one processor is left idle.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    // What the service logs is shown with a test that fails: most warnings are meant by their tests.
    silent: 'passed-only',
    reporters: [...configDefaults.reporters, new SkippedStores()],
    projects: [
      {
        resolve: { alias: [...sources, appPaths, nextNavigation] },
        test: {
          ...patience,
          name: 'functions',
          include: inRun(patterns.functions),
          exclude: [...configDefaults.exclude, ...apart],
          // Loading the modules anew for every file would take as long as all the tests together.
          isolate: false,
          setupFiles: [
            './test/support/synchronous-crypto.ts',
            './test/support/leave-nothing.ts',
            './test/support/next-stores.ts',
          ],
        },
      },
      {
        plugins: [svelte({ configFile: false })],
        resolve: { alias: [...sources, appPaths, nextNavigation] },
        test: {
          ...patience,
          name: 'components',
          include: inRun(patterns.components),
          setupFiles: ['./test/support/next-stores.ts'],
        },
      },
      {
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: { AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef', ...property },
            },
          }),
        ],
        resolve: { alias: [argon2, ...ofWorkerd, ...sources] },
        test: {
          ...patience,
          name: 'workerd',
          include: inRun(patterns.workerd),
          globalSetup: './test/workerd/openid-provider.ts',
          setupFiles: './test/workerd/long-deadlines.ts',
        },
      },
      {
        resolve: { alias: sources },
        test: {
          ...patience,
          name: 'end-to-end',
          include: inRun(patterns.endToEnd),
          // Apps are built, installed and started there, two files beside each other, after all else.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          globalSetup: './test/support/run-folder.ts',
          setupFiles: ['./test/support/own-registry.ts', './test/support/close-pages.ts'],
          // wrangler, npm, tsc and vite are started again and again: each finds itself compiled.
          env: { NODE_COMPILE_CACHE: path('node_modules/.cache/node') },
        },
      },
    ],
  },
})
