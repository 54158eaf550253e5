import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds } from '../../../../test/support/holds.js'
import { subjectOf } from '../../session/subject.js'
import { type Browser, claimsIn } from '../../test-support/browser.js'
import { type Isolate, isolates, type Layouts } from '../../test-support/isolates.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { type Account, expectSound, idOf, signedIn } from '../../test-support/sound-ways.js'
import { createAuth } from '../create-auth.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const ACCOUNTS: readonly Account[] = [
  ['one', 'a'],
  ['one', 'b'],
  ['two', 'x'],
  ['two', 'y'],
]

/** The changes of a person who has signed in just now. Some need another account of the list. */
const ACTS = {
  add: (world: Isolate, one: Browser, account: Account) => world.add(one, ...account),
  async remove(world: Isolate, one: Browser, account: Account) {
    await world.remove(one, await idOf(world, one, account))
  },
  factor: (_: Isolate, one: Browser) => setUpFactor(one),
  end: (_: Isolate, one: Browser) => one.submit('/auth/sessions/revoke', { session: 'all' }),
  erase: (world: Isolate, one: Browser) => erase(world, claimsIn(one).sub),
}

function erase(world: Isolate, sub: string): Promise<void> {
  return createAuth(world.config).deletePerson(sub, {})
}

const account = fc.nat(ACCOUNTS.length - 1)
const act = fc.record({
  by: account,
  what: account,
  does: fc.oneof(
    { weight: 8, arbitrary: fc.constant('add' as const) },
    { weight: 6, arbitrary: fc.constant('remove' as const) },
    { weight: 1, arbitrary: fc.constant('factor' as const) },
    { weight: 1, arbitrary: fc.constant('end' as const) },
    { weight: 1, arbitrary: fc.constant('erase' as const) },
  ),
  /** The process dies at one of its calls, or at none. */
  dies: fc.option(fc.record({ at: fc.nat(45), dies: fc.constantFrom('before', 'after') })),
})
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never

/** One or two at the same time, and an account whose way is looked at afterwards. */
const step = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 2 }),
  look: account,
})

const layouts = fc.constantFrom<Layouts[]>([1], [1], [4], [1, 4])

/** The account at a place of the list. */
const at = (place: number) => ACCOUNTS[place] as Account

async function perform(
  world: Isolate,
  open: () => Isolate,
  { by, what, does, dies }: Act,
  factors: Set<string>,
  erased: Set<string>,
): Promise<() => Promise<unknown>> {
  const one = await signedIn(world, at(by))
  if (!one) {
    // The way was removed, or waits for a factor, which the operator takes away.
    for (const sub of factors) await createAuth(world.config).resetFactors(sub, {})
    factors.clear()
    return async () => {}
  }
  const { sub } = claimsIn(one)
  await one.csrfToken()
  return async () => {
    const isolate = dies ? open() : world
    if (dies) isolate.arm(dies as never)
    if (does === 'factor') factors.add(sub)
    const there = isolate.copyOf(one)
    const isDone = await ACTS[does](isolate, there, at(what)).then(
      () => true,
      () => false,
    )
    // The operator calls again.
    if (does === 'erase' && !isDone) await erase(world, sub)
    if (does === 'erase') erased.add(sub)
  }
}

it('a storm of changes to ways, with processes that die: each way signs in a person who sees it, and an erased person is signed in by no way of before', async () => {
  await holds(
    16,
    fc.asyncProperty(
      layouts,
      fc.array(step, { minLength: 1, maxLength: 16, size: 'max' }),
      async (known, steps) => {
        const { open } = isolates({ ways: { merge: true } }, known)
        const world = open()
        const factors = new Set<string>()
        for (const { acts, look } of steps) {
          const erased = new Set<string>()
          pass(2)
          const ready: (() => Promise<unknown>)[] = []
          for (const one of acts) ready.push(await perform(world, open, one, factors, erased))
          await Promise.all(ready.map((run) => run()))
          pass(2)
          const one = await signedIn(world, at(look))
          if (!one) continue
          const own = (await world.ways(one)).filter(({ current }) => current)
          expect([at(look), own.length]).toEqual([at(look), 1])
          // With a way of their own they are somebody who has never been here.
          const { sub } = claimsIn(one)
          if (erased.has(sub)) expect(sub).toBe(await subjectOf(...at(look)))
        }
        for (const sub of factors) {
          await createAuth(world.config).resetFactors(sub, {})
        }
        await expectSound(world, ACCOUNTS, pass)
      },
    ),
  )
}, 300_000)
