import { describe } from 'vitest'
import { deploy } from './deployed.ts'
import { peopleCarryOn } from './people-carry-on.ts'
import { readPeople, versionsWithPeople } from './people-story.ts'
import { current } from './versions.ts'

// Each person's rows are in old objects, in new ones, or in both. `people-kinds.test.ts` has the other ledgers.
const ledger = 'one object on the way to four'

describe.each(versionsWithPeople)('this version takes over the people of %s', (version) => {
  peopleCarryOn(ledger, async () => {
    const worker = await deploy(current, current, 'people-worker')
    const state = readPeople(version, ledger)
    await worker.load(state.kept)
    return { worker, state }
  })
})
