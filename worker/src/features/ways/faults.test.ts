import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { memoryStore } from '../../stores/memory.js'
import { type Browser, claimsIn, errorOf, locationOf, origin } from '../../test-support/browser.js'
import { asStore, ownLedger } from '../../test-support/own-ledger.js'
import { people } from '../../test-support/people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

type Fault = 'before it took effect' | 'after it took effect'

/** A store that fails at the nth call of the ledger, as soon as it is armed. */
function failing() {
  const inner = memoryStore()
  const calls: string[] = []
  let fault: { readonly at: number; readonly when: Fault } | undefined
  const methods = Object.fromEntries(
    Object.entries(inner.ledger).map(([name, run]) => [
      name,
      async (...given: unknown[]) => {
        const isFault = fault?.at === calls.push(name) - 1
        if (isFault && fault?.when === 'before it took effect') throw new Error('Down.')
        const answer = await (run as (...given: unknown[]) => Promise<unknown>)(...given)
        if (isFault) throw new Error('The answer is lost.')
        return answer
      },
    ]),
  ) as unknown as Ledger
  const store = asStore({ sessions: inner.sessions, ledger: ownLedger(methods) })
  const arm = (at: number, when: Fault) => {
    calls.length = 0
    fault = { at, when }
  }
  return { store, calls, arm, mend: () => (fault = undefined) }
}

/** The person that a way signs in, and whether they see it: no way may sign in unseen. */
async function expectSeen(
  { signIn, ways, subOf }: ReturnType<typeof people>,
  provider: string,
  account: string,
): Promise<string> {
  const one = await signIn(provider, account)
  const list = await ways(one)
  expect(list.filter(({ current }) => current)).toHaveLength(1)
  return subOf(one)
}

const FAULTS: readonly Fault[] = ['before it took effect', 'after it took effect']

it.each(FAULTS)(
  'a ledger that fails between the two writes of an add, at any call, %s: never half a way, and it can be added again',
  async (when) => {
    let ends = 0
    for (let at = 0; ends < 1; at++) {
      // One process counts the lines of a person in a minute.
      pass(60)
      const { store, calls, arm, mend } = failing()
      const world = people({ store })
      const ada = await world.signIn('one', 'ada')
      const start = await world.startAdding(ada, 'two')
      arm(at, when)
      const answer = await world.comeBack(ada, 'two', start, 'x')
      if (calls.length <= at) ends++
      mend()
      // 503, or the answer without a fault.
      if (answer.status !== 503) expect(locationOf(answer)).toBe(`${origin}/inbox`)
      const listed = (await world.ways(ada)).map(({ provider }) => provider)
      const owner = await expectSeen(world, 'two', 'x')
      expect(owner === claimsIn(ada).sub).toBe(listed.length === 2)
      if (listed.length === 1) await signOut(world, 'two', 'x')
      const again = await world.add(ada, 'two', 'x')
      expect(locationOf(again)).toBe(`${origin}/inbox`)
      expect(await world.ways(ada)).toHaveLength(2)
      expect(await expectSeen(world, 'two', 'x')).toBe(claimsIn(ada).sub)
      expect(world.lines.filter(isEvent('way-added'))).toHaveLength(1)
    }
  },
)

it.each(FAULTS)(
  'a ledger that fails between the writes of a removal, at any call, %s: a way that still signs in is still seen',
  async (when) => {
    for (const which of [0, 1]) {
      let ends = 0
      for (let at = 0; ends < 1; at++) {
        const { store, calls, arm, mend } = failing()
        const world = people({ store })
        const ada = await world.signIn('one', 'ada')
        await world.add(ada, 'two', 'x')
        const { sub } = claimsIn(ada)
        const way = (await world.ways(ada))[which]?.id ?? ''
        const csrfToken = await ada.csrfToken()
        arm(at, when)
        const answer = await ada.post('/auth/ways/remove', { csrfToken, way })
        if (calls.length <= at) ends++
        mend()
        const isDone = answer.status !== 503
        const removed = world.browser()
        const end = await (which === 0 ? removed.signIn('one', 'ada') : removed.signIn('two', 'x'))
        const signsIn = errorOf(end) === '/inbox' && claimsIn(removed).sub === sub
        const isListed = (await world.ways(ada)).some(({ id }) => id === way)
        expect(signsIn).toBe(isListed)
        if (isDone) expect(isListed).toBe(false)
        expect(locationOf(await world.remove(ada, way))).toBe(`${origin}/auth/account`)
        expect((await world.ways(ada)).some(({ id }) => id === way)).toBe(false)
        expect(world.lines.filter(isEvent('way-removed'))).toHaveLength(1)
      }
    }
  },
)

