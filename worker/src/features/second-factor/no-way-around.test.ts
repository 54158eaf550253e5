import { expect, it } from 'vitest'
import { AuthenticatorApp, keyOn } from '../../../../test/support/authenticator-app.js'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { memoryStore } from '../../stores/memory.js'
import { type Browser, claimsIn } from '../../test-support/browser.js'
import { asStore, ownLedger } from '../../test-support/own-ledger.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

// A user with a second factor is asked for it, whatever way they sign in with. A sign-in reads the person only
// if its way has a document, so every path that writes or deletes one is tried here, with a ledger that fails
// at each of its calls in turn.

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const ADDRESS = 'ada@mail.example'

type Fault = 'before it took effect' | 'after it took effect'
const FAULTS: readonly Fault[] = ['before it took effect', 'after it took effect']

/** A ledger that fails from its nth call on, as if the process had died. */
function dying() {
  const inner = memoryStore()
  let calls = 0
  let fault: { readonly at: number; readonly when: Fault } | undefined
  const methods = Object.entries(inner.ledger).map(([name, run]) => [
    name,
    async (...given: unknown[]) => {
      const at = calls++
      if (fault && (at > fault.at || (at === fault.at && fault.when === FAULTS[0]))) {
        throw new Error('Down.')
      }
      const answer = await (run as (...given: unknown[]) => Promise<unknown>)(...given)
      if (at === fault?.at) throw new Error('The answer is lost.')
      return answer
    },
  ])
  const ledger = ownLedger(Object.fromEntries(methods) as unknown as Ledger)
  const store = asStore({ sessions: inner.sessions, ledger })
  return {
    store,
    arm(at: number, when: Fault) {
      calls = 0
      fault = { at, when }
    },
    /** @returns whether the fault has come */
    mend() {
      const isOver = fault !== undefined && calls > fault.at
      fault = undefined
      return isOver
    },
  }
}

type World = ReturnType<typeof people>

interface Way {
  readonly provider: string
  readonly account: string
}

const ONE: Way = { provider: 'one', account: 'ada' }
const TWO: Way = { provider: 'two', account: 'x' }
const MAIL: Way = { provider: 'email', account: ADDRESS }

/** No attacker signs in as a person without their factor. */
async function expectNoWayAround(world: World, sub: string, ways: readonly Way[]): Promise<void> {
  for (const { provider, account } of ways) {
    const one = await world.signIn(provider, account, world.browser())
    const isTheirs = one.jar.has('auth.session-token') && claimsIn(one).sub === sub
    expect([provider, isTheirs]).toEqual([provider, false])
  }
}

/** An action of a person with a factor, after a sign-in with `first`. */
interface Path {
  readonly first: Way
  readonly more?: readonly Way[]
  /** The actions after the set-up and before the path. */
  readonly before?: (world: World, ada: Browser) => Promise<unknown>
  readonly run: (world: World, ada: Browser) => Promise<unknown>
  /** The person must be unknown at the end. */
  readonly isErased?: true
}

const removeFirst = async (world: World, ada: Browser, { provider }: Way) => {
  const { id = '' } = (await world.ways(ada)).find((way) => way.provider === provider) ?? {}
  return world.remove(ada, id)
}

const PATHS: Readonly<Record<string, Path>> = {
  'an account is added': { first: ONE, run: ({ add }, ada) => add(ada, 'two', 'x') },
  'an address is added': { first: ONE, run: ({ add }, ada) => add(ada, 'email', ADDRESS) },
  'the first way, an account, is removed': {
    first: ONE,
    more: [TWO],
    run: (world, ada) => removeFirst(world, ada, ONE),
  },
  'the first way, an address, is removed': {
    first: MAIL,
    more: [TWO],
    run: (world, ada) => removeFirst(world, ada, MAIL),
  },
  'another way is removed': {
    first: ONE,
    more: [TWO],
    run: (world, ada) => removeFirst(world, ada, TWO),
  },
  'the first way, an account, is added again': {
    first: ONE,
    more: [TWO],
    before: (world, ada) => removeFirst(world, ada, ONE),
    run: ({ add }, ada) => add(ada, 'one', 'ada'),
  },
  'the first way, an address, is added again': {
    first: MAIL,
    more: [TWO],
    before: (world, ada) => removeFirst(world, ada, MAIL),
    run: ({ add }, ada) => add(ada, 'email', ADDRESS),
  },
  'another person is taken in': {
    first: ONE,
    before: (world) => world.signIn('two', 'x'),
    run: ({ takeIn }, ada) => takeIn(ada, 'two', 'x'),
  },
  'a person with an account is erased': {
    first: ONE,
    more: [TWO],
    run: ({ config }, ada) => createAuth(config).deletePerson(claimsIn(ada).sub, {}),
    isErased: true,
  },
  'a person with an address is erased': {
    first: MAIL,
    more: [TWO],
    run: ({ config }, ada) => createAuth(config).deletePerson(claimsIn(ada).sub, {}),
    isErased: true,
  },
}

