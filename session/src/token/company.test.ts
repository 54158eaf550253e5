import { expect, test } from 'vitest'
import { parseClaims } from './claims.js'
import { sessionClaim, toSession } from './session.js'

const claims = {
  iss: 'https://example.com/auth',
  sub: 'ada',
  sid: 'a'.repeat(22),
  iat: 1_000,
  exp: 1_300,
  auth_time: 1_000,
  sexp: 9_000,
  amr: ['company-acme'],
  session: { user: { name: 'Ada' } },
}

test('the claim company is the id of one, or absent', () => {
  expect(parseClaims({ ...claims, company: 'acme-2' })?.company).toBe('acme-2')
  expect(parseClaims(claims)).not.toHaveProperty('company')
})

test.each(['', 'Acme', '1acme', '-acme', 'a_b', 'a'.repeat(33), 7, null, undefined, ['acme'], {}])(
  'attack: a token with another form is refused: %j',
  (company) => {
    expect(parseClaims({ ...claims, company })).toBeUndefined()
  },
)

test('the member of a session is the service’s: a callback’s is dropped', () => {
  const own = { user: { name: 'Ada' }, company: 'evil', role: 'admin' }
  expect(toSession({ ...claims, session: own })).toEqual({
    user: { id: 'ada', name: 'Ada' },
    role: 'admin',
    expires: '1970-01-01T02:30:00.000Z',
  })
  expect(toSession({ ...claims, session: own, company: 'acme' }).company).toBe('acme')
  expect(sessionClaim(own, 'ada')).toEqual({ user: { name: 'Ada' }, role: 'admin' })
})
