import { describe, expect, test } from 'vitest'
import { claims } from '../test-support/keys.js'
import { sessionClaim, toSession } from './session.js'

const ada = { name: 'Ada', email: null, image: null }
const read = (session: Record<string, unknown>) => toSession({ ...claims, sub: 'ada', session })

describe('user.id that repeats the sub', () => {
  test('is left out of the token, and put back first', () => {
    const session = { plan: 'paid', user: { id: 'ada', ...ada }, last: 1 }
    const claim = sessionClaim(session, 'ada')
    expect(claim).toEqual({ plan: 'paid', user: ada, last: 1 })
    const found = read(claim)
    expect(found).toEqual({ ...session, expires: found.expires })
    expect(Object.keys(found.user ?? {})).toEqual(['id', 'name', 'email', 'image'])
    expect(session.user.id).toBe('ada')
  })

  test('is read from a token that has it, in its own place', () => {
    const found = read({ user: { ...ada, id: 'ada' } })
    expect(found.user).toEqual({ id: 'ada', ...ada })
    expect(Object.keys(found.user ?? {})).toEqual(['name', 'email', 'image', 'id'])
  })
})

describe('the session is unchanged', () => {
  test.each([
    ['an id of the app’s own', { user: { id: 'A-1', ...ada } }],
    ['an id in another case', { user: { id: 'ADA', ...ada } }],
    ['an id that is a number', { user: { id: 7 } }],
    ['an id that is null', { user: { id: null } }],
    ['nobody', {}],
    ['null', { user: null }],
    ['a text', { user: 'ada' }],
    ['a list', { user: [{ id: 'ada' }] }],
    ['an id of the session itself', { id: 'ada' }],
  ])('if the user is %s', (_, session) => {
    expect(sessionClaim(session, 'ada')).toEqual(session)
    expect(read(session)).toEqual({ ...session, expires: '2027-01-16T08:00:00.000Z' })
  })
})

describe('the word that a session is bound', () => {
  const cnf = { jkt: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' }

  test.each([{ user: ada }, { user: { id: 'ada' } }, {}, { bound: 'by the app' }])(
    'is the service’s: %j',
    (session) => {
      expect(toSession({ ...claims, cnf, session })).toMatchObject({ bound: true })
    },
  )

  test('is left out of a session that is not bound, where another member keeps its value', () => {
    expect(read({ user: ada })).not.toHaveProperty('bound')
    // A deployment without the feature may have a member of that name.
    expect(read({ bound: 'by the app' })).toHaveProperty('bound', 'by the app')
  })
})

test('an id on a prototype does not count', () => {
  const user = JSON.parse('{"__proto__":{"id":"admin"},"name":"Ada"}') as object
  expect(read({ user }).user?.id).toBe('ada')
  expect(Object.getPrototypeOf(read({ user }).user)).toBe(Object.prototype)
})

test('a session with its id put back is deeply frozen too', () => {
  const found = read({ user: { ...ada, roles: ['admin'] } })
  expect(Object.isFrozen(found)).toBe(true)
  expect(() => Object.assign(found.user ?? {}, { id: 'eve' })).toThrow(TypeError)
  expect(() => (found.user as unknown as { roles: string[] }).roles.push('x')).toThrow(TypeError)
})
