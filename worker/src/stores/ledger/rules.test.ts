import { expect, it } from 'vitest'
import { emptyDatabase } from '../../test-support/sqlite.js'
import { mapRows } from './map-rows.js'
import type { Rows } from './rows.js'
import { ledgerOver, MAX_ENDINGS } from './rules.js'
import { sqliteRows } from './sqlite-rows.js'

const stores: [string, () => Rows][] = [
  ['maps', () => mapRows(() => 1000)],
  ['SQLite', () => sqliteRows(emptyDatabase())],
]

it.each(stores)(
  'more endings than one answer holds come in parts, the oldest first: %s',
  async (_, make) => {
    const rows = make()
    const many = 2 * MAX_ENDINGS + 5_000
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
    expect(parts).toEqual([MAX_ENDINGS, MAX_ENDINGS, 5_200])
    expect(found.size).toBe(many)
    expect(since).toBe(995)
  },
)

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
