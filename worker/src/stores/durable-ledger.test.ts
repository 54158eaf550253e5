import type { UserCutoff } from '@latchkey/session/issue'
import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { FakeLedgers } from '../test-support/deployment.js'
import { durableLedger } from './durable-ledger.js'
import { LOOK_OVERLAP } from './ledger/rules/endings.js'
import type { MailedProof, RevokedLately } from './ledger/types.js'
import { memoryStore } from './memory.js'

const start = Date.UTC(2026, 10, 1)
const now = start / 1000
const end = now + 3600
const names = Array.from({ length: 200 }, (_, at) => `name-${at}`)

clock({ start })

/** The same objects, used by isolates before, during and after a change of their number. */
function changing() {
  const ledgers = new FakeLedgers()
  const seenBy = (...shards: number[]) => durableLedger(ledgers.binding, shards)
  return { ledgers, before: seenBy(1), meanwhile: seenBy(1, 4), after: seenBy(4), seenBy }
}

describe('objects', () => {
  it('one object keeps its name, and several objects share the keys evenly', async () => {
    const { ledgers, before, after } = changing()
    await before.consume('x', end)
    expect([...ledgers.objects.keys()]).toEqual(['ledger'])
    ledgers.calls.length = 0
    await Promise.all(names.map((name) => after.consume(name, end)))
    for (const index of [0, 1, 2, 3]) {
      const share = ledgers.calls.filter((call) => call.startsWith(`ledger-4-${index} `)).length
      expect(share).toBeGreaterThan(names.length / 8)
    }
  })

  it('a refresh is over, not taken, if only the newer objects know that its session ended', async () => {
    const { seenBy } = changing()
    for (const sid of names.slice(0, 20)) {
      const both = seenBy(5, 4)
      expect(await both.claimRefresh(sid, 0, end)).toEqual({ state: 'yours' })
      expect(await both.claimRefresh(sid, 0, end)).toEqual({ state: 'taken' })
      await seenBy(4).revoke(sid, end)
      expect(await both.claimRefresh(sid, 0, end)).toEqual({ state: 'over' })
    }
  })

  it('each question about a session is one call, however many objects there are', async () => {
    const { ledgers, seenBy } = changing()
    const many = seenBy(64)
    await many.isRevoked('sid', { sub: 'ada', auth_time: now })
    await many.consume('x', end)
    await many.revoke('sid', end)
    await many.claimRefresh('sid', 0, end)
    expect(ledgers.calls).toHaveLength(4)
    ledgers.calls.length = 0
    await many.cutOff({ sub: 'ada', until: now }, end)
    expect(new Set(ledgers.calls)).toHaveLength(64)
    expect(ledgers.calls).toHaveLength(64)
  })

  it('one that fails makes the whole call fail, so that no part is taken for all', async () => {
    const { ledgers, seenBy } = changing()
    const four = seenBy(4)
    await Promise.all(names.map((name) => four.revoke(name, end)))
    ledgers.before.set('revokedSince', () => Promise.reject(new Error('overloaded')))
    await expect(four.revokedSince(0)).rejects.toThrow('overloaded')
  })
})

