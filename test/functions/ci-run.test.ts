import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.js'

const folder = mkdtempSync(join(tmpdir(), 'ci-run-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The last lines of a run of the CI with these results. `undefined`: a run that came to no tests. */
function linesOf(...runs: (object | undefined)[]): string[] {
  const paths = runs.map((results, at) => {
    const path = join(folder, `${at}.json`)
    rmSync(path, { force: true })
    if (results) writeFileSync(path, JSON.stringify(results))
    return path
  })
  const script = join(rootDir, 'test/count-tests.ts')
  const printed = execFileSync(process.execPath, [script, ...paths], { encoding: 'utf8' })
  return printed.trim().split('\n')
}

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((it) => ({ status: it, fullName: `a test that ${it}` })),
})
const green = {
  numPassedTests: 3,
  numFailedTests: 0,
  testResults: [file('passed', 'passed', 'passed', 'passed')],
}
const red = {
  numPassedTests: 1,
  numFailedTests: 1,
  testResults: [file('failed', 'passed', 'failed'), file('failed'), file('passed', 'skipped')],
}

test('the last line of the CI is the sum of its runs', () => {
  expect(linesOf(green, green)).toEqual(['6 passed, 0 failed'])
})

test('a file that cannot be loaded is a failure, and skipped tests are counted', () => {
  expect(linesOf(green, red)).toEqual(['4 passed, 2 failed, 1 skipped'])
})

test('a run whose checks fail has no results, and is a failure', () => {
  expect(linesOf(undefined, green)).toEqual(['3 passed, 1 failed'])
})

test('the CI runs the test command of the README, and then the other tests of a change', () => {
  const script = readFileSync(join(rootDir, '.ci/run'), 'utf8')
  const commands = [...script.matchAll(/^(npm (?:test|run \S+)) -- /gm)].map(([, name]) => name)
  expect(commands).toEqual(['npm test', 'npm run test:all'])
  const readme = readFileSync(join(rootDir, 'README.md'), 'utf8')
  expect(readme).toMatch(/^npm test +#/m)
  expect(script.trimEnd().split('\n').at(-2)).toMatch(/^npx node test\/count-tests\.ts /)
})
