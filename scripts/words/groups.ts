import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { markdownProseOf } from './markdown.ts'
import { proseOf } from './prose.ts'
import { type Riddle, riddlesOf } from './riddles.ts'

/** Of 1,000 lines of each group. */
export const MOST_IN_1000 = 1

/** Files of one kind. Each group has the limit for itself: many good comments excuse no bad page. */
export interface Group {
  readonly name: string
  readonly riddles: readonly (Riddle & { readonly file: string })[]
  /** Riddles in 1,000 lines. */
  readonly density: number
}

const PATTERNS = {
  sources:
    '{session,host,client,adapters,cli,migrate,sandbox,scripts,site,examples,bench,test,worker}/**/*.{ts,tsx,js,svelte}',
  pages:
    '{*,{.changeset,adapters,bench,cli,client,docs,examples,host,migrate,session,site,test,worker}/**/*}.md',
}

// Other languages, programs of other libraries and of our earlier versions, and the patterns.
const FOREIGN =
  /^worker\/src\/languages\/|^test\/(?:moving-in|upgrade\/0)|^scripts\/(?:words\/|check-words)/

/** Reads the sources and the pages below a root. */
export function readGroups(root: string): Group[] {
  return Object.entries(PATTERNS).map(([name, pattern]) => readGroup(root, name, pattern))
}

function readGroup(root: string, name: string, pattern: string): Group {
  const riddles: Group['riddles'][number][] = []
  let lines = 0
  const files = globSync(pattern, {
    cwd: root,
    exclude: (path) => /node_modules|\bdist\b|\.svelte-kit|\.wrangler/.test(path),
  })
  for (const file of files.map((path) => path.replaceAll('\\', '/')).sort()) {
    if (FOREIGN.test(file)) continue
    const text = readFileSync(join(root, file), 'utf8')
    for (const prose of file.endsWith('.md') ? markdownProseOf(text) : proseOf(text)) {
      lines += prose.lines.length
      riddles.push(...riddlesOf(prose).map((riddle) => ({ ...riddle, file })))
    }
  }
  return { name, riddles, density: lines === 0 ? 0 : (riddles.length / lines) * 1000 }
}
