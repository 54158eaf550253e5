import { describe } from 'vitest'
import { deploy } from './deployed.ts'
import { peopleCarryOn } from './people-carry-on.ts'
import { readPeople, versionsWithPeople, writePeople } from './people-story.ts'
import { current, installed } from './versions.ts'

const entry = 'people-worker'

describe.each(versionsWithPeople)('this version takes over the people of %s', (version) => {
  // `people.test.ts` has the third.
  describe.each(['one object', 'four objects'] as const)('with a ledger of %s', (ledger) => {
    peopleCarryOn(ledger, async () => {
      const worker = await deploy(current, current, entry)
      const state = readPeople(version, ledger)
      await worker.load(state.kept)
      return { worker, state }
    })
  })
})

describe.each(versionsWithPeople.slice(-1))('the people of %s are the same', (version) => {
  describe('after a roll-back, on what this version wrote', () => {
    const ledger = 'one object on the way to four'
    peopleCarryOn(
      ledger,
      async () => {
        const packages = installed(version)
        const [writer, worker] = await Promise.all([
          deploy(current, current, entry),
          deploy(packages, packages, entry),
        ])
        packages.remove()
        const state = await writePeople(writer, ledger)
        await writer.stop()
        await worker.load(state.kept)
        return { worker, state }
      },
      { isRollBack: true },
    )
  })

  describe.each([
    { name: 'the Worker of this version calls objects of the older', isWorkerOld: false },
    { name: 'the older Worker calls objects of this version', isWorkerOld: true },
  ])('while $name', ({ isWorkerOld }) => {
    const ledger = 'four objects'
    peopleCarryOn(ledger, async () => {
      const older = installed(version)
      const worker = isWorkerOld
        ? await deploy(older, current, entry)
        : await deploy(current, older, entry)
      older.remove()
      const state = readPeople(version, ledger)
      await worker.load(state.kept)
      return { worker, state }
    })
  })
})
