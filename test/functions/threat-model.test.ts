import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

const pages = globSync('docs/threat*.md', { cwd: rootDir }).map((path) => ({
  path,
  text: readFileSync(join(rootDir, path), 'utf8'),
}))
const page = pages.map(({ text }) => text).join('\n')

const passkeys = readFileSync(join(rootDir, 'docs/passkeys.md'), 'utf8')

/** The rows of every table: the threat, or the clause, then the answer, the tests. */
const rows = [
  ...page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:attack \||-)/.test(line)),
  ...passkeys.split('\n').filter((line) => line.startsWith('| ') && line.includes('.test.ts` “')),
].map((line) => line.split(' | '))

/** A file, and after it the titles of its tests, with commas between them. */
const FILE_AND_TITLES =
  /`([\w./-]+\.test\.ts|(?:contracts|test-support)\/[\w./-]+\.ts)` (“[^”]+”(?:, “[^”]+”)*)/g

const files = globSync(
  [
    '{session,host,client,worker,cli,migrate,adapters,sandbox,scripts,test}/**/*.test.ts',
    '{test/contracts,worker/src/test-support}/**/*.ts',
  ],
  { cwd: rootDir, exclude: (path) => path.includes('node_modules') },
)

test.each(rows.map((cells) => [cells[0]?.slice(2), cells]))(
  'the tests that hold "%s" are there',
  (_, cells) => {
    expect(cells).toHaveLength(3)
    const named = [...(cells[2]?.matchAll(FILE_AND_TITLES) ?? [])].flatMap(
      ([, end = '', titles = '']) =>
        [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => ({ end, title })),
    )
    expect(named.length).toBeGreaterThan(0)
    for (const { end, title } of named) {
      const found = files.filter((file) => `/${file}`.endsWith(`/${end}`))
      expect(found, `one file ends in ${end}`).toHaveLength(1)
      const source = readFileSync(join(rootDir, found[0] as string), 'utf8')
      const quoted = ["'", '"', '`'].filter((quote) => source.includes(quote + title + quote))
      expect(quoted, `${end} has “${title}”`).toHaveLength(1)
      const before = source.slice(0, source.indexOf(quoted[0] + title))
      expect(before).not.toMatch(/[.](?:skip|todo)\(\s*$/)
    }
  },
)

test('the tables of threats are read, and the first page leads to each', () => {
  expect(rows.length).toBeGreaterThan(380)
  const parts = pages.flatMap(({ path }) => /threats-.*/.exec(path) ?? [])
  expect(parts.length).toBeGreaterThan(5)
  const first = pages.find(({ path }) => path.endsWith('threat-model.md'))?.text
  for (const part of parts) expect(first).toContain(`](${part})`)
})
