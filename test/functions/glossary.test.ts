import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { markdownProseOf } from '../../scripts/words/markdown.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'

const read = (path: string) => readFileSync(join(rootDir, path), 'utf8')
const glossary = read('docs/glossary.md')

/** The words of the first table, which are ours, and of the second one, which are of others. */
const [ours = [], others = []] = glossary
  .split('| means |')
  .slice(1)
  .map((table) => [...table.matchAll(/^\| `?([\w -]+?)`? \|/gm)].map(([, word = '']) => word))

/** The pages that a newcomer reads first. */
const first = [
  'README.md',
  ...globSync('docs/quick-start-*.md', { cwd: rootDir }),
  ...['which-shape', 'how-do-i', 'how-it-works', 'deploy', 'operate'].map(
    (name) => `docs/${name}.md`,
  ),
]

/** Abbreviations that every web developer knows. */
const KNOWN = new Set(['API', 'CPU', 'DNS', 'ID', 'JSON', 'KB', 'POST', 'README', 'URI', 'URL'])

/** The text of a page, without its code. */
function proseOf(page: string): string {
  return markdownProseOf(read(page))
    .flatMap(({ lines }) => lines)
    .join('\n')
}

describe('the glossary', () => {
  test('has the words of Latchkey, and those of others, each once and in order', () => {
    for (const words of [ours, others]) {
      expect(words.length).toBeGreaterThan(8)
      const order = words.toSorted((a, b) => a.localeCompare(b, 'en', { sensitivity: 'base' }))
      expect(words).toEqual(order)
    }
    expect(new Set([...ours, ...others]).size).toBe(ours.length + others.length)
  })

  test('has the words of the tokens and of the stores', () => {
    expect([...ours, ...others]).toEqual(
      expect.arrayContaining(['acr', 'amr', 'sid', 'sub', 'sealed', 'isolate', 'ledger', 'way']),
    )
  })
})

describe.each(first)('%s', (page) => {
  const prose = proseOf(page)

  test('has no abbreviation that the glossary does not explain', () => {
    const found = new Set(prose.match(/\b[A-Z][A-Z0-9]+\b/g))
    const explained = new Set([...ours, ...others].flatMap((word) => word.split(' ')))
    expect([...found].filter((one) => !KNOWN.has(one) && !explained.has(one))).toEqual([])
  })

  test('leads to the glossary if it has a word of others', () => {
    const hasOne = others.some((word) => new RegExp(`\\b${word}s?\\b`).test(prose))
    if (hasOne) expect(read(page)).toMatch(/\]\((?:docs\/)?glossary\.md\)/)
  })
})
