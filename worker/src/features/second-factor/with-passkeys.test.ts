import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { claimsIn, errorOf, locationOf, origin } from '../../test-support/browser.js'
import { passkeyPeople } from '../../test-support/passkeys.js'
import { readableStores } from '../../test-support/readable-stores.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

it('a passkey is never asked for more, whatever the app demands', async () => {
  const asked: unknown[] = []
  const world = passkeyPeople({ secondFactor: (person) => asked.push(person) > 0 })
  const key = world.authenticator()
  const { told } = await world.signUp(key, { name: 'Ada' })
  expect(told).toEqual({ status: 200, url: `${origin}/inbox` })
  const { one } = await world.signInBy(key)
  expect(claimsIn(one).amr).toEqual(['passkey', 'hwk', 'user'])
  expect(asked).toEqual([])
})

it('a user with a passkey and a second factor is asked for it by every other way', async () => {
  const world = passkeyPeople()
  const key = world.authenticator()
  const { one: ada } = await world.signUp(key, { name: 'Ada' })
  pass(2)
  await world.add(ada, 'one', 'ada')
  const { app } = await setUpFactor(ada)
  const { sub } = claimsIn(ada)
  pass(30)
  const { one: by } = await world.signInBy(key)
  expect(claimsIn(by)).toMatchObject({ sub, amr: ['passkey', 'hwk', 'user'] })
  const other = world.browser()
  expect(locationOf(await other.signIn('one', 'ada'))).toBe(`${origin}/auth/factor`)
  await other.submit('/auth/factor', { code: app.code() })
  expect(claimsIn(other)).toMatchObject({ sub, amr: ['one', 'otp', 'mfa'] })
  // A person who has proved themselves by a passkey may change it.
  expect(errorOf(await by.submit('/auth/factor/remove'))).toBe('/auth/account')
})

it('the account page asks a user with one passkey alone for another way, and says that codes are not one', async () => {
  const world = passkeyPeople()
  const { one: ada } = await world.signUp(world.authenticator(), { name: 'Ada' })
  const page = async () => (await ada.get('/auth/account')).text()
  expect(await page()).toContain('A passkey is your only way to sign in')
  await setUpFactor(ada)
  expect(await page()).toContain('A passkey is your only way to sign in')
  pass(2)
  await world.add(ada, 'one', 'ada')
  expect(await page()).not.toContain('A passkey is your only way to sign in')
})

it('nothing is left of an erased person with a passkey and a factor, or of a person they took in', async () => {
  const { inner, stored } = readableStores()
  const world = passkeyPeople({}, { inner })
  // A person who began with a passkey, and has had a factor, is taken in by an account of theirs.
  const key = world.authenticator()
  const { one: other } = await world.signUp(key, { name: 'Bob' })
  pass(2)
  await world.add(other, 'two', 'bob')
  await setUpFactor(other)
  await other.submit('/auth/factor/remove')
  const first = await world.signIn('one', 'ada')
  pass(2)
  await world.takeIn(first, 'two', 'bob')
  const { one: ada } = await world.signInBy(key)
  await setUpFactor(ada)
  const subs = [ada, other].map((one) => claimsIn(one).sub)
  pass(120)
  await createAuth(world.config).deletePerson(subs[0] ?? '', {})
  pass(120)
  for (const sub of subs) expect(stored()).not.toContain(sub)
})
