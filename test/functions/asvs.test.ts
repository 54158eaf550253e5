import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

const page = readFileSync(join(rootDir, 'docs/asvs.md'), 'utf8')

/** How many rows each section of OWASP ASVS 5.0 has, from its first section on. */
const CHAPTERS: Readonly<Record<string, readonly number[]>> = {
  6: [3, 12, 8, 6, 8, 4, 2, 4],
  7: [3, 4, 2, 5, 3, 2],
  9: [3, 4],
  10: [2, 3, 5, 16, 5, 2, 3],
}

const numbers = Object.entries(CHAPTERS).flatMap(([chapter, sections]) =>
  sections.flatMap((count, at) =>
    Array.from({ length: count }, (_, row) => `${chapter}.${at + 1}.${row + 1}`),
  ),
)

const rows = page
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.slice(2, -2).split(' | '))

const files = globSync(
  '{session,host,client,worker,cli,migrate,adapters,sandbox,scripts,test}/**/*.test.ts',
  {
    cwd: rootDir,
    exclude: (path) => path.includes('node_modules'),
  },
)

test('every row of the four chapters is there once, in the order of the standard', () => {
  const order = numbers.toSorted(
    (one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10),
  )
  expect(rows.map(([number]) => number)).toEqual(order)
  expect(numbers).toHaveLength(109)
})

test.each(rows)(
  '%s has an answer, and what holds it is there',
  (_number, _asks, answer = '', held = '') => {
    expect(answer).toMatch(/^(?:met|not met|the app's part|does not apply)(?:[:;, ]|$)/)
    if (/^(?:not met|does not apply)/.test(answer)) expect(answer.length).toBeGreaterThan(20)
    const tests = [...held.matchAll(/`([\w./-]+\.test\.ts)` “([^”]+)”/g)]
    const pages = [...`${answer} ${held}`.matchAll(/\]\(([\w./-]+\.md)(?:#[\w-]+)?\)/g)]
    expect(tests.length + pages.length).toBeGreaterThan(0)
    for (const [, path = ''] of pages)
      expect(existsSync(join(rootDir, 'docs', path)), path).toBe(true)
    for (const [, end = '', title = ''] of tests) {
      const found = files.filter((file) => `/${file}`.endsWith(`/${end}`))
      expect(found, `one file ends in ${end}`).toHaveLength(1)
      const source = readFileSync(join(rootDir, found[0] as string), 'utf8')
      const isThere = ["'", '"', '`'].some((quote) => source.includes(quote + title + quote))
      expect(isThere, `${end} has “${title}”`).toBe(true)
    }
  },
)
