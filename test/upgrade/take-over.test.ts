import { describe } from 'vitest'
import { carriesOn } from './carries-on.ts'
import { deploy } from './deployed.ts'
import { ledgers, readState } from './story.ts'
import { current, versions } from './versions.ts'

describe.each(versions)('this version takes over from %s', (version) => {
  describe.each(ledgers)('with a ledger of %s', (ledger) => {
    const begin = async () => {
      const state = readState(version, ledger)
      const worker = await deploy(current)
      await worker.load(state.kept)
      return { worker, state }
    }
    carriesOn(ledger, begin, { namedUsers: version === '0.1' })
  })
})
