import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { MOST_IN_1000, readGroups } from './groups.ts'

/** Which groups have too many riddles, and where. */
function judged(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'words-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const groups = readGroups(root)
  return {
    tooMuch: groups.filter(({ density }) => density > MOST_IN_1000).map(({ name }) => name),
    found: groups.flatMap(({ riddles }) => riddles).map(({ file, line }) => `${file}:${line}`),
  }
}

const PLAIN = 'A second call returns the same value.\n\n'
const RIDDLE = 'Whoever asks again gets the same.\n'

test.each(['README.md', 'docs/deploy.md', 'docs/decisions/people.md', 'adapters/hono/README.md'])(
  'a riddle in %s is too much',
  (page) => {
    expect(judged({ [page]: PLAIN + RIDDLE })).toEqual({ tooMuch: ['pages'], found: [`${page}:3`] })
  },
)

test('plain pages pass, and so does one riddle in a thousand lines', () => {
  expect(judged({ 'docs/deploy.md': PLAIN }).tooMuch).toEqual([])
  const pages = { 'docs/deploy.md': PLAIN.repeat(999), 'README.md': RIDDLE }
  expect(judged(pages)).toEqual({ tooMuch: [], found: ['README.md:1'] })
})

test('many good pages do not excuse sources, nor packages that were installed', () => {
  const files = {
    'docs/deploy.md': PLAIN.repeat(999),
    'worker/src/a.ts': `// ${RIDDLE}`,
    'docs/node_modules/a/README.md': RIDDLE,
    'worker/dist/README.md': RIDDLE,
  }
  expect(judged(files)).toEqual({ tooMuch: ['sources'], found: ['worker/src/a.ts:1'] })
})
