import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { moments } from '../../../../test/support/holds.js'
import { createAuth } from '../../index.js'
import { type Browser, claimsIn } from '../../test-support/browser.js'
import { type Isolate, isolates, type Layouts } from '../../test-support/isolates.js'
import { decideMerge } from '../../test-support/merged.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

/** A person with the way `one`, and another one with two ways at `two`. */
async function two(world: Isolate) {
  const other = await world.signIn('two', 'x')
  await world.add(other, 'two', 'y')
  const ada = await world.signIn('one', 'ada')
  await ada.csrfToken()
  return { ada, other }
}

const erase = (world: Isolate, sub: string) => createAuth(world.config).deletePerson(sub, {})

/** No way signs in the erased person, and each way signs in a person who sees it. */
async function expectErased(world: Isolate, sub: string): Promise<void> {
  const people = new Map<string, { ways: string[]; listed: string[] }>()
  for (const [provider, account] of [
    ['two', 'y'],
    ['two', 'x'],
    ['two', 'z'],
    ['one', 'ada'],
  ] as const) {
    pass(2)
    const one = await world.signIn(provider, account)
    const who = claimsIn(one).sub
    // Hers follows from the account: it is a new person.
    if (account !== 'ada') expect([account, who === sub]).toEqual([account, false])
    const listed = (await world.ways(one)).map(({ name }) => name ?? '')
    const ways = people.get(who)?.ways ?? []
    people.set(who, { ways: [...ways, `${account} at ${provider}`], listed })
  }
  for (const { ways, listed } of people.values()) expect(ways.toSorted()).toEqual(listed.toSorted())
}

const LAYOUTS: readonly Layouts[] = [[1], [4], [1, 4]]

const PENDING: Readonly<Record<string, (world: Isolate, ada: Browser) => Promise<unknown>>> = {
  'takes a person in': (world, ada) => world.takeIn(ada, 'two', 'x'),
  'adds a way': (world, ada) => world.add(ada, 'two', 'z'),
}

it.each(
  Object.entries(PENDING).flatMap(([name, run]) =>
    LAYOUTS.map((layouts) => ({ name, run, layouts })),
  ),
)(
  'a person who is erased after the process died while she $name, at any call, leaves no way that signs in as her: objects $layouts',
  async ({ name, run, layouts }) => {
    for (const dies of layouts.length > 1 ? (['after'] as const) : (['before', 'after'] as const)) {
      const { first, step } = moments(`${name} ${layouts} ${dies}`)
      for (let at = first, isOver = false; !isOver; at += step) {
        const { open } = isolates({}, layouts)
        const [world, dying] = [open(), open()]
        const { ada } = await two(world)
        dying.arm({ at, dies })
        await run(dying, dying.copyOf(ada)).catch(() => {})
        isOver = !dying.hasCome()
        pass(2)
        const { sub } = claimsIn(ada)
        await erase(world, sub)
        await expectErased(world, sub)
      }
    }
  },
  120_000,
)

/** The same, of which the first writes of a merge were those of version 0.2, before the erasure. */
const BESIDE: typeof PENDING = {
  'adds a way': (world, ada) => world.add(ada, 'two', 'z'),
  'finishes a merge': (world, ada) => world.remove(ada, 'none'),
}

it.each(
  Object.entries(BESIDE).flatMap(([name, run]) =>
    // A write to two objects with an erasure in between is a matter of the ledger's own.
    [[1], [4]].map((layouts) => ({ name, run, layouts })),
  ),
)(
  'a person who is erased while she $name, before any call of it, leaves no way that signs in as her: objects $layouts',
  async ({ name, run, layouts }) => {
    const { first, step } = moments(`${name} ${layouts}`)
    for (let at = first, isOver = false; !isOver; at += step) {
      const { open } = isolates({}, layouts)
      const [world, slow] = [open(), open()]
      const { ada } = await two(world)
      const { sub } = claimsIn(ada)
      const { ledger } = world.store
      if (name === 'finishes a merge') await decideMerge(ledger, claimsIn(ada), ['two', 'x'])
      let erased: Promise<unknown> | undefined
      const waitsFor = () => {
        pass(2)
        erased = erase(world, sub)
        return erased
      }
      slow.arm({ at, waitsFor })
      await run(slow, slow.copyOf(ada)).catch(() => {})
      // The call may be one that is made after the answer.
      await erased
      isOver = !slow.hasCome()
      if (!isOver) await expectErased(world, sub)
    }
  },
  120_000,
)
