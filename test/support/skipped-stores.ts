import type { Reporter, TestModule } from 'vitest/node'
import { findPrograms } from './database-programs.ts'
import { findFastapi, findGo, findVerifierPython } from './language-programs.ts'

/** By what the names of tests have. */
const programs = new Map<string, () => Promise<object | { readonly why: string }>>([
  ['Postgres', () => findPrograms('Postgres')],
  ['Redis', () => findPrograms('Redis')],
  ['Chromium', () => findPrograms('Chromium')],
  ['the Python verifier', findVerifierPython],
  ['the Go verifier', findGo],
  ['FastAPI', findFastapi],
])

/**
 * The skipped tests of a run, in one line: their stores have no server on this machine, there is no whole browser, or the
 * program of a language is missing.
 *
 * @param skipped full names of the tests that were skipped
 * @returns an empty text if none has such a store or language
 * @example 'Skipped: 52 tests of Redis (redis-server cannot be had. spawn apt-get ENOENT)'
 */
export async function skippedStores(skipped: readonly string[]): Promise<string> {
  const parts = [...programs].map(async ([name, find]) => {
    const count = skipped.filter((test) => test.includes(name)).length
    if (count === 0) return []
    const found = await find()
    return 'why' in found ? [`${count} tests of ${name} (${found.why})`] : []
  })
  const told = (await Promise.all(parts)).flat()
  return told.length === 0 ? '' : `Skipped: ${told.join(', ')}`
}

/** Ends the report of a run with the tests that were left out. */
export class SkippedStores implements Reporter {
  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const skipped = modules.flatMap(({ children }) => [...children.allTests('skipped')])
    const line = await skippedStores(skipped.map(({ fullName }) => fullName))
    if (line !== '') console.log(line)
  }
}