it('100 parallel adds of one account by two people: one wins, and the account belongs to one person', async () => {
  // One process counts the lines of a person in a minute.
  pass(3_600)
  const world = people()
  const [ada, eve] = [await world.signIn('one', 'ada'), await world.signIn('one', 'eve')]
  const flows: [Browser, Response][] = []
  for (let count = 0; count < 100; count++) {
    const browser = world.copyOf(count % 2 === 0 ? ada : eve)
    flows.push([browser, await world.startAdding(browser, 'two')])
  }
  const ends = await Promise.all(
    flows.map(([browser, start]) => world.comeBack(browser, 'two', start, 'x')),
  )
  const words = ends.map(errorOf)
  const [adas, eves] = [0, 1].map((rest) => words.filter((_, index) => index % 2 === rest))
  const winners = new Set(adas?.includes('/inbox') ? adas : eves)
  const losers = new Set(adas?.includes('/inbox') ? eves : adas)
  expect([...winners]).toEqual(['/inbox'])
  expect([...losers]).toEqual(['/auth/signin OAuthAccountNotLinked'])
  const counts = [await world.ways(ada), await world.ways(eve)].map((list) => list.length)
  expect(counts.toSorted()).toEqual([1, 2])
  expect(world.lines.filter(isEvent('way-added'))).toHaveLength(1)
  const owner = await expectSeen(world, 'two', 'x')
  expect(owner).toBe(claimsIn(counts[0] === 2 ? ada : eve).sub)
})

it('two people who add each other’s account at once get neither', async () => {
  const world = people()
  const [ada, eve] = [await world.signIn('one', 'ada'), await world.signIn('one', 'eve')]
  const flows = [await world.startAdding(ada, 'one'), await world.startAdding(eve, 'one')]
  const ends = await Promise.all([
    world.comeBack(ada, 'one', flows[0] as Response, 'eve'),
    world.comeBack(eve, 'one', flows[1] as Response, 'ada'),
  ])
  expect(ends.map(errorOf)).toEqual(Array(2).fill('/auth/signin OAuthAccountNotLinked'))
})

it('an add that was given up is forgotten after a quarter of an hour', async () => {
  const { store, arm, mend } = failing()
  const world = people({ store })
  const ada = await world.signIn('one', 'ada')
  await world.add(ada, 'two', 'y')
  const start = await world.startAdding(ada, 'two')
  // The claim of the way fails, and so does the look at whether it did.
  for (let at = 0; ; at++) {
    arm(at, 'before it took effect')
    const answer = await world.comeBack(ada, 'two', start, 'x')
    mend()
    if (answer.status === 503) break
    if (at > 40) throw new Error('No call failed.')
  }
  pass(3600)
  await world.signIn('one', 'ada', ada)
  await world.add(ada, 'two', 'z')
  expect(await world.ways(ada)).toHaveLength(3)
})

async function signOut(
  { signIn }: ReturnType<typeof people>,
  provider: string,
  account: string,
): Promise<void> {
  // Every session of that person ends, so that the account has no owner.
  const one = await signIn(provider, account)
  await one.submit('/auth/sessions/revoke', { session: 'all' })
  pass(1)
}

function isEvent(event: string) {
  return (line: object) => (line as { event?: string }).event === event
}