describe('a change of their number', () => {
  it('loses no revocation, cut-off or consumed name, from before or meanwhile', async () => {
    const { before, meanwhile, after } = changing()
    for (const name of names) {
      await before.revoke(`before-${name}`, end)
      await before.consume(`before-${name}`, end)
      await meanwhile.revoke(`meanwhile-${name}`, end)
      await meanwhile.consume(`meanwhile-${name}`, end)
      await after.revoke(`after-${name}`, end)
    }
    await before.cutOff({ sub: 'ada', until: now }, end)
    await meanwhile.cutOff({ sub: 'grace', until: now }, end)
    const [ada, grace] = ['ada', 'grace'].map((sub) => ({ sub, auth_time: now }))
    for (const name of names) {
      expect(await meanwhile.isRevoked(`before-${name}`)).toBe(true)
      expect(await meanwhile.consume(`before-${name}`, end)).toBe(false)
      expect(await meanwhile.isRevoked(`after-${name}`)).toBe(true)
      expect(await meanwhile.isRevoked(name, ada)).toBe(true)
      for (const later of [meanwhile, after]) {
        expect(await later.isRevoked(`meanwhile-${name}`)).toBe(true)
        expect(await later.consume(`meanwhile-${name}`, end)).toBe(false)
        expect(await later.isRevoked(name, grace)).toBe(true)
      }
    }
    // An isolate with the old number still sees the endings.
    expect(await before.isRevoked(`meanwhile-${names[0]}`)).toBe(true)
    expect(await before.isRevoked('x', grace)).toBe(true)
    const ended = new Set((await meanwhile.revokedSince(0)).sessions.map(({ sid }) => sid))
    expect(ended.size).toBe(names.length * 3)
  })

  it.each([
    ['the old number and both', (set: ReturnType<typeof changing>) => [set.before, set.meanwhile]],
    ['both and the new number', (set: ReturnType<typeof changing>) => [set.meanwhile, set.after]],
  ])('consumes a name once while isolates have %s', async (_, seen) => {
    for (const name of names) {
      const isolates = seen(changing())
      const callers = [...isolates, ...isolates]
      const attempts = callers.map((ledger) => ledger.consume(name, end))
      expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1)
    }
  })

  it('grants one refresh while isolates have the old number and both, and the newest tokens win', async () => {
    for (const sid of names) {
      const { before, meanwhile, after } = changing()
      const claims = [before, meanwhile, before, meanwhile].map((ledger) =>
        ledger.claimRefresh(sid, 0, end),
      )
      const states = (await Promise.all(claims)).map(({ state }) => state)
      expect(states.sort()).toEqual(['taken', 'taken', 'taken', 'yours'])
      await meanwhile.settleRefresh(sid, 0, 'second')
      const second = { version: 1, sealed: 'second' }
      expect(await before.refreshedTokens(sid)).toEqual(second)
      expect(await meanwhile.refreshedTokens(sid)).toEqual(second)
      await before.claimRefresh(sid, 1, end)
      await before.settleRefresh(sid, 1, 'third')
      expect(await meanwhile.refreshedTokens(sid)).toEqual({ version: 2, sealed: 'third' })
      expect(await meanwhile.claimRefresh(sid, 2, end)).toEqual({ state: 'yours' })
      await meanwhile.settleRefresh(sid, 2, 'fourth')
      expect(await after.refreshedTokens(sid)).toEqual({ version: 3, sealed: 'fourth' })
      await before.claimRefresh(sid, 3, end)
      await before.settleRefresh(sid, 3, 'fifth')
      expect(await meanwhile.refreshedTokens(sid)).toEqual({ version: 4, sealed: 'fifth' })
    }
  })
})

describe('a cut-off that is repeated', () => {
  const cutoff = { sub: 'ada', until: now, except: 'one' }
  const began = (auth_time: number) => ({ sub: 'ada', auth_time })

  /** An object that missed the cut-off, or has another one. */
  async function missed(
    changes: { until?: number; except?: string | undefined } | undefined,
    shards = [4],
  ) {
    const { ledgers, seenBy } = changing()
    const all = seenBy(...shards)
    await all.cutOff(cutoff, end, now - 60)
    const [name = ''] = ledgers.objects.keys()
    const other = [...ledgers.objects.keys()].find((one) => one !== name) ?? ''
    const object = memoryStore().ledger
    if (changes) await object.cutOff({ ...cutoff, ...changes } as UserCutoff, end, now - 60)
    ledgers.objects.set(other, object)
    const decided = await all.repeatCutOff?.('ada')
    const isOver = (sid: string, at = now) => object.isRevoked(sid, began(at))
    return { decided, isOver, object, all }
  }

  it('reaches the object that missed it, and spares the session that it spared', async () => {
    const { decided, isOver } = await missed(undefined)
    expect(decided).toEqual({ ...cutoff, expires: end })
    expect([await isOver('one'), await isOver('two'), await isOver('two', now + 1)]).toEqual([
      false,
      true,
      false,
    ])
  })

  it('moves no time back', async () => {
    const { isOver } = await missed({ until: now + 10 })
    expect([await isOver('two', now + 10), await isOver('one', now + 10)]).toEqual([true, false])
  })

  it('spares no session if another one of the same second spares a different one', async () => {
    for (const except of ['two', undefined]) {
      const { isOver } = await missed({ except })
      expect([await isOver('one'), await isOver('two')]).toEqual([true, true])
    }
  })

  it('spares no session if both numbers of objects disagree', async () => {
    const { ledgers, seenBy } = changing()
    await seenBy(1).cutOff(cutoff, end, now - 60)
    await seenBy(4).cutOff({ ...cutoff, until: now - 5, except: 'two' }, end, now - 60)
    await seenBy(1, 4).repeatCutOff?.('ada')
    for (const object of ledgers.objects.values()) {
      for (const sid of ['one', 'two']) {
        expect(await object.isRevoked(sid, began(now - 60))).toBe(true)
      }
    }
  })

  it('is kept for the longest time that any number of objects heard', async () => {
    const { seenBy } = changing()
    await seenBy(4).cutOff({ sub: 'ada', until: now }, end + 100)
    await seenBy(5, 4).cutOff({ sub: 'ada', until: now }, end)
    expect(await seenBy(5, 4).repeatCutOff?.('ada')).toMatchObject({ expires: end + 100 })
  })

  it('is missing while both numbers have none', async () => {
    const { ledgers, seenBy } = changing()
    expect(await seenBy(4).repeatCutOff?.('ada')).toBeUndefined()
    expect(ledgers.calls).toHaveLength(1)
  })

  it('is written once', async () => {
    const { object, all } = await missed(undefined)
    const before = await object.revokedSince(0)
    vi.advanceTimersByTime(60_000)
    await all.repeatCutOff?.('ada')
    expect(await object.revokedSince(now + 30)).toMatchObject({ users: [] })
    expect(before.users).toHaveLength(1)
  })
})

