import { beforeEach, describe, expect, it, vi } from 'vitest'
import { AccessDenied, StoreUnavailable } from '../errors.js'
import { guardedStores } from './guarded-stores.js'
import { kvSessionStore } from './kv.js'
import { memoryStore } from './memory.js'
import type { SessionRecord, SessionStore } from './ports.js'

const start = Date.UTC(2026, 10, 1)
const seconds = start / 1000
const clock = { now: start }
const now = () => clock.now

/** A KV namespace in memory that remembers how it was called. */
function fakeKv() {
  const values = new Map<string, string>()
  const ttls: (number | undefined)[] = []
  const kv = {
    get: async (key: string, type: string) => {
      const value = values.get(key)
      if (value === undefined) return null
      return type === 'json' ? JSON.parse(value) : value
    },
    put: async (key: string, value: string, options: { expirationTtl?: number }) => {
      ttls.push(options.expirationTtl)
      values.set(key, value)
    },
    delete: async (key: string) => {
      values.delete(key)
    },
  }
  return { values, ttls, store: kvSessionStore(kv as unknown as KVNamespace, now) }
}

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

const stores: [string, () => SessionStore][] = [
  ['memory', () => memoryStore(now).sessions],
  ['KV', () => fakeKv().store],
]

describe.each(stores)('the contract of session stores: %s', (_, make) => {
  it('gives back what was put, until it is deleted', async () => {
    const store = make()
    expect(await store.get('the-sub', 'the-sid')).toBeUndefined()
    await store.put(record())
    expect(await store.get('the-sub', 'the-sid')).toEqual(record())
    await store.put(record({ updated: seconds + 1 }))
    expect(await store.get('the-sub', 'the-sid')).toEqual(record({ updated: seconds + 1 }))
    await store.delete('the-sub', 'the-sid')
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
    clock.now = (seconds + 9) * 1000
    expect(await store.get('the-sub', 'the-sid')).toBeDefined()
    clock.now = (seconds + 10) * 1000
    expect(await store.get('the-sub', 'the-sid')).toBeUndefined()
    clock.now = start
  })

  it('holds many sessions', async () => {
    const store = make()
    for (let at = 0; at < 100; at++) await store.put(record({ sid: `sid-${at}` }))
    expect(await store.get('the-sub', 'sid-0')).toBeDefined()
    expect(await store.get('the-sub', 'sid-99')).toBeDefined()
  })
})

describe('the ledger in memory', () => {
  it('consumes a name once, under any parallelism', async () => {
    const { ledger } = memoryStore(now)
    const attempts = Array.from({ length: 50 }, () => ledger.consume('once', seconds + 60))
    expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1)
    expect(await ledger.consume('another', seconds + 60)).toBe(true)
  })

  it('remembers what is revoked until its end, also among many', async () => {
    const { ledger } = memoryStore(now)
    await ledger.revoke('sid', seconds + 3600)
    for (let at = 0; at < 100; at++) await ledger.revoke(`sid-${at}`, seconds + 3600)
    clock.now = (seconds + 3599) * 1000
    await ledger.revoke('late', seconds + 7200)
    expect(await ledger.isRevoked('sid')).toBe(true)
    expect(await ledger.isRevoked('other')).toBe(false)
    clock.now = start
  })

  it('tells what was revoked since a time', async () => {
    const { ledger } = memoryStore(now)
    await ledger.revoke('early', seconds + 3600)
    clock.now = (seconds + 100) * 1000
    await ledger.revoke('late', seconds + 3600)
    const endedSince = async (since: number) =>
      (await ledger.revokedSince(since)).sessions.map(({ sid }) => sid).sort()
    expect(await endedSince(seconds)).toEqual(['early', 'late'])
    expect(await endedSince(seconds + 50)).toEqual(['late'])
    clock.now = start
  })

  it('a session revoked twice stays revoked', async () => {
    const { ledger } = memoryStore(now)
    await ledger.revoke('sid', seconds + 60)
    await ledger.revoke('sid', seconds + 60)
    expect(await ledger.isRevoked('sid')).toBe(true)
  })
})

