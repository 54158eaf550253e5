import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anchorOf } from '../../scripts/anchor-of.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/** A decision is a heading on the page of its room, with its date, and the index leads to it. */
const folder = join(rootDir, 'docs/decisions')
const pages = globSync('*.md', { cwd: folder }).filter((name) => name !== 'README.md')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

/** Its title, its number if it has one, and its date. */
const DECISION = /^(.+)\n\n\*(?:(\d{4}), )?(\d{4}-\d\d-\d\d)\*\n\n(?=\S)(?!#)/

const decisions = pages.flatMap((page) =>
  read(page)
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [, title = text, number = '', date = ''] = DECISION.exec(text) ?? []
      return { page, title, number, date }
    }),
)

test.each(decisions)('$page: "$title" has its date', ({ date }) => {
  expect(new Date(date).toISOString().slice(0, 10)).toBe(date)
})

test('the index has each decision once, with its number', () => {
  const listed = read('README.md').matchAll(/\]\((\w[\w-]*\.md#[^)]+)\)(?: (\d{4}))?/g)
  expect([...listed].map(([, link, number = '']) => `${number} ${link}`).toSorted()).toEqual(
    decisions.map(({ page, title, number }) => `${number} ${page}#${anchorOf(title)}`).toSorted(),
  )
})

test('no two decisions have one number, and none of the first ones is lost', () => {
  const numbers = decisions.map(({ number }) => number).filter((number) => number !== '')
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(numbers.length).toBeGreaterThan(80)
})

describe.each(pages)('%s', (page) => {
  // One run of the bench changes them all: a copy in a decision would be out of date, and nothing would say so.
  test('has no measured figure: those are in bench/README.md', () => {
    expect(read(page).match(/\d ?(?:kB|KB|MB|GB|ms|µs|ns)\b/g)).toBeNull()
  })
})
