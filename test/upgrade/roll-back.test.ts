import { describe } from 'vitest'
import { carriesOn } from './carries-on.ts'
import { deploy } from './deployed.ts'
import { ledgers, writeState } from './story.ts'
import { current, installed, versions } from './versions.ts'

/** Only the previous version: a roll-back by two versions at once is not supported. */
describe.each(versions.slice(-1))('a roll-back to %s, on what this version wrote', (version) => {
  describe.each(ledgers)('with a ledger of %s', (ledger) => {
    const begin = async () => {
      const packages = installed(version)
      const writer = await deploy(current)
      try {
        const [worker, state] = await Promise.all([deploy(packages), writeState(writer, ledger)])
        await worker.load(state.kept)
        return { worker, state }
      } finally {
        packages.remove()
        await writer.stop()
      }
    }
    carriesOn(ledger, begin, {
      knowsFinished: ledger !== 'four objects',
    })
  })
})