it('a session that its own object knows to be over spares no session by a cut-off that it began before', async () => {
  for (const shards of [[4], [1, 4], [4, 5]]) {
    const { ledgers, seenBy } = changing()
    const all = seenBy(...shards)
    await all.revokedSince(0)
    await all.revoke('thief', end)
    const isDone = await all.cutOff({ sub: 'ada', until: now, except: 'thief' }, end, now - 60)
    if (!isDone) continue
    for (const object of ledgers.objects.values()) {
      expect(await object.isRevoked('any', { sub: 'ada', auth_time: now })).toBe(true)
    }
  }
})

describe('while two numbers of objects differ', () => {
  it.each([
    ['the old number', [1], [4]],
    ['the new one', [4], [1]],
  ])('the later cut-off is the one that is repeated: %s has it', async (_, later, earlier) => {
    const { seenBy } = changing()
    await seenBy(...earlier).cutOff({ sub: 'ada', until: now - 10 }, end)
    await seenBy(...later).cutOff({ sub: 'ada', until: now }, end)
    expect(await seenBy(1, 4).repeatCutOff?.('ada')).toMatchObject({ until: now })
    expect(await seenBy(...earlier).isRevoked('x', { sub: 'ada', auth_time: now })).toBe(true)
  })

  it.each([
    ['the old number alone', [1], [], 1],
    ['the new one alone', [4], [], 1],
    ['the old number', [1], [4], 2],
    ['the new one', [4], [1], 2],
  ])('the newest tokens are found: %s has them', async (_, newest, older, version) => {
    const { seenBy } = changing()
    const refresh = async (shards: readonly number[], upTo: number) => {
      for (let at = 0; at < upTo && shards.length > 0; at++) {
        await seenBy(...shards).claimRefresh('sid', at, end)
        await seenBy(...shards).settleRefresh('sid', at, `tokens ${at + 1} of ${shards}`)
      }
    }
    await refresh(older, version - 1)
    await refresh(newest, version)
    const found = { version, sealed: `tokens ${version} of ${newest}` }
    expect(await seenBy(1, 4).refreshedTokens('sid')).toEqual(found)
  })

  it('a mail that is new ends an earlier one under each of three numbers', async () => {
    const { seenBy } = changing()
    const mailed = (link: string) => ({ link, code: 'c', sealed: link, expires: end })
    await seenBy(1, 4).startVerification('email:ada', mailed('one'))
    await seenBy(1, 4, 5).startVerification('email:ada', mailed('two'))
    expect(await seenBy(1, 4).findVerification('email:ada', 'one')).toBeUndefined()
    expect(await seenBy(1, 4, 5).findVerification('email:ada', 'two')).toBe('two')
  })
})

it('a cut-off that is repeated asks each object once', async () => {
  const { ledgers, seenBy } = changing()
  await seenBy(4).cutOff({ sub: 'ada', until: now }, end)
  const asked = ledgers.count('cutOff')
  await seenBy(4).repeatCutOff?.('ada')
  expect(ledgers.count('repeatCutOff')).toBe(asked)
})

it('a session that is spared goes on, in whatever object it is', async () => {
  const { ledgers, seenBy } = changing()
  const four = seenBy(4)
  const spared = names.slice(0, 20)
  for (const [at, except] of spared.entries()) {
    const sub = `person ${at}`
    await four.cutOff({ sub, until: now, except }, end, now - 60)
    expect(await four.isRevoked(except, { sub, auth_time: now - 60 })).toBe(false)
    expect(await four.isRevoked(`other than ${except}`, { sub, auth_time: now - 60 })).toBe(true)
  }
  // Nobody was refused, so no object was asked a second time.
  const [, ...rest] = ledgers.calls.filter((call) => call.endsWith(' cutOff'))
  expect(rest.length + 1).toBeLessThanOrEqual(4 * spared.length)
})

