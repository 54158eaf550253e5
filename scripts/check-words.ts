import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { proseOf } from './words/prose.ts'
import { type Riddle, riddlesOf } from './words/riddles.ts'

/**
 * `npm run check:words`: counts the lines of comments, test titles and messages that have to be
 * read twice, by folder. `npm run check:words -- session/src`: lists those of the files below it.
 */
const root = join(import.meta.dirname, '..')
const [below] = process.argv.slice(2)

const files = globSync(
  '{session,adapters,cli,sandbox,scripts,examples,bench,test,worker}/**/*.{ts,tsx,js,svelte}',
  { cwd: root, exclude: (path) => /node_modules|\bdist\b|\.svelte-kit|\.wrangler/.test(path) },
)
  // Other languages, programs of other libraries and of our earlier versions, and the patterns.
  .filter(
    (file) =>
      !/worker\/(?:src\/)?languages\/|test\/(?:moving-in|upgrade\/0)|^scripts\/(?:words\/|check-words)/.test(
        file,
      ),
  )
  .sort()

const counts = new Map<string, { lines: number; riddles: number }>()
for (const file of files) {
  const [first = '', second, third = ''] = file.split('/')
  const folder =
    first === 'worker' && second === 'src' && !third.includes('.') ? `${first}/src/${third}` : first
  const count = counts.get(folder) ?? { lines: 0, riddles: 0 }
  counts.set(folder, count)
  for (const prose of proseOf(readFileSync(join(root, file), 'utf8'))) {
    const riddles = riddlesOf(prose)
    count.lines += prose.lines.length
    count.riddles += riddles.length
    if (below !== undefined && file.startsWith(below)) print(file, riddles)
  }
}

function print(file: string, riddles: readonly Riddle[]): void {
  for (const { line, pattern, text } of riddles) {
    console.log(`${file}:${line} ${text}\n  ${pattern.name}: ${pattern.why}`)
  }
}

let lines = 0
let riddles = 0
for (const [folder, count] of counts) {
  lines += count.lines
  riddles += count.riddles
  console.log(`${folder}: ${count.riddles} in ${count.lines} lines`)
}
console.log(
  `In 1,000 lines ${((riddles / lines) * 1000).toFixed(1)} riddles (${riddles} in ${lines} lines).`,
)
