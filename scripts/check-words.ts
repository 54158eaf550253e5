import { join } from 'node:path'
import { MOST_IN_1000, readGroups } from './words/groups.ts'

/**
 * `npm run check:words`: counts the lines of comments, test titles, messages and pages that
 * have to be read twice, and fails if the sources or the pages have too many. `npm run check:words --
 * session/src` lists those of the files below a path.
 */
const [below] = process.argv.slice(2)
const groups = readGroups(join(import.meta.dirname, '..'))
const isTooMuch = groups.some(({ density }) => density > MOST_IN_1000)

if (below !== undefined || isTooMuch) {
  for (const { file, line, pattern, text } of groups.flatMap((group) => group.riddles)) {
    if (below !== undefined && !file.startsWith(below)) continue
    console.log(`${file}:${line} ${text}\n  ${pattern.name}: ${pattern.why}`)
  }
}
for (const { name, density } of groups) {
  console.log(
    `${name}: ${density.toFixed(1)} riddles in 1,000 lines; the limit is ${MOST_IN_1000}.`,
  )
}
if (isTooMuch) process.exitCode = 1