it('an object that knows the spared session to be over by itself ends all others of its person', async () => {
  const { ledgers, seenBy } = changing()
  const four = seenBy(4)
  for (const [at, except] of names.slice(0, 30).entries()) {
    const sub = `person ${at}`
    await four.revoke(except, end)
    // The session is in another object than its person’s, which would refuse.
    expect(await four.cutOff({ sub, until: now, except }, end, now - 60)).toBe(true)
    for (const object of ledgers.objects.values()) {
      expect(await object.isRevoked('any', { sub, auth_time: now })).toBe(true)
    }
  }
})

describe('the recent endings', () => {
  it('are complete up to the time of the slowest clock, and have more if any object has more', async () => {
    const answers: RevokedLately[] = [40, 10, 30, 20].map((ago) => {
      return { sessions: [], users: [], next: now - ago, hasMore: ago === 20 }
    })
    const binding = {
      idFromName: (name: string) => Number(name.at(-1)),
      get: (index: number) => ({ revokedSince: async () => answers[index] }),
    }
    const { next, hasMore } = await durableLedger(binding as never, [4]).revokedSince(0)
    expect([next, hasMore]).toEqual([now - 40, true])
  })

  it('overlap with the next query', async () => {
    const { after } = changing()
    expect((await after.revokedSince(0)).next).toBe(now - LOOK_OVERLAP)
  })
})

describe('a mail, while one object becomes five', () => {
  const keys = [
    'email:ada',
    'email:grace',
    'email:bob',
    'email:eve',
    'email:mallory',
    '',
    '__proto__',
  ]
  const mailed = (name = '1'): MailedProof => ({
    link: `link-${name}`,
    code: `code-${name}`,
    sealed: `sealed-${name}`,
    expires: now + 600,
  })
  const redeemed = (name = '1') => ({ state: 'redeemed', sealed: `sealed-${name}` })

  it('that an isolate with the old number sent is redeemed once by isolates with both', async () => {
    for (const key of keys) {
      const { binding } = new FakeLedgers()
      await durableLedger(binding, [1]).startVerification(key, mailed())
      const both = durableLedger(binding, [1, 5])
      expect(await both.findVerification(key, 'link-1')).toBe('sealed-1')
      const tries = Array.from({ length: 20 }, (__, at) =>
        both.redeemVerification(key, at % 2 ? { link: 'link-1' } : { code: 'code-1' }),
      )
      const states = (await Promise.all(tries)).map(({ state }) => state)
      expect(states.filter((state) => state === 'redeemed')).toHaveLength(1)
    }
  })

  it('that is new ends an earlier one under the old number, for either kind of isolate', async () => {
    for (const key of keys) {
      const { binding } = new FakeLedgers()
      const [old, both] = [durableLedger(binding, [1]), durableLedger(binding, [1, 5])]
      await old.startVerification(key, mailed('1'))
      await both.startVerification(key, mailed('2'))
      expect(await old.redeemVerification(key, { link: 'link-1' })).toEqual({ state: 'over' })
      expect(await both.redeemVerification(key, { link: 'link-1' })).toEqual({ state: 'over' })
      expect(await both.redeemVerification(key, { link: 'link-2' })).toEqual(redeemed('2'))
    }
  })

  it('that is withdrawn is withdrawn in both places', async () => {
    for (const key of keys) {
      const { binding } = new FakeLedgers()
      const [old, both] = [durableLedger(binding, [1]), durableLedger(binding, [1, 5])]
      await old.startVerification(key, mailed())
      await both.withdrawVerification(key, 'link-1')
      expect(await old.findVerification(key, 'link-1')).toBeUndefined()
    }
  })

  it('that was sent under the old number counts wrong codes too', async () => {
    for (const key of keys) {
      const { binding } = new FakeLedgers()
      await durableLedger(binding, [1]).startVerification(key, mailed())
      const both = durableLedger(binding, [1, 5])
      const states: string[] = []
      for (let count = 0; count < 6; count++) {
        states.push((await both.redeemVerification(key, { code: 'x' })).state)
      }
      expect(states).toEqual([...Array.from({ length: 4 }, () => 'wrong'), 'spent', 'spent'])
    }
  })
})
