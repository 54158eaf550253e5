import { describe } from 'vitest'
import { carriesOn } from './carries-on.ts'
import { deploy } from './deployed.ts'
import { readState, type State } from './story.ts'
import { current, installed, versions } from './versions.ts'

/**
 * While a new version is deployed, Workers of one version call Durable Objects of the other for a while,
 * since both are replaced one by one.
 */
describe.each(versions.slice(-1))('while this version takes the place of %s', (version) => {
  describe.each([
    { name: 'its Worker calls the object of the older', ledger: 'one object', isWorkerOld: false },
    { name: 'the older Worker calls its object', ledger: 'one object', isWorkerOld: true },
    // None of its objects can tell it about endings in the others.
    { name: 'its Worker calls four of the older', ledger: 'four objects', isWorkerOld: false },
    { name: 'the older Worker calls four of its', ledger: 'four objects', isWorkerOld: true },
  ] as const)('$name', ({ ledger, isWorkerOld }) => {
    const begin = async () => {
      const older = installed(version)
      const pair = [older, current] as const
      const [packages, objects] = isWorkerOld ? pair : pair.toReversed()
      const worker = await deploy(packages as typeof current, objects)
      older.remove()
      const state: State = readState(version, ledger)
      await worker.load(state.kept)
      return { worker, state }
    }
    carriesOn(ledger, begin)
  })
})
