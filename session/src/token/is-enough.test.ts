import { describe, expect, test } from 'vitest'
import { acrOf, isEnough, isFresh, lackOf, type SessionNeeds } from './is-enough.js'

const signedIn = 1_800_000_000
/** The clock at this age of the sign-in, in seconds. */
const after = (seconds: number) => (signedIn + seconds) * 1000
const proof = (...amr: string[]) => ({ auth_time: signedIn, amr })

describe('a session is fresh', () => {
  test.each([
    ['at once', 0, 0, true],
    ['after exactly maxAge', 300, 300, true],
    ['within the last second of maxAge', 300.999, 300, true],
    ['not one second later', 301, 300, false],
    ['not a second later if maxAge is 0', 1, 0, false],
    ['after a sign-in in the future', -60, 0, true],
    ['not by a maxAge that is not a number', 1, Number.NaN, false],
    ['not by a maxAge below zero', 0, -1, false],
  ])('%s', (_, age, maxAge, expected) => {
    expect(isFresh(proof('github'), after(age), maxAge)).toBe(expected)
    expect(isEnough(proof('github'), after(age), { maxAge })).toBe(expected)
  })
})

describe('the strength of a sign-in', () => {
  test.each([
    ['an account of a provider', ['github'], '1'],
    ['a password and a code', ['credentials', 'otp', 'mfa'], '2'],
    ['a passkey in a device', ['passkey', 'hwk', 'user'], '2'],
    ['a passkey in a password manager', ['passkey', 'swk', 'user'], '2'],
    ['a passkey and a code', ['passkey', 'hwk', 'otp', 'mfa'], '2'],
    ['a passkey without user verification', ['passkey', 'hwk'], '1'],
    ['a code alone', ['credentials', 'otp'], '1'],
    ['a provider with the id mfa', ['mfa'], '1'],
    ['a provider with the id mfa, after a code', ['mfa', 'otp', 'mfa'], '2'],
    ['a provider with the id passkey', ['passkey'], '1'],
    ['a provider with the id user', ['user'], '1'],
    ['a passkey that does not come first', ['github', 'passkey', 'user'], '1'],
    ['another spelling of mfa', ['github', 'MFA', 'mfa '], '1'],
    ['a list in one member', ['github,mfa', 'otp mfa'], '1'],
  ])('of %s', (_, amr, expected) => {
    expect(acrOf(amr)).toBe(expected)
    expect(isEnough(proof(...amr), after(0), { acr: '2' })).toBe(expected === '2')
    expect(isEnough(proof(...amr), after(0), { acr: '1' })).toBe(true)
  })
})

test('both needs must be met', () => {
  const needs: SessionNeeds = { maxAge: 300, acr: '2' }
  expect(isEnough(proof('passkey', 'hwk', 'user'), after(300), needs)).toBe(true)
  expect(isEnough(proof('passkey', 'hwk', 'user'), after(301), needs)).toBe(false)
  expect(isEnough(proof('github'), after(0), needs)).toBe(false)
})

describe('a bound session', () => {
  const bound = { ...proof('github'), cnf: { jkt: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' } }

  test('is one whose token names a key', () => {
    expect(lackOf(bound, after(1e9), { bound: true })).toBeUndefined()
    expect(lackOf(proof('github'), after(0), { bound: true })).toBe('BoundSessionRequired')
    expect(isEnough(proof('passkey', 'hwk', 'user'), after(0), { bound: true })).toBe(false)
  })

  test.each([{ maxAge: 300 }, { acr: '2' }, { maxAge: 300, acr: '2' }] as const)(
    'has to be fresh first: %j',
    (needs) => {
      const all = { ...needs, bound: true } as const
      expect(lackOf(proof('github'), after(301), all)).toBe('FreshSignInRequired')
      expect(lackOf(bound, after(301), all)).toBe('FreshSignInRequired')
      const best = proof('passkey', 'hwk', 'user')
      expect(lackOf(best, after(0), all)).toBe('BoundSessionRequired')
      expect(lackOf({ ...bound, ...best }, after(0), all)).toBeUndefined()
    },
  )

  test.each([false, null, 1, 'true', {}])('an invalid need is never met: %j', (value) => {
    const needs = { bound: value as unknown as true }
    for (const one of [bound, proof('github')]) expect(isEnough(one, after(0), needs)).toBe(false)
  })
})

test('if nothing is asked, any session suffices', () => {
  for (const needs of [{}, { maxAge: undefined, acr: undefined, bound: undefined }]) {
    expect(isEnough(proof('github'), after(1e9), needs)).toBe(true)
  }
})

test('invalid needs are not fulfilled by the best session', () => {
  const best = proof('passkey', 'hwk', 'user', 'mfa')
  for (const acr of ['3', 'mfa', 'x'] as unknown as SessionNeeds['acr'][]) {
    expect(isEnough(best, after(0), { acr })).toBe(false)
  }
  for (const maxAge of [true, '300', null, [300], {}] as unknown as number[]) {
    expect(isEnough(best, after(0), { maxAge })).toBe(false)
  }
})
