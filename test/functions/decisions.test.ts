import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/** Every decision says when it was made and whether it still stands, and is found by the room that it is about. */
const folder = join(rootDir, 'docs/decisions')
const names = globSync('*.md', { cwd: folder }).filter((name) => name !== 'README.md')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

const HEAD =
  /^# (.+)\n\n- Date: (\d{4}-\d\d-\d\d)\n- Status: (.+)\n- Supersedes: (.+)\n\n(?=\S)(?!- )/

test.each(names)(
  '%s begins with its date, its status and the decisions that it supersedes',
  (name) => {
    const [, , date = '', status = '', supersedes = ''] = HEAD.exec(read(name)) ?? []
    expect(new Date(date).toISOString().slice(0, 10)).toBe(date)
    expect(status).toMatch(
      /^(?:in force|in force, except .+ \(\[\d{4}\]\(.+\)\)|superseded by \[\d{4}\]\(.+\))$/,
    )
    expect(supersedes).toMatch(/^(?:nothing|\[\d{4}\]\([^)]+\)(?:, as to .+)?)$/)
  },
)

test('a decision that another one supersedes says so, and no other one does', () => {
  const ofHeads = (at: 3 | 4) =>
    names.flatMap((name) => {
      const line = HEAD.exec(read(name))?.[at] ?? ''
      const others = [...line.matchAll(/\]\(([^)]+)\)/g)].map(([, other = '']) => other)
      return others.map((other) => (at === 4 ? `${name} > ${other}` : `${other} > ${name}`))
    })
  expect(ofHeads(4).length).toBeGreaterThan(3)
  expect(ofHeads(4).toSorted()).toEqual(ofHeads(3).toSorted())
})

test('the index has each decision once, by its title', () => {
  const listed = [...read('README.md').matchAll(/^- \[(.+)\]\((.+)\)$/gm)]
  expect(listed.map(([, title, name = '']) => `${name}: ${title}`).toSorted()).toEqual(
    names.map((name) => `${name}: ${HEAD.exec(read(name))?.[1]}`).toSorted(),
  )
})

test('no two decisions have one number', () => {
  expect(names.length).toBeGreaterThan(60)
  expect(new Set(names.map((name) => name.slice(0, 4))).size).toBe(names.length)
})

// One run of the bench changes them all: a copy in a decision would be out of date, and nothing would say so.
test.each(names)('%s has no measured figure: those are in bench/README.md', (name) => {
  expect(read(name).match(/\d ?(?:kB|KB|MB|GB|ms|µs|ns)\b/g)).toBeNull()
})
