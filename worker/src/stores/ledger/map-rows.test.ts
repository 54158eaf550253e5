import { expect, it } from 'vitest'
import { mapRows } from '../memory.js'

it.each([
  ['consumed', 200_000],
  ['revoked', 500_000],
  ['cutoffs', 100_000],
  ['refreshes', 50_000],
  ['documents', 100_000],
] as const)('the table %s has room for %i rows, and the next one fails', (table, most) => {
  const rows = mapRows(() => 0)
  const claimed = { version: 0, sealed: null, leased_until: 0, content: '' }
  const row = { at: 1, until: 1, kept: null, ...claimed, expires: 9 }
  for (let at = 0; at < most; at++) rows.put(table, `${at}`, row)
  expect(() => rows.put(table, 'another', row)).toThrow('no room')
  rows.put(table, '0', { ...row, expires: 10 })
  expect(rows.get(table, '0')).toMatchObject({ expires: 10 })
  expect(rows.get(table, `${most - 1}`)).toBeDefined()
})

it('one of the lowest of 100,001 counts of attempts is forgotten', () => {
  const rows = mapRows(() => 0)
  // A write looks at eight counts, so among any eight there is a low one.
  const countOf = (at: number) => (at % 8 === 5 ? 1 : 9)
  for (let at = 0; at < 100_001; at++) {
    rows.put('attempts', `${at}`, { count: countOf(at), expires: 9 })
  }
  const gone: number[] = []
  for (let at = 0; at < 100_001; at++) if (!rows.get('attempts', `${at}`)) gone.push(at)
  expect(gone.map(countOf)).toEqual([1])
})

it('the oldest of 20,001 mails is forgotten', () => {
  const rows = mapRows(() => 0)
  const mail = { link: 'l', code: 'c', sealed: 's', wrong: 0, expires: 9 }
  for (let at = 0; at < 20_001; at++) rows.put('verifications', `${at}`, mail)
  const gone: number[] = []
  for (let at = 0; at < 20_001; at++) if (!rows.get('verifications', `${at}`)) gone.push(at)
  expect(gone).toEqual([0])
})

it('rows that are over go from every table once a minute, at a call for any', () => {
  let now = 0
  const rows = mapRows(() => now)
  rows.put('attempts', 'ada', { count: 1, expires: 30 })
  rows.put('consumed', 'flow', { expires: 90 })
  now = 60
  rows.get('revoked', 'sid')
  expect(rows.get('attempts', 'ada')).toBeUndefined()
  expect(rows.get('consumed', 'flow')).toBeDefined()
})

it('a row without an end stays, however much is written after it and however late', () => {
  let now = 0
  const rows = mapRows(() => now)
  rows.put('documents', 'ada', { version: 1, content: 'x', expires: null })
  rows.put('documents', 'gone', { version: 2, content: null, expires: 30 })
  for (let at = 0; at < 100; at++) {
    now += 60
    rows.put('documents', `${at}`, { version: 1, content: '', expires: null })
  }
  expect(rows.get('documents', 'ada')).toMatchObject({ content: 'x' })
  expect(rows.get('documents', 'gone')).toBeUndefined()
})
