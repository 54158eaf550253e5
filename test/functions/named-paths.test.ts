import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { argued } from '../mutation/argued.ts'
import { files } from '../mutation/files.ts'

/** The pages for contributors name files, all of which must exist. */
const pages = [
  'CONTRIBUTING.md',
  'docs/architecture.md',
  ...globSync('docs/decisions/*.md', { cwd: rootDir }),
]
const FOLDERS =
  'session|host|worker|languages|cli|adapters|sandbox|examples|test|bench|docs|scripts'
const PATH = new RegExp(
  `^(?:(?:${FOLDERS})/.*|[.][\\w.-]+|[\\w.-]+[.](?:ts|md|toml)|(?:tsconfig|package|knip).*[.]json)$`,
)

test.each(pages)('%s names files that exist', (page) => {
  const text = readFileSync(join(rootDir, page), 'utf8')
  const spans = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span)
  expect(spans.filter((span) => PATH.test(span) && !isThere(span))).toEqual([])
})

test('the mutation run names files, tests and arguments of files that exist', () => {
  const named = [...Object.keys(files), ...Object.values(files).flat()]
  // Each name in braces by itself: `{a,b}.test.ts` is still found when only one is gone.
  const each = named.flatMap((path) => {
    const [start = '', names, end = ''] = path.split(/[{}]/)
    return names === undefined ? path : names.split(',').map((name) => start + name + end)
  })
  expect(each.filter((path) => globSync(path, { cwd: rootDir }).length === 0)).toEqual([])
  expect(Object.keys(argued).filter((file) => files[file] === undefined)).toEqual([])
})

/** `<id>` and `*` stand for any name, of which there must be one. */
function isThere(path: string): boolean {
  const [plain = ''] = path.split(/[<*]/)
  if (plain === path) return existsSync(join(rootDir, path))
  return globSync(path.replaceAll(/<[^>]+>/g, '*'), { cwd: rootDir }).length > 0
}
