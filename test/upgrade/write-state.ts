import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deploy } from './deployed.ts'
import { writePeople } from './people-story.ts'
import { type LedgerName, ledgers, writeState } from './story.ts'
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
const stories = [
  { file: 'state.json', entry: 'worker', write: writeState },
  { file: 'people.json', entry: 'people-worker', write: writePeople },
] as const
try {
  for (const { file, entry, write } of stories) {
    const states: Partial<Record<LedgerName, unknown>> = {}
    for (const ledger of ledgers) {
      const worker = await deploy(packages, packages, entry)
      states[ledger] = await write(worker, ledger)
      await worker.stop()
    }
    writeFileSync(join(folderOf(version), file), `${JSON.stringify(states, null, 1)}\n`)
  }
} finally {
  packages.remove()
}
