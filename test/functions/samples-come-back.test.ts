import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/** Code that people copy: examples, code blocks and docstrings; not the apps that move in. */
const samples = globSync(
  [
    'README.md',
    'docs/**/*.md',
    'adapters/*/README.md',
    'session/README.md',
    'client/README.md',
    'examples/*/src/**/*.{ts,svelte}',
    'examples/*/views/*.ejs',
    'adapters/*/src/**/*.{ts,svelte}',
  ],
  { cwd: rootDir, exclude: ['**/*.test.ts', 'docs/migrate-from-*.md'] },
)

/** Sends a browser to a page where people sign in: a redirect, or a link. `requireSession` adds the rest itself. */
const SENDS =
  /(?:redirect\((?:30\d, )?|location: ?|href=)[{"'`]+(?:\$\{\w+\})?(?:\/[\w-]+)*\/(?:signin|login)\b(?!\/)[^\n]*/g

/** The Worker of a domain that has no page but this one. */
const NOWHERE = 'examples/worker/src/worker.ts'

test('every sample that sends people to sign in says where they come back to', () => {
  const sending = samples.flatMap((path) =>
    [...readFileSync(join(rootDir, path), 'utf8').matchAll(SENDS)].map(([text]) => ({
      path,
      text,
    })),
  )
  expect(sending.length).toBeGreaterThan(8)
  const lost = sending.filter(({ path, text }) => path !== NOWHERE && !/callbackUrl=/.test(text))
  expect(lost).toEqual([])
})
