import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { DamagedRecord } from '../errors.js'
import { fails } from '../test-support/faulty.js'
import { FakeKv } from '../test-support/kv.js'
import { kvSessionStore } from './kv.js'
import type { SessionRecord } from './ports.js'

const start = Date.UTC(2026, 10, 1)
const seconds = start / 1000
const key = 'session:the-sub:the-sid'

const { advance } = clock({ start, timers: true })
const pass = (seconds: number) => advance(seconds * 1000)

const record = (changes: Partial<SessionRecord> = {}): SessionRecord => ({
  sub: 'the-sub',
  sid: 'the-sid',
  provider: 'fake',
  created: seconds,
  updated: seconds,
  expires: seconds + 3600,
  sealed: 'sealed',
  ...changes,
})

function setUp() {
  const kv = new FakeKv()
  return { kv, store: kvSessionStore(kv.at('here')), elsewhere: kvSessionStore(kv.at('elsewhere')) }
}

describe('records in KV', () => {
  it('have keys with the user as prefix, in the documented form', async () => {
    const { kv, store } = setUp()
    await store.put(record())
    expect(kv.keys).toEqual([key])
    expect(JSON.parse(kv.value(key) ?? '')).toEqual({ v: 1, ...record() })
  })

  it('expire with their session, and not earlier than KV allows', async () => {
    const put = vi.fn(async () => {})
    const store = kvSessionStore({ put } as unknown as KVNamespace)
    for (const life of [3600, 10, -10]) await store.put(record({ expires: seconds + life }))
    const ttls = put.mock.calls.map((args: unknown[]) => args[2])
    expect(ttls).toEqual([3600, 60, 60].map((expirationTtl) => ({ expirationTtl })))
  })

  const damaged: [string, string][] = [
    ['an array', '[]'],
    ['a string', '"x"'],
    ['an empty object', '{}'],
    ['a version to come', JSON.stringify({ ...record(), v: 2 })],
    ['no version', JSON.stringify(record())],
    ['the record of another session', JSON.stringify({ v: 1, ...record({ sid: 'other' }) })],
    ['the record of another user', JSON.stringify({ v: 1, ...record({ sub: 'other' }) })],
    ['an end that is text', JSON.stringify({ v: 1, ...record(), expires: '2999' })],
    ['an invalid end', JSON.stringify({ v: 1, ...record(), expires: 1e300 })],
    ['a beginning that no date can hold', JSON.stringify({ v: 1, ...record(), created: 9e15 })],
    ['no seal', JSON.stringify({ v: 1, ...record(), sealed: undefined })],
    ['truncated JSON', '{"v":1,'],
    ['nothing', ''],
  ]

  it.each(damaged)('%s is not a record, and not the end of a session', async (name, value) => {
    const { kv, store } = setUp()
    kv.damaged.set(key, value)
    const kind = name === 'a version to come' ? SyntaxError : DamagedRecord
    await expect(store.get('the-sub', 'the-sid')).rejects.toThrow(kind)
  })

  it.each(damaged)('%s hides no other session of the list', async (_, value) => {
    const { kv, store } = setUp()
    await store.put(record())
    await store.put(record({ sid: 'whole' }))
    await pass(60)
    kv.damaged.set(key, value)
    expect(await store.list('the-sub')).toEqual([record({ sid: 'whole' })])
  })

  it('unknown members are dropped', async () => {
    const { kv, store } = setUp()
    kv.damaged.set(key, JSON.stringify({ v: 1, ...record(), isAdmin: true }))
    expect(await store.get('the-sub', 'the-sid')).toEqual(record())
  })
})

describe('KV that is out of date', () => {
  it('does not show a new record under a key that was just read, and lists it after a minute', async () => {
    const { store, elsewhere } = setUp()
    expect(await elsewhere.get('the-sub', 'the-sid')).toBeUndefined()
    await store.put(record())
    expect(await store.get('the-sub', 'the-sid')).toEqual(record())
    expect(await elsewhere.get('the-sub', 'the-sid')).toBeUndefined()
    expect(await store.list('the-sub')).toEqual([])
    await pass(60)
    expect(await elsewhere.get('the-sub', 'the-sid')).toEqual(record())
    expect(await elsewhere.list('the-sub')).toEqual([record()])
  })

  it('lists a deleted record’s name, which is left out', async () => {
    const { store } = setUp()
    await store.put(record())
    await pass(60)
    await store.delete('the-sub', 'the-sid')
    expect(await store.list('the-sub')).toEqual([])
  })
})

describe('KV that fails', () => {
  it.each(['get', 'list'])('%s: the list is an error, not a shorter list', async (method) => {
    const { kv, store } = setUp()
    await store.put(record())
    await pass(60)
    kv.before.set(method, fails)
    await expect(store.list('the-sub')).rejects.toThrow('down')
  })

  it.each<[string, (set: ReturnType<typeof setUp>) => Promise<void>, string | null]>([
    ['put', ({ store }) => store.put(record({ updated: seconds + 1 })), `${seconds + 1}`],
    ['delete', ({ store }) => store.delete('the-sub', 'the-sid'), null],
  ])('429: %s is tried again after a second', async (_, write, expected) => {
    const set = setUp()
    await set.store.put(record())
    const again = write(set)
    expect(set.kv.value(key)).toContain(`"updated":${seconds}`)
    await pass(1.1)
    await again
    const { updated } = JSON.parse(set.kv.value(key) ?? 'null') ?? {}
    expect(set.kv.value(key) === null ? null : `${updated}`).toBe(expected)
    expect(set.kv.calls).toHaveLength(3)
  })

  it.each(['put', 'delete'] as const)(
    '%s fails for good: an error after two attempts',
    async (name) => {
      const { kv, store } = setUp()
      kv.before.set(name, fails)
      const write = name === 'put' ? store.put(record()) : store.delete('the-sub', 'the-sid')
      const told = expect(write).rejects.toThrow('down')
      await pass(1.1)
      await told
      expect(kv.calls).toHaveLength(2)
    },
  )
})
