import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds } from '../../../../test/support/holds.js'
import { createAuth } from '../../index.js'
import { durableLedger } from '../../stores/durable-ledger.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { memoryStore } from '../../stores/memory.js'
import type { SessionStore, Stores } from '../../stores/ports.js'
import { type Browser, claimsIn, errorOf, setsSession } from '../../test-support/browser.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import type { StoreMethod } from '../../test-support/faulty.js'
import { Objects } from '../../test-support/resharding.js'
import { withPasswords } from '../../test-support/with-passwords.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990, waits: true })

/** What holds after each step, whatever came before it and at the same time. */
const INVARIANTS = {
  one: 'one password at most signs in with an address',
  owner: 'a password signs in the same person as a mail to the address',
  strange: 'a text that was never set signs nobody in',
  ended: 'a password that a finished change, removal or erasure ended signs nobody in',
  blocked: 'a blocked person has no session by any password',
  sessions: 'a session that began with the old password is over after a finished change',
  shared: 'all addresses of a person have one password',
} as const

const ADDRESSES = ['a@mail.example', 'b@mail.example', 'c@mail.example', 'd@mail.example']
const TEXTS = ['the first long phrase', 'the second long phrase', 'the third long phrase']
const STRANGE = 'a phrase that nobody set'

type World = ReturnType<typeof withPasswords>

/** An act of a person who has signed in by a mail to their address just now. */
interface Act {
  readonly by: number
  /** Another address, or a text, by its place. */
  readonly what: number
  readonly does: keyof typeof ACTS
  /** The process dies at one of its calls, or at none. */
  readonly dies: { readonly at: number; readonly when: 'before' | 'after' } | null
}

const address = (place: number) => ADDRESSES[place % ADDRESSES.length] as string
const text = (place: number) => TEXTS[place % TEXTS.length] as string

/** @returns did it end well? */
const ACTS = {
  async set(world: World, one: Browser, what: number) {
    return errorOf(await world.set(one, text(what))) === '/auth/account'
  },
  async changeByCurrent(world: World, one: Browser, what: number) {
    pass(400)
    const current = text(what + 1)
    return errorOf(await world.set(one, text(what), { current })) === '/auth/account'
  },
  async remove(_: World, one: Browser) {
    return errorOf(await one.submit('/auth/password/remove')) === '/auth/account'
  },
  async signIn(world: World, _: Browser, what: number) {
    return setsSession(await world.signInBy(world.browser(), address(what), text(what)))
  },
  async addAddress(world: World, one: Browser, what: number) {
    return errorOf(await world.add(one, 'email', address(what))) === '/inbox'
  },
  async removeAddress(world: World, one: Browser, what: number) {
    const all = await world.ways(one)
    const { id = '' } = all[what % all.length] ?? {}
    return errorOf(await world.remove(one, id)) === '/auth/account'
  },
  async merge(world: World, one: Browser, what: number) {
    await world.takeIn(one, 'email', address(what))
    return true
  },
  async end(_: World, one: Browser) {
    return (await one.submit('/auth/sessions/revoke', { session: 'all' })).status < 400
  },
  async block(world: World, one: Browser) {
    await createAuth(world.config).blockPerson({ sub: claimsIn(one).sub }, {})
    return true
  },
  async operator(world: World, one: Browser) {
    await createAuth(world.config).removePassword(claimsIn(one).sub, {})
    return true
  },
  async erase(world: World, one: Browser) {
    await createAuth(world.config).deletePerson(claimsIn(one).sub, {})
    return true
  },
} as const

const weights: readonly (readonly [keyof typeof ACTS, number])[] = [
  ['set', 8],
  ['changeByCurrent', 4],
  ['remove', 2],
  ['signIn', 3],
  ['addAddress', 4],
  ['removeAddress', 3],
  ['merge', 2],
  ['end', 1],
  ['block', 2],
  ['operator', 1],
  ['erase', 2],
]
const place = fc.nat(11)
const act: fc.Arbitrary<Act> = fc.record({
  by: place,
  what: place,
  does: fc.oneof(...weights.map(([name, weight]) => ({ weight, arbitrary: fc.constant(name) }))),
  dies: fc.option(
    fc.record({ at: fc.nat(20), when: fc.constantFrom('before' as const, 'after' as const) }),
    { freq: 2 },
  ),
})
const step = fc.record({ acts: fc.array(act, { minLength: 1, maxLength: 2 }), look: place })

/** Stores with the ledger in one object, in four, and while one becomes four. */
const layouts = fc.constantFrom('one', 'four', 'more' as const)

async function storesOf(layout: 'one' | 'four' | 'more') {
  const { sessions } = memoryStore()
  const objects = new Objects()
  if (layout === 'more') await objects.reshard(1, 4)
  const { binding } = new FakeLedgers()
  const ledger =
    layout === 'more' ? objects.seen(1, 4) : durableLedger(binding, [layout === 'one' ? 1 : 4])
  return {
    inner: { sessions, ledger } as Stores,
    move: async () => void (layout === 'more' && (await objects.step())),
  }
}

/** From its nth call on, before it or after it, the process reaches no store any more. */
function arm({ faults, inner }: World, { at, when }: NonNullable<Act['dies']>): void {
  let calls = 0
  for (const part of [inner.ledger as Ledger, inner.sessions as SessionStore]) {
    for (const [name, run] of Object.entries(part)) {
      faults.set(name as StoreMethod, async (...args) => {
        const now = calls++
        if (now > at || (now === at && when === 'before')) throw new Error('The process is dead.')
        const answer = await (run as (...args: unknown[]) => Promise<unknown>)(...args)
        if (now === at) throw new Error('The process is dead.')
        return answer
      })
    }
  }
}

