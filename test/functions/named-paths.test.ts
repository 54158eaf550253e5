import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'

/** The pages for contributors name files, all of which must exist. */
const pages = [
  'CONTRIBUTING.md',
  'docs/architecture.md',
  ...globSync('docs/decisions/*.md', { cwd: rootDir }),
]
const FOLDERS = 'session|worker|adapters|sandbox|examples|test|bench|docs|scripts'
const PATH = new RegExp(
  `^(?:(?:${FOLDERS})/.*|[.][\\w.-]+|[\\w.-]+[.](?:ts|md|toml)|(?:tsconfig|package|knip).*[.]json)$`,
)

test.each(pages)('%s names files that exist', (page) => {
  const text = readFileSync(join(rootDir, page), 'utf8')
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  expect(spans.filter((span) => PATH.test(span) && !isThere(span))).toEqual([])
})

test('the architecture links every decision', () => {
  const text = readFileSync(join(rootDir, 'docs/architecture.md'), 'utf8')
  const decisions = globSync('decisions/*.md', { cwd: join(rootDir, 'docs') })
  expect(decisions.filter((path) => !text.includes(`(${path})`))).toEqual([])
})

test('no two decisions have one number', () => {
  const names = globSync('*.md', { cwd: join(rootDir, 'docs/decisions') })
  expect(new Set(names.map((name) => name.slice(0, 4))).size).toBe(names.length)
})

/** `<id>` and `*` stand for any name, of which there must be one. */
function isThere(path: string): boolean {
  const [plain = ''] = path.split(/[<*]/)
  if (plain === path) return existsSync(join(rootDir, path))
  return globSync(path.replaceAll(/<[^>]+>/g, '*'), { cwd: rootDir }).length > 0
}
