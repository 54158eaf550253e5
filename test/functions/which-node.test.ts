import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { publishedFolders } from '../../scripts/published-packages.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** From which the clone and all packages run. */
const PACKAGES = '20.19'
/** From which Node has the database of a session store in a file, and its own TypeScript and env files. */
const APPS = '22.13'
/** Pages about a tool that needs more, and says so. */
const TOOLS: Readonly<Record<string, string>> = {
  'docs/web-nuxt.md': '22.19',
  'docs/operate.md': '22.18',
}

test.each(['.', ...publishedFolders(root)])('the package in %s runs from one Node on', (folder) => {
  const { engines } = JSON.parse(read(join(folder, 'package.json')))
  expect(engines).toEqual({ node: `>=${PACKAGES}` })
})

test('the way into the clone names that Node', () => {
  for (const page of ['README.md', 'CONTRIBUTING.md']) {
    expect([...wantedIn(read(page))]).toEqual([PACKAGES])
  }
})

test('every page names that Node, or the one of apps', () => {
  const pages = globSync(
    ['docs/*.md', '*/README.md', 'adapters/*/README.md', 'examples/*/README.md'],
    {
      cwd: root,
    },
  )
  const wanted = pages.flatMap((page) =>
    [...wantedIn(read(page))].map((version) => ({ page, version })),
  )
  expect(wanted.length).toBeGreaterThan(10)
  const others = wanted.filter(
    ({ page, version }) => ![PACKAGES, APPS, TOOLS[page]].includes(version),
  )
  expect(others).toEqual([])
})

/** The versions that a page asks for, as in "Node 22.13 or newer". */
function wantedIn(text: string): Set<string> {
  return new Set(
    [...text.matchAll(/Node (\d+(?:\.\d+)*)(?:\+| or\s+(?:newer|later))/g)].flatMap(
      ([, version = '']) => version,
    ),
  )
}
