import { expect, it } from 'vitest'
import { namedStoreIn, openNamedStore } from './named-store.js'

const PASSWORD = 'p4ssw0rd-of-the-store'

it.each([
  ['file:sessions.db', 'sqlite'],
  ['file:/var/lib/app/sessions.db', 'sqlite'],
  ['file:///var/lib/app/sessions.db', 'sqlite'],
  [`postgres://app:${PASSWORD}@db.internal:5432/app?sslmode=require`, 'postgres'],
  [`postgresql://app:${PASSWORD}@db.internal/app`, 'postgres'],
  ['postgres:///app?host=/var/run/postgresql', 'postgres'],
  [`redis://:${PASSWORD}@cache.internal:6379/2`, 'redis'],
  [`rediss://app:${PASSWORD}@cache.internal`, 'redis'],
])('AUTH_STORE may be %s', (value, kind) => {
  expect(namedStoreIn({ AUTH_STORE: value })).toEqual({ kind, value })
})

it.each([{}, { AUTH_STORE: '' }, { AUTH_STORE: undefined }])('%o names no store', (env) => {
  expect(namedStoreIn(env)).toBeUndefined()
})

it.each([
  'file:',
  'sessions.db',
  'memory',
  ' file:sessions.db',
  'FILE:sessions.db',
  'postgres:app',
  `mysql://app:${PASSWORD}@db.internal/app`,
  `https://app:${PASSWORD}@db.internal/app`,
  `postgres://app:${PASSWORD}#1@db.internal:5432/app`,
  `redis://:${PASSWORD}/x@cache.internal:port`,
  `redis:${PASSWORD}`,
])('AUTH_STORE that is %s is refused by name, and its password is not shown', (value) => {
  const refused = () => namedStoreIn({ AUTH_STORE: value })
  expect(refused).toThrow(/^AUTH_STORE must be file:<path>/)
  expect(refused).not.toThrow(PASSWORD)
})

it.each([
  [
    Object.assign(new Error(`Cannot find ${PASSWORD}`), { code: 'ERR_MODULE_NOT_FOUND' }),
    'npm install @latchkey/worker',
  ],
  [
    Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: PASSWORD }),
    'ERR_INVALID_URL',
  ],
  [PASSWORD, 'could not be loaded'],
])(
  'a store that cannot be loaded is said by AUTH_STORE, without what the fault says: %s',
  async (fault, said) => {
    const named = { kind: 'postgres', value: `postgres://app:${PASSWORD}@db.internal/app` } as const
    const opening = openNamedStore(named, () => Promise.reject(fault))
    const error = await opening.then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    expect(error?.message).toContain('AUTH_STORE cannot be used.')
    expect(error?.message).toContain(said)
    expect([error?.message, error?.stack, JSON.stringify(error)].join()).not.toContain(PASSWORD)
  },
)
