import { expect, it } from 'vitest'
import { ledgerOver } from '../../test-support/ledger-over.js'
import { emptyDatabase } from '../../test-support/sqlite.js'
import { mapRows } from '../memory.js'
import type { Rows } from './rows.js'
import { MAX_REVOCATIONS } from './rules/endings.js'
import { sqliteRows } from './sqlite-rows.js'

const stores: [string, () => Rows][] = [
  ['maps', () => mapRows(() => 1000)],
  ['SQLite', () => sqliteRows(emptyDatabase())],
]

it.each(stores)(
  'more endings than one answer holds come in parts, the oldest first: %s',
  async (_, make) => {
    const rows = make()
    const many = 2 * MAX_REVOCATIONS + 5_000
    // The latest are written first, since the order is by end and not by write.
    for (let count = many - 1; count >= 0; count--) {
      rows.put('revoked', `sid-${count}`, { at: 700 + Math.floor(count / 100), expires: 5000 })
    }
    const ledger = ledgerOver(rows, () => 1_000_000)
    const found = new Set<string>()
    const parts: number[] = []
    let since = 0
    for (let hasMore = true; hasMore && parts.length < 10; ) {
      const part = await ledger.revokedSince(since)
      parts.push(part.sessions.length)
      for (const { sid } of part.sessions) found.add(sid)
      ;({ next: since, hasMore } = part)
    }
    expect(parts).toEqual([MAX_REVOCATIONS, MAX_REVOCATIONS, 5_200])
    expect(found.size).toBe(many)
    expect(since).toBe(995)
  },
)

it.each(stores)('attack: 20,000 deleted documents hide none that is there: %s', async (_, make) => {
  const rows = make()
  for (let count = 0; count < 20_000; count++) {
    const key = `key\nada\n${String(count).padStart(6, '0')}`
    rows.put('documents', key, { version: 2, content: null, expires: 5_000 })
  }
  rows.put('documents', 'key\nada\nz', { version: 1, content: 'x', expires: null })
  const ledger = ledgerOver(rows, () => 1_000_000)
  expect(await ledger.documentsOf('ada', ['key'])).toEqual([
    { key: 'key\nada\nz', version: 1, content: 'x' },
  ])
})

it.each(stores)('50,000 endings in one second hide none that comes after: %s', async (_, make) => {
  const rows = make()
  const many = 50_000
  for (let count = 0; count < many; count++) {
    rows.put('revoked', `sid-${count}`, { at: 700, expires: 5000 })
    rows.put('cutoffs', `sub-${count}`, { until: 700, kept: null, at: 700, expires: 5000 })
  }
  rows.put('revoked', 'the last', { at: 701, expires: 5000 })
  const ledger = ledgerOver(rows, () => 1_000_000)
  const [sids, subs] = [new Set<string>(), new Set<string>()]
  const asked: number[] = []
  for (let since = 0, hasMore = true; hasMore && asked.length < 10; ) {
    asked.push(since)
    const { sessions, users, ...part } = await ledger.revokedSince(since)
    for (const { sid } of sessions) sids.add(sid)
    for (const { sub } of users) subs.add(sub)
    ;({ next: since, hasMore } = part)
  }
  expect([sids.size, subs.size, sids.has('the last')]).toEqual([many + 1, many, true])
  expect(asked).toEqual([0, 700])
})

it.each(stores)(
  'an ending is kept for as long as the longest of its writes: %s',
  async (_, make) => {
    const rows = make()
    const ledger = ledgerOver(rows, () => 100_000)
    for (const until of [500, 900, 700]) {
      await ledger.revoke('sid', until)
      await ledger.cutOff({ sub: 'ada', until: 100 }, until)
    }
    expect(rows.get('revoked', 'sid')?.expires).toBe(900)
    expect(rows.get('cutoffs', 'ada')?.expires).toBe(900)
    // A decision of another object, which may be forgotten sooner.
    await ledger.repeatCutOff('ada', { sub: 'ada', until: 101, expires: 600 })
    expect(rows.get('cutoffs', 'ada')).toMatchObject({ until: 101, kept: null, expires: 900 })
    await ledger.repeatCutOff('eve', { sub: 'eve', until: 101, except: 'one', expires: 600 })
    expect(rows.get('cutoffs', 'eve')).toMatchObject({
      until: 101,
      kept: 'one',
      at: 100,
      expires: 600,
    })
  },
)

