import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeKv } from '../test-support/kv.js'
import { kvSessionStore } from './kv.js'
import { memoryStore } from './memory.js'
import { MAX_LISTED, type SessionRecord, type SessionStore } from './ports.js'

const start = Date.UTC(2026, 10, 1)
const seconds = start / 1000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start }))
afterEach(() => void vi.useRealTimers())
const pass = (time: number) => vi.setSystemTime(Date.now() + time * 1000)

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

describe.each<[string, () => SessionStore]>([
  ['memory', () => memoryStore().sessions],
  ['KV', () => kvSessionStore(new FakeKv().at('here'))],
])('the contract of session stores: %s', (_, make) => {
  it('gives back what was put, until it is deleted', async () => {
    const store = make()
    await store.put(record())
    expect(await store.get('the-sub', 'the-sid')).toEqual(record())
    pass(1)
    await store.put(record({ updated: seconds + 1 }))
    expect(await store.get('the-sub', 'the-sid')).toEqual(record({ updated: seconds + 1 }))
    pass(1)
    await store.delete('the-sub', 'the-sid')
    pass(1)
    await store.delete('the-sub', 'the-sid')
    expect(await store.get('the-sub', 'the-sid')).toBeUndefined()
  })

  it('keeps sessions and users apart', async () => {
    const store = make()
    await store.put(record())
    for (const [sub, sid] of [
      ['the-sub', 'other'],
      ['other', 'the-sid'],
      ['', 'the-sid'],
      ['__proto__', 'constructor'],
    ] as const) {
      expect(await store.get(sub, sid)).toBeUndefined()
    }
    await store.delete('other', 'the-sid')
    expect(await store.get('the-sub', 'the-sid')).toEqual(record())
  })

  it('gives nothing that is over, though it may still be kept', async () => {
    const store = make()
    await store.put(record({ expires: seconds + 10 }))
    pass(9)
    expect(await store.get('the-sub', 'the-sid')).toBeDefined()
    pass(1)
    expect(await store.get('the-sub', 'the-sid')).toBeUndefined()
    expect(await store.list('the-sub')).toEqual([])
  })

  it('lists a user’s own sessions, of which there may be many, a hundred at most', async () => {
    const store = make()
    const own = Array.from({ length: 120 }, (_, at) => record({ sid: `sid-${at}` }))
    for (const one of [...own, record({ sub: 'the-su' }), record({ sub: 'the-sub-2' })]) {
      await store.put(one)
    }
    pass(60)
    const listed = await store.list('the-sub')
    expect(listed).toHaveLength(MAX_LISTED)
    expect(new Set(listed.map(({ sid }) => sid)).size).toBe(MAX_LISTED)
    for (const one of listed) expect(own).toContainEqual(one)
    expect(await store.list('the-su')).toEqual([record({ sub: 'the-su' })])
    expect(await store.list('nobody')).toEqual([])
  })
})
