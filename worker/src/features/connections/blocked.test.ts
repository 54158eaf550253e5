import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { type Browser, claimsIn, origin } from '../../test-support/browser.js'
import { people } from '../../test-support/people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

it('attack: a blocked person has no token of a provider, in a session that has ended and without one', async () => {
  const world = people()
  const ada = await world.signIn('one', 'ada')
  const { sub } = claimsIn(ada)
  await world.add(ada, 'two', 'ada')
  const auth = createAuth(world.config)
  const ask = (one: Browser, provider?: string) =>
    auth.getAccessToken(
      new Request(origin, { headers: { cookie: one.cookie } }),
      {},
      undefined,
      provider ? { provider } : undefined,
    )
  expect(await ask(ada)).toMatchObject({ ok: true })
  expect(await auth.getAccessTokenOf(sub, 'two', {})).toMatchObject({ ok: true })
  await auth.blockPerson({ sub }, {})
  const blocked = { ok: false, reason: 'blocked' }
  // Also in an isolate that has not heard of the end, and after the token has ended.
  const other = createAuth({ ...world.config })
  for (const service of [auth, other]) {
    for (const of of [undefined, { provider: 'two' }, { provider: 'none' }]) {
      const request = new Request(origin, { headers: { cookie: ada.cookie } })
      expect(await service.getAccessToken(request, {}, undefined, of)).toEqual(blocked)
    }
    for (const provider of ['one', 'two', 'none']) {
      expect(await service.getAccessTokenOf(sub, provider, {})).toEqual(blocked)
    }
  }
  pass(16 * 60)
  expect(await ask(ada)).toEqual(blocked)
  await auth.unblockPerson(sub, {})
  pass(1)
  expect(await ask(ada)).toEqual({ ok: false, reason: 'signed-out' })
  expect(await auth.getAccessTokenOf(sub, 'two', {})).toMatchObject({ ok: true })
})

it('a person with one way is blocked too, and a person who has signed out is signed out', async () => {
  const world = people()
  const [ada, bob] = [await world.signIn('one', 'ada'), await world.signIn('one', 'bob')]
  const auth = createAuth(world.config)
  const cookies = [ada, bob].map(({ cookie }) => cookie)
  await auth.blockPerson({ sub: claimsIn(ada).sub }, {})
  await bob.submit('/auth/signout')
  const reasons = await Promise.all(
    cookies.map((cookie) => auth.getAccessToken(new Request(origin, { headers: { cookie } }), {})),
  )
  expect(reasons).toEqual([
    { ok: false, reason: 'blocked' },
    { ok: false, reason: 'signed-out' },
  ])
  expect(await auth.getAccessToken(new Request(origin), {})).toEqual({
    ok: false,
    reason: 'signed-out',
  })
  // The ledger cannot say that somebody is blocked, and the session is over all the same.
  world.faults.set('document', () => Promise.reject(new Error('The store is down.')))
  const [cookie = ''] = cookies
  const request = new Request(origin, { headers: { cookie } })
  expect(await auth.getAccessToken(request, {})).toEqual({ ok: false, reason: 'signed-out' })
})