describe('refreshes in memory', () => {
  beforeEach(() => {
    clock.now = start
  })

  const end = seconds + 3600
  const yours = { state: 'yours' }
  const taken = { state: 'taken' }
  const tokens = (version: number) => ({ version, sealed: `sealed ${version}` })
  const newer = (version: number) => ({ state: 'newer', ...tokens(version) })

  /** A ledger in which a session's tokens were refreshed once. */
  async function refreshed() {
    const { ledger } = memoryStore(now)
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(yours)
    await ledger.settleRefresh('sid', 0, 'sealed 1')
    return ledger
  }

  it('are claimed by one of fifty, and for each session apart', async () => {
    const { ledger } = memoryStore(now)
    const claims = Array.from({ length: 50 }, () => ledger.claimRefresh('sid', 0, end))
    const states = (await Promise.all(claims)).map(({ state }) => state)
    expect(states.sort()).toEqual([...Array(49).fill('taken'), 'yours'])
    expect(await ledger.claimRefresh('other', 0, end)).toEqual(yours)
    expect(await ledger.claimRefresh('__proto__', 0, end)).toEqual(yours)
    expect(await ledger.refreshedTokens('sid')).toBeUndefined()
  })

  it('are somebody else’s to make after thirty seconds', async () => {
    const { ledger } = memoryStore(now)
    await ledger.claimRefresh('sid', 0, end)
    clock.now = (seconds + 29) * 1000
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(taken)
    clock.now = (seconds + 30) * 1000
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(yours)
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(taken)
  })

  it('hand their tokens to who has older ones, and are claimed anew by who has these', async () => {
    const ledger = await refreshed()
    expect(await ledger.refreshedTokens('sid')).toEqual(tokens(1))
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(newer(1))
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual(yours)
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual(taken)
    // They are still the newest, and may last for a while.
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(newer(1))
    await ledger.settleRefresh('sid', 1, 'sealed 2')
    expect(await ledger.claimRefresh('sid', 0, end)).toEqual(newer(2))
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual(newer(2))
  })

  it('that brought nothing may be tried again at once, and lose nothing', async () => {
    const ledger = await refreshed()
    await ledger.claimRefresh('sid', 1, end)
    await ledger.settleRefresh('sid', 1, undefined)
    expect(await ledger.refreshedTokens('sid')).toEqual(tokens(1))
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual(yours)
  })

  it('are settled once, by the version that was claimed', async () => {
    const ledger = await refreshed()
    for (const version of [0, 2, -1, Number.NaN]) {
      await ledger.settleRefresh('sid', version, 'another')
    }
    await ledger.settleRefresh('never-claimed', 0, 'another')
    expect(await ledger.refreshedTokens('sid')).toEqual(tokens(1))
    expect(await ledger.refreshedTokens('never-claimed')).toBeUndefined()
  })

  it('end with their session: nothing is left, claimed or settled any more', async () => {
    const ledger = await refreshed()
    await ledger.claimRefresh('sid', 1, end)
    await ledger.revoke('sid', end)
    await ledger.settleRefresh('sid', 1, 'too late')
    expect(await ledger.refreshedTokens('sid')).toBeUndefined()
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual({ state: 'over' })
    expect(await ledger.claimRefresh('other', 1, end)).toEqual(yours)
  })

  it('give nothing that is over, though it may still be kept', async () => {
    const ledger = await refreshed()
    clock.now = end * 1000
    expect(await ledger.refreshedTokens('sid')).toBeUndefined()
  })

  // A record may have newer tokens than the ledger: it keeps them when a refresh is not settled.
  it('give nobody tokens as newer that are not', async () => {
    const ledger = await refreshed()
    expect(await ledger.claimRefresh('sid', 2, end)).toEqual(yours)
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual(taken)
  })

  it('are not claimed with tokens that are older than what was claimed before', async () => {
    const { ledger } = memoryStore(now)
    expect(await ledger.claimRefresh('sid', 1, end)).toEqual(yours)
    await ledger.settleRefresh('sid', 1, undefined)
    expect(await ledger.claimRefresh('sid', 0, end)).not.toEqual(yours)
  })
})

