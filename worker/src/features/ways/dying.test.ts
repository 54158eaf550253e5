import { it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { moments } from '../../../../test/support/holds.js'
import type { Browser } from '../../test-support/browser.js'
import { type Isolate, isolates, type Layouts } from '../../test-support/isolates.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { type Account, expectSound, idOf, signedIn } from '../../test-support/sound-ways.js'

// A process dies at each call of the stores in turn, while a person changes their ways. Afterwards the same person
// tries again, or another person goes on. Each way then signs in a person who sees it, and each person may add ways.

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const ADA: Account = ['one', 'ada']
const X: Account = ['two', 'x']
const Y: Account = ['two', 'y']
const Z: Account = ['two', 'z']

/** Ada and another person, in an isolate that lives. */
interface Scene {
  readonly world: Isolate
  readonly ada: Browser
  readonly other: Browser
}

interface Change {
  /** The actions before. */
  readonly before: (world: Isolate) => Promise<{ readonly ada: Browser; readonly other: Browser }>
  /** What Ada does in the isolate that dies. */
  readonly run: (world: Isolate, ada: Browser, id: string) => Promise<unknown>
  /** The way that Ada removes. */
  readonly removes?: Account
  readonly ways: readonly Account[]
}

/** Ada has taken the other person in, with one way or two. */
async function merged(world: Isolate, more: readonly Account[]) {
  const other = await world.signIn(...X)
  for (const way of more) await world.add(other, ...way)
  const ada = await world.signIn(...ADA)
  pass(2)
  await world.takeIn(ada, ...X)
  pass(2)
  return { ada, other }
}

const CHANGES: Readonly<Record<string, Change>> = {
  'adds a way': {
    before: async (world) => ({ ada: await world.signIn(...ADA), other: await world.signIn(...Y) }),
    run: (world, ada) => world.add(ada, ...X),
    ways: [ADA, X, Y],
  },
  'adds a further way': {
    before: async (world) => {
      const ada = await world.signIn(...ADA)
      await world.add(ada, ...Z)
      return { ada, other: await world.signIn(...Y) }
    },
    run: (world, ada) => world.add(ada, ...X),
    ways: [ADA, X, Y, Z],
  },
  'removes a way': {
    before: async (world) => {
      const ada = await world.signIn(...ADA)
      await world.add(ada, ...X)
      return { ada, other: await world.signIn(...Y) }
    },
    run: (world, ada, id) => world.remove(ada, id),
    removes: X,
    ways: [ADA, X, Y],
  },
  'takes in a person with one way': {
    before: async (world) => ({ other: await world.signIn(...X), ada: await world.signIn(...ADA) }),
    run: (world, ada) => world.takeIn(ada, ...X),
    ways: [ADA, X],
  },
  'takes in a person with two ways': {
    before: async (world) => {
      const other = await world.signIn(...X)
      await world.add(other, ...Y)
      return { other, ada: await world.signIn(...ADA) }
    },
    run: (world, ada) => world.takeIn(ada, ...X),
    ways: [ADA, X, Y],
  },
  'removes the only way of a person that she has taken in': {
    before: (world) => merged(world, []),
    run: (world, ada, id) => world.remove(ada, id),
    removes: X,
    ways: [ADA, X],
  },
  'removes one of two ways of a person that she has taken in': {
    before: (world) => merged(world, [Y]),
    run: (world, ada, id) => world.remove(ada, id),
    removes: X,
    ways: [ADA, Y, X],
  },
  'sets up a factor': {
    before: async (world) => ({ ada: await world.signIn(...ADA), other: await world.signIn(...Y) }),
    run: (_, ada) => setUpFactor(ada),
    ways: [ADA, Y],
  },
}

/** What happens after the process has died. */
const CONTINUATIONS: Readonly<
  Record<string, (scene: Scene, change: Change, again: () => Promise<unknown>) => Promise<unknown>>
> = {
  'she tries again': (_, __, again) => again(),
  'the other person signs in and adds a way': async ({ world }) => {
    const one = await signedIn(world, X)
    if (one) await world.add(one, 'two', 'new')
  },
  'the other person signs in and sets up a factor': async ({ world }) => {
    const one = await signedIn(world, X)
    if (one) await setUpFactor(one).catch(() => {})
  },
  'a third person takes the other one in': async ({ world }) => {
    const third = await world.signIn('one', 'grace')
    await world.takeIn(third, ...X).catch(() => {})
  },
  'the other person adds a way, and she tries again': async ({ world }, _, again) => {
    const one = await signedIn(world, X)
    if (one) await world.add(one, 'two', 'new')
    pass(2)
    await again()
  },
}

const LAYOUTS: Readonly<Record<string, Layouts>> = { '1': [1], '4': [4], '1,4': [1, 4] }

/** With one object everything that concerns two people is tried, and of the rest what tells the most. */
const SHORT = ['she tries again', 'the other person signs in and adds a way']
const FEW = [
  'takes in a person with one way',
  'removes the only way of a person that she has taken in',
]

const CASES = Object.keys(LAYOUTS).flatMap((layouts) =>
  Object.entries(CHANGES).flatMap(([name, change]) =>
    Object.entries(CONTINUATIONS).flatMap(([then, goOn]) => {
      const isShort = SHORT.includes(then)
      const isMeant =
        layouts === '1' ? isShort || /person/.test(name) : isShort && FEW.includes(name)
      return isMeant ? [{ layouts, name, change, then, goOn }] : []
    }),
  ),
)

it.each(CASES)(
  'the process dies at any call while Ada $name, and $then: each way is seen by its person, and no person is stuck ($layouts)',
  async ({ layouts, name, change, then, goOn }) => {
    const { first, step } = moments(`${layouts} ${name} ${then}`)
    for (let at = first, isOver = false; !isOver; at += step) {
      const { open } = isolates({}, LAYOUTS[layouts])
      const [world, dying] = [open(), open()]
      const { ada, other } = await change.before(world)
      const id = change.removes ? await idOf(world, ada, change.removes) : ''
      const there = dying.copyOf(ada)
      await there.csrfToken()
      // After a call is the same as before the next one: a process that is dead makes no call.
      dying.arm({ at, dies: 'before' })
      await change.run(dying, there, id).catch(() => {})
      isOver = !dying.hasCome()
      pass(2)
      await goOn({ world, ada, other }, change, async () =>
        change.run(world, ada, id).catch(() => {}),
      )
      // Hers are last: any action of hers finishes the failed change.
      await expectSound(world, change.ways.toReversed(), pass)
    }
  },
  120_000,
)
