import { expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { claimsIn } from '../test-support/browser.js'
import { withDocuments } from '../test-support/documents.js'
import { signedIn } from '../test-support/signed-in.js'
import { signedInWithTokens } from '../test-support/tokens.js'
import type { Callbacks } from '../types.js'
import { proveStepUp } from './renew.js'

const { pass } = clock()

const DAY = 24 * 60 * 60
const now = () => Math.floor(Date.now() / 1_000)
const jwt: NonNullable<Callbacks['jwt']> = ({ token }) => token

it('an extension and a write are used up under names that every version knows, for as long as they may come again', async () => {
  const { browser, calls, store } = await signedIn({ callbacks: { jwt } })
  const { sub, sid } = claimsIn(browser)
  const record = await store.sessions.get(sub, sid)
  pass(DAY)
  calls.length = 0
  await browser.session()
  const period = Math.floor(now() / 900)
  const write = `write:${sid}:${record?.sealed.slice(0, 25)}`
  expect(calls.filter(({ name }) => name === 'consume').map(({ args }) => args)).toEqual([
    [`extend:${sid}:${record?.updated}:${Math.floor(now() / 3_600)}`, now() + 3_600],
    [`${write}:${period - 1}`, now() + 1_800],
    [`${write}:${period}`, now() + 1_800],
  ])
})

it('if another request has written the record, the session goes on, and the log says why it is not extended', async () => {
  const errors: Error[] = []
  const logger = { error: (error: Error) => void errors.push(error) }
  const { browser, faults, inner } = await signedIn({ callbacks: { jwt }, logger })
  const { sexp } = claimsIn(browser)
  pass(DAY)
  faults.set('consume', async (name, expires) =>
    String(name).startsWith('write:') ? false : inner.ledger.consume(String(name), Number(expires)),
  )
  expect(await browser.session()).not.toBeNull()
  expect(claimsIn(browser)).toMatchObject({ sexp, iat: now() })
  expect(errors.map(({ message }) => message)).toEqual([
    'The record is not the latest one: another request has written it.',
  ])
})

it('a fault of the app’s own while a session is extended does not count as one of the store', async () => {
  let asked = 0
  const session: NonNullable<Callbacks['session']> = ({ session: one }) => {
    if (asked++ === 0) throw new Error('x')
    return one
  }
  const { browser, under } = await signedIn()
  const one = under({ callbacks: { session } })
  pass(DAY)
  expect((await one.get('/auth/session')).status).toBe(500)
  expect(asked).toBe(1)
  expect(claimsIn(browser)).toEqual(claimsIn(one))
})

it('the session callback gets an update also if there is no other callback', async () => {
  const told: unknown[] = []
  const session: NonNullable<Callbacks['session']> = (given) => {
    told.push([given.trigger, given.newSession])
    return given.session
  }
  const { browser } = await signedIn({ callbacks: { session } })
  told.length = 0
  await browser.send('/auth/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ csrfToken: await browser.csrfToken(), data: { a: 1 } }),
  })
  expect(told).toEqual([['update', { a: 1 }]])
})

it.each([
  ['none', {}, 1],
  ['jwt', { jwt }, 2],
  ['session', { session: ({ session }) => session }, 2],
] satisfies [string, Partial<Callbacks>, number][])(
  'whether a session has ended is asked again after callbacks that may have waited: %s',
  async (_, callbacks, count) => {
    const { browser, calls } = await signedIn({ callbacks })
    pass(6 * 60)
    calls.length = 0
    await browser.session()
    expect(calls.filter(({ name }) => name === 'isRevoked' || name === 'standing')).toHaveLength(
      count,
    )
  },
)

it('both callbacks are given the provider’s token at a renewal', async () => {
  const given: unknown[] = []
  const { browser } = await signedInWithTokens({
    callbacks: {
      jwt: async ({ token, trigger, getAccessToken }) => {
        if (!trigger) given.push(await getAccessToken?.())
        return token
      },
      session: async ({ session, getAccessToken }) => {
        given.push(await getAccessToken?.())
        return session
      },
    },
  })
  pass(6 * 60)
  given.length = 0
  await browser.session()
  expect(given).toEqual(
    Array(2).fill(expect.objectContaining({ ok: true, accessToken: 'the-access-token-1' })),
  )
})

/** Somebody who is signed in, and proves once more who they are. */
async function proving(callbacks: Partial<Callbacks> = {}) {
  const world = await withDocuments({}, { callbacks })
  const ada = await world.signIn('one', 'ada')
  const claims = claimsIn(ada)
  const prove = (changes = {}) =>
    proveStepUp(world.request, { ...claims, ...changes }, { auth_time: now(), amr: ['one', 'pwd'] })
  return { ...world, claims, prove }
}

it('a proof whose record is not shown counts for as long as the token does, to its last second', async () => {
  const { prove, claims, inner } = await proving()
  await inner.sessions.delete(claims.sub, claims.sid)
  expect(await prove()).toMatchObject({ exp: claims.exp, amr: ['one', 'pwd'] })
  expect(await prove({ exp: now() + 1 })).toMatchObject({ exp: now() + 1 })
  expect(await prove({ exp: now() })).toBe('unknown')
})

it('a proof ends a session whose jwt callback answers null', async () => {
  let isGone = false
  const { prove, claims, inner } = await proving({ jwt: ({ token }) => (isGone ? null : token) })
  expect(await prove()).toMatchObject({ amr: ['one', 'pwd'] })
  isGone = true
  expect(await prove()).toBe('over')
  expect(await inner.ledger.isRevoked(claims.sid)).toBe(true)
})
