import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds } from '../../../../test/support/holds.js'
import { createAuth } from '../../index.js'
import { subjectOf } from '../../person/subject.js'
import { type Browser, claimsIn } from '../../test-support/browser.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { importRequest } from '../../test-support/importing.js'
import { type Isolate, isolates, type Layouts } from '../../test-support/isolates.js'
import { Objects } from '../../test-support/resharding.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { type Account, expectSound, idOf, signedIn } from '../../test-support/sound-ways.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const ACCOUNTS: readonly Account[] = [
  ['one', 'a'],
  ['one', 'b'],
  ['two', 'x'],
  ['two', 'y'],
  ['two', 'u'],
  ['two', 'v'],
]

/** What a person has made a passkey with last, by its number. */
type Keys = Map<number, ReturnType<Isolate['authenticator']>>

/**
 * Places in the list of accounts: of the person who acts, and of the account that they act with.
 */
interface Places {
  readonly by: number
  readonly what: number
}

/** The changes of a person who has signed in just now. Some need another account of the list, or a passkey. */
const ACTS = {
  add: (world: Isolate, one: Browser, { what }: Places) => world.add(one, ...at(what)),
  async remove(world: Isolate, one: Browser, { what }: Places) {
    await world.remove(one, await idOf(world, one, at(what)))
  },
  factor: (_: Isolate, one: Browser) => setUpFactor(one),
  end: (_: Isolate, one: Browser) => one.submit('/auth/sessions/revoke', { session: 'all' }),
  erase: (world: Isolate, one: Browser) => erase(world, claimsIn(one).sub),
  async passkey(world: Isolate, one: Browser, { by }: Places, keys: Keys) {
    const made = world.authenticator()
    keys.set(by, made)
    await world.addPasskey(one, made)
  },
  async removePasskey(world: Isolate, one: Browser) {
    const { id = '' } = (await world.ways(one)).find(({ provider }) => provider === 'passkey') ?? {}
    await world.remove(one, id)
  },
  async bring(world: Isolate, _: Browser, { by, what }: Places) {
    const AUTH_IMPORT_UNTIL = new Date(Date.now() + 86_400_000).toISOString()
    const request = await importRequest([[`old-${by}`, ...at(what)]])
    await createAuth(world.config).fetch(request, { AUTH_IMPORT_UNTIL })
  },
}

function erase(world: Isolate, sub: string): Promise<void> {
  return createAuth(world.config).deletePerson(sub, {})
}

const account = fc.nat(ACCOUNTS.length - 1)
const does = (name: keyof typeof ACTS, weight: number) => ({
  weight,
  arbitrary: fc.constant(name),
})
const act = fc.record({
  by: account,
  /** By the passkey of that number, if there is one. */
  byPasskey: fc.boolean(),
  what: account,
  does: fc.oneof(
    does('add', 8),
    does('remove', 6),
    does('passkey', 3),
    does('removePasskey', 1),
    does('bring', 3),
    does('factor', 1),
    does('end', 1),
    does('erase', 1),
  ),
  /** The process dies at one of its calls, or at none. */
  dies: fc.option(fc.record({ at: fc.nat(45), dies: fc.constantFrom('before', 'after') }), {
    freq: 1,
  }),
})
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never

/** One or two at the same time, and an account whose way is looked at afterwards. */
const step = fc.record({
  acts: fc.array(act, { minLength: 1, maxLength: 2 }),
  look: account,
})

/** The numbers of objects, and whether documents are handed over meanwhile: then the last number alone is listed in the end. */
const layouts = fc.constantFrom<[numbers: Layouts, handsOver: boolean][]>(
  [[1], false],
  [[4], false],
  [[1, 4], false],
  [[1, 4], true],
)

/** The account at a place of the list. */
const at = (place: number) => ACCOUNTS[place] as Account

async function perform(
  world: Isolate,
  open: () => Isolate,
  act: Act,
  { factors, erased, keys }: Record<'factors' | 'erased', Set<string>> & { keys: Keys },
): Promise<() => Promise<unknown>> {
  const { by, byPasskey, does, dies } = act
  const key = byPasskey ? keys.get(by) : undefined
  const one = key ? await signedInBy(world, key) : await signedIn(world, at(by))
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
    const isDone = await ACTS[does](isolate, there, act, keys).then(
      () => true,
      () => false,
    )
    // The operator calls again.
    if (does === 'erase' && !isDone) await erase(world, sub)
    if (does === 'erase') erased.add(sub)
  }
}

type Key = ReturnType<Isolate['authenticator']>

/** A browser that has signed in by a passkey; `undefined`: the passkey does not sign in. */
async function signedInBy(world: Isolate, key: Key): Promise<Browser | undefined> {
  const found = await world.signInBy(key).catch(() => undefined)
  return found?.one.jar.has('auth.session-token') ? found.one : undefined
}

async function expectSeen(world: Isolate, one: Browser, what: unknown): Promise<void> {
  const own = (await world.ways(one)).filter(({ current }) => current)
  expect([what, own.length]).toEqual([what, 1])
}

it('a storm of changes to ways, with processes that die: each way signs in a person who sees it, and an erased person is signed in by no earlier way', async () => {
  await holds(
    16,
    fc.asyncProperty(
      layouts,
      fc.array(step, { minLength: 1, maxLength: 16, size: 'max' }),
      async ([numbers, handsOver], steps) => {
        const objects = handsOver ? new Objects() : undefined
        const binding = objects?.binding() ?? new FakeLedgers().binding
        const { open } = isolates({}, numbers, binding)
        const world = open()
        await objects?.reshard(1, 4)
        const factors = new Set<string>()
        const keys: Keys = new Map()
        for (const { acts, look } of steps) {
          const erased = new Set<string>()
          pass(2)
          const ready: (() => Promise<unknown>)[] = []
          for (const one of acts) {
            ready.push(await perform(world, open, one, { factors, erased, keys }))
          }
          await Promise.all(ready.map((run) => run()))
          await objects?.step()
          pass(2)
          const one = await signedIn(world, at(look))
          if (one) await expectSeen(world, one, at(look))
          // With a way of their own they are a new person, and with one that was imported meanwhile.
          const sub = one && claimsIn(one).sub
          if (sub === undefined || !erased.has(sub)) continue
          const brought = acts.filter((one) => one.does === 'bring').map(({ by }) => `old-${by}`)
          expect([await subjectOf(...at(look)), ...brought]).toContain(sub)
        }
        for (const sub of factors) {
          await createAuth(world.config).resetFactors(sub, {})
        }
        await objects?.settle()
        const last = handsOver ? open(numbers.slice(-1)) : world
        for (const [number, key] of keys) {
          pass(2)
          const one = await signedInBy(last, key)
          if (one) await expectSeen(last, one, `passkey ${number}`)
        }
        await expectSound(last, ACCOUNTS, pass)
      },
    ),
  )
}, 300_000)
