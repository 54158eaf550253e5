import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { secret } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { importing } from '../../test-support/importing.js'
import { people } from '../../test-support/people.js'

const { pass } = clock()

const ADA = [
  ['old-ada', 'one', 'ada'],
  ['old-ada', 'two', 'lovelace'],
] as const

const DAY = 86_400

it('imported accounts do not stay without a name forever: each has one from its next sign-in on', async () => {
  const { bring, signIn, browser, ways } = importing()
  await bring(...ADA)
  const ada = await signIn('one', 'ada', browser())
  expect(await ways(ada)).toMatchObject([{ name: 'ada at one' }, { name: null }])
  const later = await signIn('two', 'lovelace', browser())
  expect(await ways(later)).toMatchObject([{ name: 'ada at one' }, { name: 'lovelace at two' }])
})

it('for a person who was imported with one account, too', async () => {
  const { bring, signIn, browser, ways } = importing()
  await bring(ADA[0])
  expect(await ways(await signIn('one', 'ada', browser()))).toMatchObject([{ name: 'ada at one' }])
})

it('the address that an imported account vouches for gets notices of changes from then on', async () => {
  const profiles = { ada: { email: 'ada@example.com', email_verified: true } }
  const { bring, signIn, browser, remove, ways, mails } = importing(undefined, {}, {}, profiles)
  await bring(...ADA)
  const ada = await signIn('one', 'ada', browser())
  const [, other] = await ways(ada)
  await remove(ada, other?.id ?? '')
  expect(mails.map(({ identifier }) => identifier)).toContain('ada@example.com')
})

it('a second sign-in on the same day writes nothing', async () => {
  const { bring, signIn, browser, calls } = importing()
  await bring(ADA[0])
  await signIn('one', 'ada', browser())
  calls.length = 0
  await signIn('one', 'ada', browser())
  expect(calls.filter(({ name }) => name === 'changeDocument')).toEqual([])
  pass(DAY)
  await signIn('one', 'ada', browser())
  expect(calls.filter(({ name }) => name === 'changeDocument')).toHaveLength(1)
})

it('a name that its person has is not written over: some providers tell it once', async () => {
  const profiles: Record<string, Record<string, unknown>> = {}
  const { signIn, add, browser, ways } = people({}, { profiles })
  const ada = await signIn('one', 'ada')
  await add(ada, 'two', 'lovelace')
  profiles.lovelace = { name: null }
  pass(DAY)
  const later = await signIn('two', 'lovelace', browser())
  expect(await ways(later)).toMatchObject([{ name: 'ada at one' }, { name: 'lovelace at two' }])
})

it('a name whose secret is retired comes back with the next sign-in by its way', async () => {
  const before = people()
  await before.add(await before.signIn('one', 'ada'), 'two', 'lovelace')
  const { signIn, browser, ways } = people({ secret: `another-${secret}` }, before)
  expect(await ways(await signIn('two', 'lovelace', browser()))).toMatchObject([
    { name: null },
    { name: null },
  ])
  pass(DAY)
  expect(await ways(await signIn('two', 'lovelace', browser()))).toMatchObject([
    { name: null },
    { name: 'lovelace at two' },
  ])
})

it('if the ledger fails at it, the user is signed in, without a name', async () => {
  const { bring, signIn, browser, faults, errors } = importing()
  await bring(ADA[0])
  faults.set('changeDocument', fails)
  const ada = await signIn('one', 'ada', browser())
  expect(await ada.session()).not.toBeNull()
  expect(errors).toHaveLength(1)
})
