import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'vitest'
import { carriesOn } from './carries-on.ts'
import { deploy } from './deployed.ts'
import { type LedgerName, ledgers, type State } from './story.ts'
import { current, folderOf, versions } from './versions.ts'

describe.each(versions)('this version takes over from %s', (version) => {
  const states = JSON.parse(readFileSync(join(folderOf(version), 'state.json'), 'utf8'))
  describe.each(ledgers)('with a ledger of %s', (ledger) => {
    carriesOn(ledger, async () => {
      const state = (states as Record<LedgerName, State>)[ledger]
      const worker = await deploy(current)
      await worker.load(state.kept)
      return { worker, state }
    })
  })
})
