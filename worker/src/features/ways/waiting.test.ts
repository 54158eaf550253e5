import { it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { moments } from '../../../../test/support/holds.js'
import type { Browser } from '../../test-support/browser.js'
import { type Isolate, isolates, type Layouts } from '../../test-support/isolates.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { type Account, expectSound, idOf, signedIn } from '../../test-support/sound-ways.js'

// One request waits before each of its calls in turn, while others go on to their end. No call fails.

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const ADA: Account = ['one', 'ada']
const X: Account = ['two', 'x']
const Y: Account = ['two', 'y']

interface People {
  readonly ada: Browser
  readonly other: Browser
}

interface Race {
  readonly before: (world: Isolate) => Promise<People>
  /** The request that waits. */
  readonly run: (world: Isolate, people: People) => Promise<unknown>
  readonly by: keyof People
  /** What happens meanwhile. */
  readonly meanwhile: (world: Isolate, people: People) => Promise<unknown>
}

/** Ada, and another person with one way or two. */
const apart =
  (...more: Account[]) =>
  async (world: Isolate): Promise<People> => {
    const other = await world.signIn(...X)
    for (const account of more) await world.add(other, ...account)
    return { other, ada: await world.signIn(...ADA) }
  }

async function merged(world: Isolate): Promise<People> {
  const people = await apart()(world)
  pass(2)
  await world.takeIn(people.ada, ...X)
  pass(2)
  return people
}

async function removeX(world: Isolate, one: Browser): Promise<void> {
  pass(2)
  await world.remove(one, await idOf(world, one, X))
  pass(2)
}

async function takeInAndRemove(world: Isolate, { ada }: People): Promise<void> {
  pass(2)
  await world.takeIn(ada, ...X).catch(() => {})
  await removeX(world, ada)
}

const RACES: Readonly<Record<string, Race>> = {
  'a person takes another one in, while another request takes in the same one and removes a way of theirs':
    {
      before: apart(),
      by: 'ada',
      run: (world, { ada }) => world.takeIn(ada, ...X),
      meanwhile: takeInAndRemove,
    },
  'the same, of a person with two ways': {
    before: apart(Y),
    by: 'ada',
    run: (world, { ada }) => world.takeIn(ada, ...X),
    meanwhile: takeInAndRemove,
  },
  'the same, and the other person goes on': {
    before: apart(Y),
    by: 'ada',
    run: (world, { ada }) => world.takeIn(ada, ...X),
    async meanwhile(world, people) {
      await takeInAndRemove(world, people)
      const free = await signedIn(world, X)
      if (free) await world.add(free, 'two', 'z')
      pass(2)
    },
  },
  'a person sets up a factor, while another one takes them in, and removes their way': {
    before: apart(),
    by: 'other',
    run: (_, { other }) => setUpFactor(other),
    meanwhile: takeInAndRemove,
  },
  'a person adds a way, while another one takes them in, and removes their way': {
    before: apart(),
    by: 'other',
    run: (world, { other }) => world.add(other, ...Y),
    meanwhile: takeInAndRemove,
  },
  'a way is removed, while another request removes it, and another person takes its person in': {
    before: merged,
    by: 'ada',
    run: (world, { ada }) => removeX(world, ada),
    async meanwhile(world, { ada }) {
      await removeX(world, ada)
      await world.takeIn(await world.signIn('one', 'grace'), ...X).catch(() => {})
      pass(2)
    },
  },
  'a way is removed, while its person is free again by another request, and taken in again': {
    before: merged,
    by: 'ada',
    run: (world, { ada }) => removeX(world, ada),
    async meanwhile(world, { ada }) {
      await removeX(world, ada)
      await signedIn(world, X)
      pass(2)
      await world.takeIn(ada, ...X).catch(() => {})
    },
  },
}

const CASES = Object.entries(RACES).flatMap(([name, race]) =>
  ([[1], [1, 4]] as Layouts[]).map((layouts) => ({ name, race, layouts })),
)

it.each(CASES)(
  'without a fault: $name: each way signs in a person who sees it, objects $layouts',
  async ({ name, race, layouts }) => {
    const { first, step } = moments(`${name} ${layouts}`)
    for (let at = first, isOver = false; !isOver; at += step) {
      const { open } = isolates({}, layouts)
      const [world, slow] = [open(), open()]
      const people = await race.before(world)
      await people[race.by].csrfToken()
      let done: Promise<unknown> | undefined
      const waitsFor = () => {
        done = race.meanwhile(world, people)
        return done
      }
      slow.arm({ at, waitsFor })
      const there = { ...people, [race.by]: slow.copyOf(people[race.by]) }
      await race.run(slow, there).catch(() => {})
      await done
      isOver = !slow.hasCome()
      await expectSound(world, [X, Y, ADA], pass)
    }
  },
  120_000,
)
