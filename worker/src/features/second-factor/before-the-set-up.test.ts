import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { type Browser, claimsIn, errorOf, locationOf, origin } from '../../test-support/browser.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

// A session that began before its person set a second factor up, perhaps a thief's, is fresh for five minutes more.

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

const STEP_UP = `${origin}/auth/signin?maxAge=300&acr=2&callbackUrl=`

async function twoSessions() {
  const world = people({ accountDeletion: true })
  const ada = await world.signIn('one', 'ada')
  pass(2)
  await world.add(ada, 'two', 'ada')
  const thief = await world.signIn('one', 'ada')
  return { world, ada, thief }
}

/** The answer to such a session: JSON for a script, a page for a browser. */
async function expectStepUp(one: Browser, path: string, fields = {}): Promise<void> {
  expect(locationOf(await one.submit(path, fields))).toContain(STEP_UP)
  const answer = await one.submit(path, fields, { accept: 'application/json' })
  expect(answer.status).toBe(401)
  expect(await answer.json()).toMatchObject({ error: 'FreshSignInRequired', acr: '2' })
}

it('attack: a session from before the set-up deletes the account, and the factor with it', async () => {
  const { world, ada, thief } = await twoSessions()
  await setUpFactor(ada)
  await expectStepUp(thief, '/auth/account/delete')
  expect(await world.ways(ada)).toHaveLength(2)
  expect(errorOf(await ada.submit('/auth/account/delete'))).toBe('/auth/account')
})

it('attack: a session from before the set-up removes a way of its person', async () => {
  const { world, ada, thief } = await twoSessions()
  await setUpFactor(ada)
  for (const { id } of await world.ways(thief)) {
    await expectStepUp(thief, '/auth/ways/remove', { way: id })
  }
  expect(await world.ways(ada)).toHaveLength(2)
  const [, two] = await world.ways(ada)
  expect(errorOf(await world.remove(ada, two?.id ?? ''))).toBe('/auth/account')
  expect(await world.ways(ada)).toHaveLength(1)
})

it('attack: a session from before the set-up adds a way to its person', async () => {
  const { world, ada, thief } = await twoSessions()
  await setUpFactor(ada)
  await expectStepUp(thief, '/auth/ways/add', { provider: 'two' })
  expect(await world.ways(ada)).toHaveLength(2)
  expect(errorOf(await world.add(ada, 'one', 'another'))).toBe('/inbox')
})

it('attack: a session adds a way that it began to add before the set-up', async () => {
  const { world, ada, thief } = await twoSessions()
  const start = await world.startAdding(thief, 'one')
  await setUpFactor(ada)
  const answer = await world.comeBack(thief, 'one', start, 'thief')
  expect(errorOf(answer)).toContain('InvalidCheck')
  expect(await world.ways(ada)).toHaveLength(2)
  const other = await world.signIn('one', 'thief')
  expect(claimsIn(other).sub).not.toBe(claimsIn(ada).sub)
})
