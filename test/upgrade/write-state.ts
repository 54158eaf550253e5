import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deploy } from './deployed.ts'
import { type LedgerName, ledgers, type State, writeState } from './story.ts'
import { folderOf, installed } from './versions.ts'

/**
 * Writes the state that a version leaves in workerd into its folder here. Run once for each
 * version, when it is released; the state is never changed afterwards.
 *
 * 1. `mkdir test/upgrade/<version>`, and there, from a build of that version, one archive for each of
 *    `session`, `worker` and each adapter: `npm pack`, without declarations, maps, sources and README:
 *    `tar -xzf latchkey-session-*.tgz && find package -name '*.d.ts' -o -name '*.map' | xargs rm &&
 *    rm -r package/src package/README.md && tar -czf session.tgz package`
 * 2. `node test/upgrade/write-state.ts <version>`
 *
 * The story grows with what the Worker stores; states of older versions are shorter.
 */
const [version = ''] = process.argv.slice(2)
const packages = installed(version)
const states: Partial<Record<LedgerName, State>> = {}
try {
  for (const ledger of ledgers) {
    const worker = await deploy(packages)
    states[ledger] = await writeState(worker, ledger)
    await worker.stop()
  }
} finally {
  packages.remove()
}
writeFileSync(join(folderOf(version), 'state.json'), `${JSON.stringify(states, null, 1)}\n`)
