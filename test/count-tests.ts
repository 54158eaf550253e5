import { existsSync, readFileSync } from 'node:fs'
import { skippedStores } from './support/skipped-stores.ts'

/** The last line of `.ci/run`: what vitest wrote about each run into these files, in one sum. */
interface Results {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly testResults: readonly {
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

// There is no file if the checks before the tests failed: then nothing passed, and the one failure is theirs.
const none: Results = { numPassedTests: 0, numFailedTests: 1, testResults: [] }
const results = process.argv
  .slice(2)
  .map((path) => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Results) : none))

const files = results.flatMap(({ testResults }) => testResults)
// A file that cannot be loaded has no tests to count, and fails all the same.
const broken = files.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((it) => it.status === 'failed'),
)
const skipped = files
  .flatMap(({ assertionResults }) => assertionResults)
  .filter(({ status }) => status === 'skipped' || status === 'pending')
const sum = (count: (one: Results) => number) => results.reduce((all, one) => all + count(one), 0)
const counts = [
  `${sum(({ numPassedTests }) => numPassedTests)} passed`,
  `${sum(({ numFailedTests }) => numFailedTests) + broken.length} failed`,
]
if (skipped.length > 0) counts.push(`${skipped.length} skipped`)
const why = await skippedStores(skipped.map(({ fullName }) => fullName))
if (why !== '') console.log(why)
console.log(counts.join(', '))
