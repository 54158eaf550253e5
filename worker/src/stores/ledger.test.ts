import { isCutOff } from '@latchkey/session/internal'
import type { UserCutoff } from '@latchkey/session/issue'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeLedgers } from '../test-support/deployment.js'
import { durableLedger } from './durable-ledger.js'
import { memoryStore } from './memory.js'
import type { Ledger } from './ports.js'

const start = Date.UTC(2026, 10, 1)
const now = start / 1000
const end = now + 3600

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: start }))
afterEach(() => void vi.useRealTimers())
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

const sharded = (...shards: number[]) => durableLedger(new FakeLedgers().binding, shards)

const ledgers: [string, () => Ledger][] = [
  ['memory', () => memoryStore().ledger],
  ['one object', () => sharded(1)],
  ['five objects', () => sharded(5)],
  ['one object, five to come', () => sharded(1, 5)],
]

describe.each(ledgers)('the contract of ledgers: %s', (_, make) => {
  const at = (auth_time: number, sub = 'ada') => ({ sub, auth_time })

  it('a name is consumed once, under any parallelism', async () => {
    const ledger = make()
    const attempts = Array.from({ length: 50 }, () => ledger.consume('once', end))
    expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1)
    expect(await ledger.consume('another', end)).toBe(true)
    expect(await ledger.consume('once', end)).toBe(false)
  })

  it('what is revoked stays so until its end, also among many, and others do not become so', async () => {
    const ledger = make()
    await ledger.revoke('sid', end)
    for (let count = 0; count < 100; count++) await ledger.revoke(`sid-${count}`, end)
    pass(3599)
    await ledger.revoke('late', end + 3600)
    expect(await ledger.isRevoked('sid')).toBe(true)
    expect(await ledger.isRevoked('other', at(now))).toBe(false)
  })

  it('a second revocation with an earlier end shortens nothing', async () => {
    const ledger = make()
    await ledger.revoke('sid', end)
    await ledger.revoke('sid', now + 60)
    pass(120)
    for (let count = 0; count < 20; count++) await ledger.revoke(`sid-${count}`, end)
    expect(await ledger.isRevoked('sid')).toBe(true)
  })

  it('a cut-off ends what began by then, of that user, and nothing that begins later', async () => {
    const ledger = make()
    expect(await ledger.cutOff({ sub: 'ada', until: now }, end)).toBe(true)
    expect(await ledger.isRevoked('old', at(now - 3600))).toBe(true)
    expect(await ledger.isRevoked('same second', at(now))).toBe(true)
    expect(await ledger.isRevoked('next second', at(now + 1))).toBe(false)
    expect(await ledger.isRevoked('old', at(now - 3600, 'grace'))).toBe(false)
    expect(await ledger.isRevoked('old', at(now - 3600, 'ad'))).toBe(false)
  })

  it('a cut-off may spare one session, and the next one another', async () => {
    const ledger = make()
    await ledger.cutOff({ sub: 'ada', until: now, except: 'one' }, end, now - 60)
    expect(await ledger.isRevoked('one', at(now - 60))).toBe(false)
    expect(await ledger.isRevoked('two', at(now - 60))).toBe(true)
    const later = { sub: 'ada', until: now + 10, except: 'three' }
    expect(await ledger.cutOff(later, end, now + 5)).toBe(true)
    expect(await ledger.isRevoked('one', at(now - 60))).toBe(true)
    expect(await ledger.isRevoked('two', at(now - 60))).toBe(true)
    expect(await ledger.isRevoked('three', at(now + 5))).toBe(false)
  })

  it('tells what was revoked since a time, and what to ask from next', async () => {
    const ledger = make()
    await ledger.revoke('early', end)
    await ledger.cutOff({ sub: 'early', until: now }, end)
    pass(100)
    await ledger.revoke('late', end)
    await ledger.cutOff({ sub: 'late', until: now + 100, except: 'kept' }, end)
    const since = async (time: number) => {
      const { sessions, users } = await ledger.revokedSince(time)
      // Several objects may say the same.
      const names = [...sessions.map(({ sid }) => sid), ...users.map(({ sub }) => `of ${sub}`)]
      return [...new Set(names)].sort()
    }
    expect(await since(now)).toEqual(['early', 'late', 'of early', 'of late'])
    expect(await since(now + 50)).toEqual(['late', 'of late'])
    const { next, users, hasMore } = await ledger.revokedSince(now + 50)
    expect(users[0]).toEqual({ sub: 'late', until: now + 100, except: 'kept' })
    expect(hasMore).toBe(false)
    await ledger.revoke('same second', end)
    expect(await since(next)).toContain('same second')
    pass(100)
    expect(await since(next + 100)).toEqual([])
  })

  it('names like members of every object are names', async () => {
    const ledger = make()
    for (const name of ['__proto__', 'constructor', '', "'; DROP TABLE consumed; --"]) {
      expect(await ledger.isRevoked(name, at(now, name))).toBe(false)
      expect(await ledger.consume(name, end)).toBe(true)
      await ledger.revoke(name, end)
      expect(await ledger.isRevoked(name)).toBe(true)
    }
  })

  describe('what is over stays over', () => {
    const all: UserCutoff = { sub: 'ada', until: now }
    const sparing = (except: string, until = now) => ({ sub: 'ada', until, except })

    it('a session that was ended does not spare itself', async () => {
      const ledger = make()
      await ledger.cutOff(all, end)
      expect(await ledger.cutOff(sparing('thief', now + 9), end, now - 60)).toBe(false)
      expect(await ledger.isRevoked('thief', at(now - 60))).toBe(true)
      expect(await ledger.isRevoked('owner', at(now + 5))).toBe(false)
    })

    it('a later cut-off by a clock that lags revives nobody', async () => {
      const ledger = make()
      await ledger.cutOff(all, end)
      await ledger.cutOff({ sub: 'ada', until: now - 30 }, end - 100)
      await ledger.cutOff(sparing('new', now - 20), end, now + 5)
      expect(await ledger.isRevoked('old', at(now - 10))).toBe(true)
      expect(await ledger.isRevoked('new', at(now + 5))).toBe(false)
    })

    it('of two sessions that end each other at the same time exactly one goes on', async () => {
      for (let round = 0; round < 20; round++) {
        const ledger = make()
        const names = [`a-${round}`, `b-${round}`, `c-${round}`]
        const began = now - 60
        const cut = names.map((name) => ledger.cutOff(sparing(name), end, began))
        const isDone = await Promise.all(cut)
        const over = await Promise.all(names.map((name) => ledger.isRevoked(name, at(began))))
        expect(isDone.filter(Boolean)).toHaveLength(1)
        expect(over).toEqual(isDone.map((done) => !done))
      }
    })

    it('in whatever order the two kinds come', async () => {
      for (const cutoffs of [
        [all, sparing('one')],
        [sparing('one'), all],
      ]) {
        const ledger = make()
        await Promise.all(cutoffs.map((cutoff) => ledger.cutOff(cutoff, end, now - 60)))
        expect(await ledger.isRevoked('one', at(now - 60))).toBe(true)
        const { users } = await ledger.revokedSince(0)
        expect(users.every((cutoff) => isCutOff({ sid: 'one', auth_time: now }, cutoff))).toBe(true)
      }
    })
  })
})