describe('records in KV', () => {
  it('stand under a key that lists a user’s sessions, and are no credential', async () => {
    const { values, store } = fakeKv()
    await store.put(record())
    expect([...values.keys()]).toEqual(['session:the-sub:the-sid'])
  })

  it('live as long as their session, and never shorter than KV allows', async () => {
    const { ttls, store } = fakeKv()
    await store.put(record({ expires: seconds + 3600 }))
    await store.put(record({ expires: seconds + 10 }))
    await store.put(record({ expires: seconds - 10 }))
    expect(ttls).toEqual([3600, 60, 60])
  })

  it.each([
    ['null', 'null'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['an empty object', '{}'],
    ['an unknown version', JSON.stringify({ v: 2, ...record() })],
    ['no version', JSON.stringify(record())],
    ['the record of another session', JSON.stringify({ v: 1, ...record({ sid: 'other' }) })],
    ['the record of another user', JSON.stringify({ v: 1, ...record({ sub: 'other' }) })],
    ['an end that is text', JSON.stringify({ v: 1, ...record(), expires: '2999' })],
    ['no seal', JSON.stringify({ v: 1, ...record(), sealed: undefined })],
    ['truncated JSON', '{"v":1,'],
  ])('%s is a fault of the store, not the end of a session', async (_, value) => {
    const { values, store } = fakeKv()
    values.set('session:the-sub:the-sid', value)
    if (value === 'null') {
      // KV cannot tell a stored null from no value.
      expect(await store.get('the-sub', 'the-sid')).toBeUndefined()
      return
    }
    await expect(store.get('the-sub', 'the-sid')).rejects.toThrow()
  })

  it('members that are not ours are dropped', async () => {
    const { values, store } = fakeKv()
    values.set('session:the-sub:the-sid', JSON.stringify({ v: 1, ...record(), isAdmin: true }))
    expect(await store.get('the-sub', 'the-sid')).toEqual(record())
  })
})

describe('guarded stores', () => {
  const hang = () => new Promise<never>(() => {})
  const all = (behave: () => Promise<never>) =>
    guardedStores(
      {
        sessions: { get: behave, put: behave, delete: behave, list: behave },
        ledger: {
          consume: behave,
          revoke: behave,
          isRevoked: behave,
          cutOff: behave,
          revokedSince: behave,
          refreshedTokens: behave,
          claimRefresh: behave,
          settleRefresh: behave,
        },
      },
      10,
    )
  const steps = ({ sessions, ledger }: ReturnType<typeof all>) => [
    () => sessions.get('a', 'b'),
    () => sessions.put(record()),
    () => sessions.delete('a', 'b'),
    () => sessions.list('a'),
    () => ledger.consume('a', 1),
    () => ledger.revoke('a', 1),
    () => ledger.isRevoked('a'),
    () => ledger.cutOff({ sub: 'a', until: 1 }, 1),
    () => ledger.revokedSince(1),
    () => ledger.refreshedTokens('a'),
    () => ledger.claimRefresh('a', 0, 1),
    () => ledger.settleRefresh('a', 0, 'sealed'),
  ]

  it.each<[string, () => Promise<never>]>([
    ['hangs', hang],
    ['rejects', () => Promise.reject(new Error('x'))],
    ['rejects with no error', () => Promise.reject('x')],
    [
      'throws at once',
      () => {
        throw new TypeError('x')
      },
    ],
  ])('a store that %s is unavailable, at every step', async (_, behave) => {
    for (const step of steps(all(behave))) await expect(step()).rejects.toThrow(StoreUnavailable)
  })

  it('errors of ours pass as they are', async () => {
    const { sessions } = all(() => Promise.reject(new AccessDenied()))
    await expect(sessions.get('a', 'b')).rejects.toThrow(AccessDenied)
  })

  it('answers pass, with their arguments', async () => {
    const { sessions, ledger } = memoryStore(now)
    const consume = vi.spyOn(ledger, 'consume')
    const guarded = guardedStores({ sessions, ledger })
    expect(await guarded.ledger.consume('x', 5)).toBe(true)
    expect(consume).toHaveBeenCalledWith('x', 5)
  })
})