async function byMail(world: World, email: string): Promise<Browser | undefined> {
  const one = await world.signIn('email', email)
  return one.jar.has('auth.session-token') ? one : undefined
}

/** The texts that sign in with an address, each with its person. */
async function textsOf(world: World, email: string) {
  const found: { readonly text: string; readonly sub: string }[] = []
  for (const one of [...TEXTS, STRANGE]) {
    pass(60)
    const browser = world.browser()
    const answer = await world.signInBy(browser, email, one)
    if (setsSession(answer)) found.push({ text: one, sub: claimsIn(browser).sub })
  }
  return found
}

/** Ends all blocks. */
async function unblock(world: World, blocked: Set<string>): Promise<void> {
  for (const sub of blocked) await createAuth(world.config).unblockPerson(sub, {})
  blocked.clear()
}

const CLEARS: ReadonlySet<string> = new Set(['remove', 'operator', 'erase'])

it('a storm of passwords that are set, changed and removed, beside blocks, endings, merges and erasures, with processes that die', async () => {
  await holds(
    16,
    fc.asyncProperty(
      layouts,
      fc.array(step, { minLength: 1, maxLength: 10, size: 'max' }),
      async (layout, steps) => {
        const { inner, move } = await storesOf(layout)
        const world = withPasswords({}, {}, { inner })
        const mortal = withPasswords({}, {}, { inner, mails: world.mails })
        const blocked = new Set<string>()
        for (const { acts, look } of steps) {
          // Limits of an hour are over.
          pass(3_700)
          await unblock(world, blocked)
          const ready = await Promise.all(
            acts.map(async (one) => ({ ...one, browser: await byMail(world, address(one.by)) })),
          )
          const [only] = ready
          const email = address(only?.by ?? 0)
          const isPlain = ready.length === 1 && only?.dies === null && only.browser !== undefined
          const before = isPlain ? await textsOf(world, email) : []
          const old = isPlain && before[0] ? world.browser() : undefined
          if (old && before[0]) await world.signInBy(old, email, before[0].text)
          pass(2)
          const fresh = isPlain ? await byMail(world, email) : undefined
          const done = await Promise.all(
            ready.map(async ({ browser, does, what, dies }) => {
              const one = isPlain ? fresh : browser
              if (!one) return false
              await one.csrfToken()
              const at = dies ? mortal : world
              if (dies) arm(at, dies)
              const { sub } = claimsIn(one)
              if (does === 'block') blocked.add(sub)
              const act: (world: World, one: Browser, what: number) => Promise<boolean> = ACTS[does]
              const isDone = await act(at, at.copyOf(one), what).catch(() => false)
              // The operator calls again.
              const isOperators = does === 'erase' || does === 'operator' || does === 'block'
              if (!isDone && isOperators) {
                mortal.faults.clear()
                await act(world, world.copyOf(one), what).catch(() => false)
              }
              return isDone
            }),
          )
          mortal.faults.clear()
          await move()
          pass(3_700)
          if (isPlain && done[0] && only) {
            const { does, what } = only
            const after = (await textsOf(world, email)).map((one) => one.text)
            const isChange = does === 'set' || does === 'changeByCurrent'
            const ended = CLEARS.has(does)
              ? TEXTS
              : isChange
                ? TEXTS.filter((one) => one !== text(what))
                : []
            const alive = after.filter((one) => ended.includes(one))
            expect([INVARIANTS.ended, does, alive]).toEqual([INVARIANTS.ended, does, []])
            const isOther = isChange && before[0] && before[0].text !== text(what)
            if (isOther && old) {
              const session = await old.session()
              expect([INVARIANTS.sessions, session]).toEqual([INVARIANTS.sessions, null])
            }
          }
          await expectSound(world, address(look), blocked)
        }
        await unblock(world, blocked)
        const shared = new Map<string, string>()
        for (const email of ADDRESSES) {
          pass(3_700)
          await expectSound(world, email, blocked)
          pass(3_700)
          const one = await byMail(world, email)
          if (!one) continue
          const [found] = await textsOf(world, email)
          const { sub } = claimsIn(one)
          const known = shared.get(sub) ?? found?.text ?? ''
          shared.set(sub, known)
          expect([INVARIANTS.shared, found?.text ?? '']).toEqual([INVARIANTS.shared, known])
        }
      },
    ),
  )
}, 600_000)

async function expectSound(
  world: World,
  email: string,
  blocked: ReadonlySet<string>,
): Promise<void> {
  const found = await textsOf(world, email)
  expect([INVARIANTS.one, found.length <= 1]).toEqual([INVARIANTS.one, true])
  const isStrange = found.some((one) => one.text === STRANGE)
  expect([INVARIANTS.strange, isStrange]).toEqual([INVARIANTS.strange, false])
  const isBlocked = found.some((one) => blocked.has(one.sub))
  expect([INVARIANTS.blocked, isBlocked]).toEqual([INVARIANTS.blocked, false])
  const [right] = found
  if (!right) return
  pass(60)
  const one = await byMail(world, email)
  expect([INVARIANTS.owner, one && claimsIn(one).sub]).toEqual([INVARIANTS.owner, right.sub])
}