const CASES = Object.entries(PATHS).flatMap(([name, path]) =>
  FAULTS.map((when) => ({ name, path, when })),
)

it.each(CASES)(
  'the process dies while $name, at any call of the ledger, $when: no attacker signs in without the factor',
  async ({ path, when }) => {
    const { first, more = [], before, run, isErased } = path
    for (let at = 0, isOver = false; !isOver; at++) {
      // One process counts the tries of an unknown network in a minute.
      pass(60)
      const { store, arm, mend } = dying()
      const world = people({ store })
      const ada = await world.signIn(first.provider, first.account)
      await setUpFactor(ada)
      for (const { provider, account } of more) await world.add(ada, provider, account)
      const { sub } = claimsIn(ada)
      await before?.(world, ada)
      // The pages before must not fail.
      arm(at, when)
      await run(world, ada).catch(() => {})
      isOver = !mend()
      pass(2)
      const document = (await store.ledger.document(`person\n${sub}`))?.content
      if (isErased && !document) continue
      expect(JSON.parse(document ?? '{}').factor).toBeDefined()
      await expectNoWayAround(world, sub, [ONE, TWO, MAIL])
    }
  },
  60_000,
)

it.each(
  [ONE, MAIL].flatMap((first) => FAULTS.map((when) => ({ by: first.provider, first, when }))),
)(
  'the process dies while a user who signed in by $by sets a factor up, at any call, $when: it is asked for by every way, or by none',
  async ({ first, when }) => {
    for (const more of [[], [TWO]]) {
      for (let at = 0, isOver = false; !isOver; at++) {
        pass(60)
        const { store, arm, mend } = dying()
        const world = people({ store })
        const ada = await world.signIn(first.provider, first.account)
        for (const { provider, account } of more) await world.add(ada, provider, account)
        const { sub } = claimsIn(ada)
        const app = new AuthenticatorApp(keyOn(await (await ada.get('/auth/factor/setup')).text()))
        const csrfToken = await ada.csrfToken()
        arm(at, when)
        const answer = await ada.post('/auth/factor/setup', { csrfToken, code: app.code() })
        isOver = !mend()
        const { content } = (await store.ledger.document(`person\n${sub}`)) ?? {}
        const hasFactor = JSON.parse(content ?? '{}').factor !== undefined
        if (answer.status === 200) expect(hasFactor).toBe(true)
        if (hasFactor) await expectNoWayAround(world, sub, [first, ...more])
        else {
          // The user is not locked out, and can set it up afterwards.
          const { codes } = await setUpFactor(await world.signIn(first.provider, first.account))
          expect(codes).toHaveLength(10)
          await expectNoWayAround(world, sub, [first, ...more])
        }
      }
    }
  },
  60_000,
)

it('the process dies while a sign-in that waits sets a factor up: it is asked for, or can be set up again', async () => {
  for (const when of FAULTS) {
    for (let at = 0, isOver = false; !isOver; at++) {
      // One process counts the tries of an unknown network in a minute.
      pass(60)
      const { store, arm, mend } = dying()
      const world = people({ store, secondFactor: () => true })
      const ada = world.browser()
      await ada.signIn('one', 'ada')
      const app = new AuthenticatorApp(keyOn(await (await ada.get('/auth/factor/setup')).text()))
      const csrfToken = await ada.csrfToken()
      arm(at, when)
      await ada.post('/auth/factor/setup', { csrfToken, code: app.code() })
      isOver = !mend()
      const other = world.browser()
      await other.signIn('one', 'ada')
      expect(await other.session()).toBeNull()
      if ((await other.get('/auth/factor')).status === 200) {
        pass(30)
        await other.submit('/auth/factor', { code: app.code() })
        expect(await other.session()).not.toBeNull()
      } else await setUpFactor(other)
    }
  }
})

it('the process dies while a code is tried: it does not sign in twice, and the next one works', async () => {
  for (const when of FAULTS) {
    for (let at = 0, isOver = false; !isOver; at++) {
      // One process counts the tries of an unknown network in a minute.
      pass(60)
      const { store, arm, mend } = dying()
      const world = people({ store })
      const { app } = await setUpFactor(await world.signIn('one', 'ada'))
      pass(30)
      const [one, other] = await Promise.all(
        [0, 1].map(async () => {
          const browser = world.browser()
          await browser.signIn('one', 'ada')
          return { browser, csrfToken: await browser.csrfToken() }
        }),
      )
      if (!one || !other) throw new Error('No user.')
      const code = app.code()
      arm(at, when)
      await one.browser.post('/auth/factor', { csrfToken: one.csrfToken, code })
      isOver = !mend()
      await other.browser.post('/auth/factor', { csrfToken: other.csrfToken, code })
      const held = [one, other].filter(({ browser }) => browser.jar.has('auth.session-token'))
      expect(held.length).toBeLessThanOrEqual(1)
      pass(30)
      const later = world.browser()
      await later.signIn('one', 'ada')
      await later.submit('/auth/factor', { code: app.code() })
      expect(await later.session()).not.toBeNull()
    }
  }
})
