import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { proseOf } from './words/prose.ts'
import { riddlesOf } from './words/riddles.ts'

/**
 * `npm run check:words`: counts by folder the lines of comments, test titles and messages that have
 * to be read twice, and fails above the limit. `npm run check:words -- session/src` lists those of
 * the files below a path.
 */
const MOST_IN_1000 = 2

const root = join(import.meta.dirname, '..')
const [below] = process.argv.slice(2)

// Other languages, programs of other libraries and of our earlier versions, and the patterns.
const FOREIGN =
  /^worker\/(?:src\/)?languages\/|^test\/(?:moving-in|upgrade\/0)|^scripts\/(?:words\/|check-words)/

const files = globSync(
  '{session,adapters,cli,sandbox,scripts,site,examples,bench,test,worker}/**/*.{ts,tsx,js,svelte}',
  { cwd: root, exclude: (path) => /node_modules|\bdist\b|\.svelte-kit|\.wrangler/.test(path) },
)

const counts = new Map<string, { lines: number; riddles: number }>()
const found: string[] = []
for (const file of files.map((path) => path.replaceAll('\\', '/')).sort()) {
  if (FOREIGN.test(file)) continue
  const [folder = ''] = /^(?:worker\/src\/\w[\w-]*(?=\/)|[^/]+)/.exec(file) ?? []
  const count = counts.get(folder) ?? { lines: 0, riddles: 0 }
  counts.set(folder, count)
  for (const prose of proseOf(readFileSync(join(root, file), 'utf8'))) {
    const riddles = riddlesOf(prose)
    count.lines += prose.lines.length
    count.riddles += riddles.length
    for (const { line, pattern, text } of riddles) {
      if (below === undefined || file.startsWith(below)) {
        found.push(`${file}:${line} ${text}\n  ${pattern.name}: ${pattern.why}`)
      }
    }
  }
}

let lines = 0
let riddles = 0
for (const count of counts.values()) {
  lines += count.lines
  riddles += count.riddles
}
const density = (riddles / lines) * 1000
const isTooMuch = density > MOST_IN_1000
if (below !== undefined || isTooMuch) console.log(found.join('\n'))
for (const [folder, count] of counts) {
  console.log(`${folder}: ${count.riddles} in ${count.lines} lines`)
}
console.log(`In 1,000 lines ${density.toFixed(1)} riddles; ${MOST_IN_1000} are allowed.`)
if (isTooMuch) process.exitCode = 1
