import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { claimsIn, errorOf, locationOf } from '../../test-support/browser.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import type { Company } from './types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990, waits: true })

const MFA = { amr: ['pwd', 'mfa'] }

it.each<[string, Company['factors'], Record<string, unknown>, readonly string[]]>([
  ['counts as two', true, MFA, ['company-acme', 'mfa']],
  ['without mfa is one', true, { amr: ['pwd', 'otp'] }, ['company-acme']],
  [
    'with an acr of the list counts as two',
    { acr: ['phr'] },
    { acr: 'phr' },
    ['company-acme', 'mfa'],
  ],
  ['with another acr is one', { acr: ['phr'] }, { acr: 'low', ...MFA }, ['company-acme']],
  ['with a text as amr is one', true, { amr: 'mfa' }, ['company-acme']],
  ['attack: counts for nothing without factors', undefined, MFA, ['company-acme']],
  ['attack: counts for nothing with factors: false', false, MFA, ['company-acme']],
])('the second factors of the provider %s', async (_, factors, claims, amr) => {
  const world = await companyWorld([companyAt('acme', { factors })])
  expect(claimsIn(await world.of('acme', claims)).amr).toEqual(amr)
})

it('no code is asked of a person who has shown two, and one of others', async () => {
  const world = await companyWorld([companyAt('acme', { factors: true })], {
    secondFactor: () => true,
  })
  expect(errorOf(await world.signInBy(world.browser(), 'acme', MFA))).toBe('/inbox')
  expect(errorOf(await world.signInBy(world.browser(), 'acme'))).toBe('/auth/factor/setup')
})

it('a step-up sends max_age, and for acr=2 the list as acr_values; one by another way removes the company', async () => {
  const world = await companyWorld([companyAt('acme', { factors: { acr: ['phr', 'phrh'] } })])
  const one = await world.signIn('one', 'ada')
  await world.comeBack(one, 'acme', await world.startAdding(one, 'company-acme'))
  await world.signInBy(one, 'acme')
  expect(await one.session()).toMatchObject({ company: 'acme' })
  pass(600)
  const start = await one.submit('/auth/signin/company-acme', {
    maxAge: '300',
    acr: '2',
    callbackUrl: '/inbox',
  })
  const { searchParams } = new URL(locationOf(start))
  expect([searchParams.get('max_age'), searchParams.get('acr_values')]).toEqual(['300', 'phr phrh'])
  const auth_time = Math.floor(Date.now() / 1000)
  expect(errorOf(await world.comeBack(one, 'acme', start, { acr: 'phrh', auth_time }))).toBe(
    '/inbox',
  )
  expect(claimsIn(one)).toMatchObject({ amr: ['company-acme', 'mfa'], company: 'acme', auth_time })
})

it('attack: a company’s second factor that does not count: a code of ours is asked, and the session is still the company’s', async () => {
  const world = await companyWorld([companyAt('acme', { only: true })], {
    secondFactor: () => true,
  })
  const one = world.browser()
  expect(errorOf(await world.signInBy(one, 'acme', { ...MFA, sid: 'op-1' }))).toBe(
    '/auth/factor/setup',
  )
  expect(await one.session()).toBeNull()
  const { app } = await setUpFactor(one)
  expect(claimsIn(one)).toMatchObject({ company: 'acme', amr: ['company-acme', 'otp', 'mfa'] })
  pass(60)
  const two = world.browser()
  expect(errorOf(await world.signInBy(two, 'acme', MFA))).toBe('/auth/factor')
  const end = await two.submit('/auth/factor', { code: app.code() })
  expect(errorOf(end)).toBe('/inbox')
  expect(claimsIn(two)).toMatchObject({ company: 'acme', amr: ['company-acme', 'otp', 'mfa'] })
})
