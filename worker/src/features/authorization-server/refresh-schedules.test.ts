import fc from 'fast-check'
import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds, often } from '../../../../test/support/holds.js'
import { memoryStore } from '../../stores/memory.js'
import type { Stores } from '../../stores/ports.js'
import { fails, faulty } from '../../test-support/faulty.js'
import { claimsOf, oauthIsolate } from '../../test-support/oauth.js'
import { keyOf } from './grant.js'

// Apps and thieves refresh in isolates that die, over a ledger that fails before and after it has written. A model
// that knows each change of the ledger says what every one of them gets.

const { pass } = clock()

const SECRETS = ['an-older-secret-0123456789-0123456789', 'a-newer-secret-0123456789-0123456789']
const ISOLATES = 4
const GRACE = 30

/** The fault of one request. `dies`: nobody gets its answer, and another isolate takes the place of its own. */
type Fault =
  | 'none'
  | 'before'
  | 'before-once'
  | 'after'
  | 'after-once'
  | 'dies-before'
  | 'dies-after'

const fault = fc.constantFrom<Fault[]>(
  ...(['none', 'none', 'none', 'before', 'before-once'] as const),
  ...(['after', 'after-once', 'dies-before', 'dies-after'] as const),
)

const step = fc.record({
  pause: fc.constantFrom(0, 0, 0, 1, 2, 5, 14, 29, 30, 31, 60, 300),
  // The app does not get a thief's tokens.
  who: fc.constantFrom('app', 'app', 'app', 'app', 'app', 'app', 'app', 'thief'),
  /** How many tokens before the one that the app has. */
  back: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 1, 2, 5),
  requests: fc.array(fc.record({ at: fc.nat(ISOLATES - 1), fault }), {
    minLength: 1,
    maxLength: 4,
  }),
  retryAfter: fc.constantFrom(0, 1, 10, 29, 30),
})
type Step = typeof step extends fc.Arbitrary<infer Made> ? Made : never

/** A ledger that notes when each version of a document was made. */
function watched(): { store: Stores; made: Map<string, Map<number, number>> } {
  const { sessions, ledger } = memoryStore()
  const made = new Map<string, Map<number, number>>()
  const liveDocument: NonNullable<typeof ledger.liveDocument> = async (key, life, change) => {
    const answer = await ledger.liveDocument(key, life, change)
    if (!answer) throw new Error('The ledger keeps no grants.')
    if (answer.isChanged && answer.document) {
      const versions = made.get(key) ?? new Map<number, number>()
      made.set(key, versions.set(answer.document.version, Date.now() / 1000))
    }
    return answer
  }
  return { store: { sessions, ledger: { ...ledger, liveDocument } }, made }
}

function isolate(inner: Stores, at: number) {
  const { store, faults } = faulty(inner)
  // A rotation is under way: each isolate has both secrets, and some have the newer one first.
  const secret = at % 2 === 0 ? SECRETS : SECRETS.toReversed()
  const own = oauthIsolate({ store, config: { secret } })
  const live = (...args: unknown[]) =>
    inner.ledger.liveDocument(...(args as [string, never])) as Promise<unknown>
  return {
    ...own,
    break(how: Fault) {
      faults.clear()
      const isOnce = how.endsWith('-once')
      if (how === 'none') return
      faults.set('liveDocument', async (...args) => {
        if (isOnce) faults.clear()
        else faults.set('liveDocument', how === 'after' ? after : fails)
        return how.startsWith('before') || how === 'dies-before' ? fails() : after(...args)
      })
      async function after(...args: unknown[]) {
        await live(...args)
        return fails()
      }
    },
  }
}

