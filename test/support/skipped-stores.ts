import type { Reporter, TestModule } from 'vitest/node'
import { type Database, findPrograms } from './database-programs.ts'

const stores: readonly Database[] = ['Postgres', 'Redis', 'Chromium']

/**
 * The skipped tests of a run, in one line: their stores have no server on this machine, or there is no whole browser.
 *
 * @param skipped full names of the tests that were skipped
 * @returns an empty text if none has such a store
 * @example 'Skipped: 52 tests of Redis (redis-server cannot be had. spawn apt-get ENOENT)'
 */
export async function skippedStores(skipped: readonly string[]): Promise<string> {
  const parts = stores.map(async (store) => {
    const count = skipped.filter((name) => name.includes(store)).length
    if (count === 0) return []
    const found = await findPrograms(store)
    return 'why' in found ? [`${count} tests of ${store} (${found.why})`] : []
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