it.each(stores)('an earlier cut-off changes no later one: %s', async (_, make) => {
  const rows = make()
  let now = 100_000
  const ledger = ledgerOver(rows, () => now)
  await ledger.cutOff({ sub: 'ada', until: 100, except: 'one' }, 900, 50)
  now += 5_000
  const before = { ...rows.get('cutoffs', 'ada') }
  const asked = { sub: 'ada', until: 99, except: 'other', expires: 950 }
  expect(await ledger.repeatCutOff('ada', asked)).toEqual(asked)
  expect({ ...rows.get('cutoffs', 'ada') }).toEqual(before)
  // The same decision once more changes nothing either.
  await ledger.repeatCutOff('ada', { sub: 'ada', until: 100, except: 'one', expires: 950 })
  expect({ ...rows.get('cutoffs', 'ada') }).toEqual(before)
  // Each of two decisions of one second ends the session that the other one spares.
  await ledger.repeatCutOff('ada', { sub: 'ada', until: 100, except: 'other', expires: 950 })
  const last = { until: 100, kept: null, at: 105, expires: 950 }
  expect(rows.get('cutoffs', 'ada')).toMatchObject(last)
  // No session is spared already, and an ending that is not news is not listed again.
  now += 5_000
  await ledger.repeatCutOff('ada', { sub: 'ada', until: 100, except: 'third', expires: 950 })
  expect(rows.get('cutoffs', 'ada')).toMatchObject(last)
})

it('the next part begins where the first of both kinds of endings breaks off', async () => {
  const rows = mapRows(() => 1000)
  for (let count = 0; count < MAX_REVOCATIONS + 2_000; count++) {
    const at = 700 + Math.floor(count / 1000)
    rows.put('revoked', `sid-${count}`, { at, expires: 5000 })
    const until = 700 + Math.floor(count / 2000)
    rows.put('cutoffs', `sub-${count}`, { until, kept: null, at: until, expires: 5000 })
  }
  expect(await ledgerOver(rows, () => 1_000_000).revokedSince(0)).toMatchObject({ next: 704 })
})

it.each(stores)('a claimed name or a count keeps its own end: %s', async (_, make) => {
  const rows = make()
  const ledger = ledgerOver(rows, () => 100_000)
  await ledger.claimRefresh('sid', 0, 900)
  expect(rows.get('refreshes', 'sid')).toEqual(
    expect.objectContaining({ version: 0, sealed: null, leased_until: 130, expires: 900 }),
  )
  await ledger.settleRefresh('sid', 0, 'sealed')
  expect(rows.get('refreshes', 'sid')).toMatchObject({
    version: 1,
    sealed: 'sealed',
    leased_until: 0,
  })
  await ledger.admit('key', [{ name: 'hourly', max: 3, period: 3600 }])
  await ledger.admit('key', [{ name: 'hourly', max: 3, period: 9 }])
  expect(rows.get('attempts', 'key hourly')).toMatchObject({ count: 2, expires: 3700 })
  await ledger.startVerification('key', { link: 'l', code: 'c', sealed: 's', expires: 900 })
  expect(rows.get('verifications', 'key')).toMatchObject({ wrong: 0, expires: 900 })
})

it.each(stores)('forgiving without a way returns no document: %s', async (_, make) => {
  const ledger = ledgerOver(make(), () => 1_000_000)
  await ledger.changeDocument('way\nundefined', 0, 'somebody’s')
  expect(await ledger.forgive('key', ['hourly'])).toBeUndefined()
})