it('no fault signs an app out, and no late reuse keeps one in', { timeout: 120_000 }, async () => {
  const { store, made } = watched()
  const isolates = Array.from({ length: ISOLATES }, (_, at) => isolate(store, at))
  const done = { requests: 0, reuses: 0, late: 0, faults: 0 }

  async function begin() {
    const { refreshToken, accessToken } = await (isolates[0] ?? isolate(store, 0)).grant({
      scopes: ['offline_access'],
    })
    const key = keyOf('ada', String(claimsOf(accessToken).grant))
    // By their numbers, the first of which is 1.
    return { key, tokens: ['', refreshToken], held: 1, isOver: false }
  }
  type Family = Awaited<ReturnType<typeof begin>>

  /** When a token was used for the first time, if it was. */
  const firstUse = ({ key }: Family, number: number) => made.get(key)?.get(number + 1)
  const usedLately = ({ key }: Family, now: number) =>
    [...(made.get(key)?.values() ?? [])].filter((at) => now - at <= GRACE).length

  async function ask(family: Family, number: number, at: number, how: Fault) {
    const own = isolates[at] ?? isolate(store, at)
    own.break(how)
    done.requests++
    const answer = await own.refresh(family.tokens[number] ?? '')
    const isDead = how.startsWith('dies')
    if (!isDead) own.break('none')
    return isDead ? undefined : answer
  }

  async function follow(family: Family, { pause, who, back, requests, retryAfter }: Step) {
    pass(pause)
    const now = Date.now() / 1000
    const number = Math.max(1, family.held - back)
    const first = firstUse(family, number)
    const isLate = first !== undefined && now - first > GRACE
    const isBusy = usedLately(family, now) >= 29
    // Each isolate has one request at a time, so that it has one fault.
    const asked = requests.filter(
      ({ at }, index) => requests.findIndex((other) => other.at === at) === index,
    )
    const answers = await Promise.all(
      asked.map(({ at, fault: how }) => ask(family, number, at, how)),
    )
    for (const { at, fault: how } of asked) {
      if (how !== 'none') done.faults++
      if (!how.startsWith('dies')) continue
      // An isolate keeps nothing between requests but keys, so a new one each time would only cost time.
      if (done.faults % 10 === 0) isolates[at] = isolate(store, at)
      else isolates[at]?.break('none')
    }
    const check = (answer: (typeof answers)[number], how: Fault) => {
      if (!answer) return
      const fits = isLate ? 400 : 200
      const allowed = how === 'none' && !isBusy ? [fits] : [fits, 503]
      expect(allowed).toContain(answer.status)
      if (answer.status === 503) expect(answer.headers.get('retry-after')).not.toBeNull()
      if (answer.status === 400) expect(answer.error).toBe('invalid_grant')
      if (answer.status !== 200) return
      family.tokens[number + 1] ??= answer.refreshToken
      expect(answer.refreshToken).toBe(family.tokens[number + 1])
      if (who === 'app') family.held = Math.max(family.held, number + 1)
    }
    for (const [index, answer] of answers.entries()) check(answer, asked[index]?.fault ?? 'none')
    if (isLate) {
      done.late++
      // A fault may have kept one of them from saying so: then the next one does.
      expect((await ask(family, number, 0, 'none'))?.error).toBe('invalid_grant')
      expect((await ask(family, family.tokens.length - 1, 1, 'none'))?.error).toBe('invalid_grant')
      family.isOver = true
      return
    }
    if (first !== undefined) done.reuses++
    // An app that got no answer asks again, as long as the token is one that others may be using.
    if (who !== 'app' || family.held > number || isBusy) return
    const used = firstUse(family, number) ?? now
    pass(Math.max(0, Math.min(retryAfter, used + GRACE - now)))
    check(await ask(family, number, 2, 'none'), 'none')
  }

  await holds(
    85,
    fc.asyncProperty(fc.array(step, { minLength: 50, maxLength: 60 }), async (steps) => {
      let family = await begin()
      for (const one of steps) {
        if (family.isOver) family = await begin()
        await follow(family, one)
      }
    }),
  )
  expect(done.requests).toBeGreaterThan(often(10_000))
  expect(Math.min(done.reuses, done.late, done.faults)).toBeGreaterThan(often(100))
})
