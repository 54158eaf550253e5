import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

/** The calls of both stores that something makes. */
async function callsOf({ calls }: ReturnType<typeof people>, run: () => Promise<unknown>) {
  calls.length = 0
  await run()
  return calls.map(({ name }) => name).filter((name) => name !== 'revokedSince')
}

it('a sign-in without a second factor costs nothing extra, also if the app may demand one', async () => {
  for (const changes of [{}, { secondFactor: () => false }]) {
    const world = people(changes)
    const ada = world.browser()
    const { searchParams } = await ada.start('one')
    const back = `/auth/callback/one?code=ada&state=${searchParams.get('state')}`
    expect(await callsOf(world, () => ada.get(back))).toEqual(['enter', 'put'])
  }
})

it('a sign-in with a second factor makes these calls, as docs/second-factor.md says', async () => {
  const world = people()
  const ada = await world.signIn('one', 'ada')
  const { app } = await setUpFactor(ada)
  pass(30)
  const other = world.browser()
  const { searchParams } = await other.start('one')
  const back = `/auth/callback/one?code=ada&state=${searchParams.get('state')}`
  expect(await callsOf(world, () => other.get(back))).toEqual(['enter', 'startVerification'])
  const csrfToken = await other.csrfToken()
  expect(await callsOf(world, () => other.get('/auth/factor'))).toEqual([])
  expect(
    await callsOf(world, () => other.post('/auth/factor', { csrfToken, code: app.code() })),
  ).toEqual([
    'document', // the person
    'admit',
    'changeDocument', // the code is used up
    'redeemVerification',
    'isRevoked',
    'document', // the way
    'forgive',
    'put', // the session
  ])
})
