import { describe, expect, it } from 'vitest'
import { emptyDatabase } from '../../test-support/sqlite.js'
import { mapRows } from '../memory.js'
import { homeOfDocument, personKeyIn, type Rows, type Table, type Tables } from './rows.js'
import { sqliteRows } from './sqlite-rows.js'

const examples: { readonly [Name in Table]: readonly [Tables[Name], Tables[Name]] } = {
  consumed: [{ expires: 900 }, { expires: 901 }],
  revoked: [
    { at: 1, expires: 900 },
    { at: 2, expires: 901 },
  ],
  cutoffs: [
    { until: 1, kept: null, at: 2, expires: 900 },
    { until: 3, kept: 'sid', at: 4, expires: 901 },
  ],
  stale: [
    { until: 1, own: 0, at: 2, expires: 900 },
    { until: 3, own: 1, at: 4, expires: 901 },
  ],
  refreshes: [
    { version: 0, sealed: null, leased_until: 1, expires: 900 },
    { version: 1, sealed: 'x', leased_until: 0, expires: 901 },
  ],
  attempts: [
    { count: 1, expires: 900 },
    { count: 2, expires: 901 },
  ],
  verifications: [
    { link: 'l', code: 'c', sealed: 's', wrong: 0, expires: 900 },
    { link: 'm', code: 'd', sealed: 't', wrong: 5, expires: 901 },
  ],
  documents: [
    { version: 1, content: 'x', expires: null },
    { version: 2, content: null, expires: 901 },
  ],
  handovers: [
    { count: 4, after: '', others: 0, next: 0, behind: 0, seen: 1, expires: null },
    { count: 4, after: null, others: 3, next: 2, behind: 1, seen: 2, expires: 901 },
  ],
  unhanded: [{ expires: null }, { expires: 901 }],
}
const tables = Object.keys(examples) as Table[]

describe.each<[string, () => Rows]>([
  ['maps', () => mapRows(() => 100)],
  ['SQLite', () => sqliteRows(emptyDatabase())],
])('rows in %s', (_, make) => {
  it.each(tables)(
    'in the table %s are written, replaced, changed and deleted by their key',
    (table) => {
      const rows = make()
      const [one, other] = examples[table]
      expect(rows.get(table, 'a')).toBeUndefined()
      rows.put(table, 'a', one)
      rows.put(table, 'b', other)
      expect([rows.get(table, 'a'), rows.get(table, 'b')].map((row) => ({ ...row }))).toEqual([
        one,
        other,
      ])
      rows.put(table, 'a', other)
      expect({ ...rows.get(table, 'a') }).toEqual(other)
      rows.change(table, 'b', { expires: 905 })
      expect({ ...rows.get(table, 'b') }).toEqual({ ...other, expires: 905 })
      expect({ ...rows.get(table, 'a') }).toEqual(other)
      rows.delete(table, 'a')
      rows.delete(table, 'nobody')
      expect(rows.get(table, 'a')).toBeUndefined()
      expect(rows.get(table, 'b')).toBeDefined()
    },
  )

  it.each(tables)('in the table %s are not made by a change of a missing one', (table) => {
    const rows = make()
    rows.change(table, 'nobody', { expires: 905 })
    expect(rows.get(table, 'nobody')).toBeUndefined()
  })

  it('are in one table only', () => {
    const rows = make()
    for (const table of tables) rows.put(table, 'a', examples[table][0])
    rows.delete('revoked', 'a')
    expect(tables.filter((table) => rows.get(table, 'a') === undefined)).toEqual(['revoked'])
  })

  it.each(tables)('in the table %s are found by the beginning of their key', (table) => {
    const rows = make()
    const row = examples[table][0]
    const keys = [
      'ada',
      'ada\none',
      'ada\n',
      'ada\n\uffff',
      'ada\n\u{10fffe}',
      'ad',
      'adb',
      'Ada\n',
    ]
    for (const key of keys) rows.put(table, key, row)
    expect(new Set(rows.keys(table, 'ada\n'))).toEqual(
      new Set(['ada\none', 'ada\n', 'ada\n\uffff', 'ada\n\u{10fffe}']),
    )
    expect(rows.keys(table, 'nobody')).toEqual([])
  })

  it('with a common beginning of their keys are listed, up to a limit', () => {
    const rows = make()
    const row = (version: number) => ({ version, content: `${version}`, expires: null })
    const keys = ['grant\nada\n', 'grant\nada\none', 'grant\nada\n\u{10fffe}', 'grant\nada', 'a']
    for (const [at, key] of keys.entries()) rows.put('documents', key, row(at))
    const entries = (beginning: string, limit: number) =>
      rows.entries('documents', beginning, limit).map(([key, { version }]) => [key, version])
    expect(new Set(entries('grant\nada\n', 9))).toEqual(
      new Set(keys.slice(0, 3).map((key, at) => [key, at])),
    )
    expect(entries('grant\nada\n', 2)).toHaveLength(2)
    expect(entries('grant\nada\nx', 9)).toEqual([])
    const [[, one] = []] = rows.entries('documents', 'a', 1)
    expect({ ...one }).toMatchObject(row(4))
  })

  it('are listed since a second, that second included, the oldest first and so many at most', () => {
    const rows = make()
    for (const at of [5, 3, 4, 2]) rows.put('revoked', `at ${at}`, { at, expires: 900 })
    rows.put('cutoffs', 'ada', examples.cutoffs[1])
    const since = (at: number, limit: number) =>
      rows.since('revoked', at, limit).map(([key, row]) => [key, row.at])
    expect(since(3, 9)).toEqual([
      ['at 3', 3],
      ['at 4', 4],
      ['at 5', 5],
    ])
    expect(since(0, 2)).toEqual([
      ['at 2', 2],
      ['at 3', 3],
    ])
    expect(since(6, 9)).toEqual([])
    const [[key, row] = []] = rows.since('cutoffs', 4, 9)
    expect([key, row?.until, row?.kept, row?.at]).toEqual(['ada', 3, 'sid', 4])
  })
})

describe('a sweep of SQLite', () => {
  it('deletes rows that are over, a limited number of each table, and says when the next one ends', () => {
    const rows = sqliteRows(emptyDatabase())
    for (const expires of [10, 11, 12, 13]) {
      rows.put('consumed', `name ${expires}`, { expires })
      rows.put('attempts', `key ${expires}`, { count: 1, expires })
    }
    rows.put('revoked', 'sid', { at: 1, expires: 50 })
    const left = () =>
      [10, 11, 12, 13].filter((at) => rows.get('consumed', `name ${at}`) !== undefined)
    expect(rows.sweep(9, 10)).toBe(10)
    expect(left()).toEqual([10, 11, 12, 13])
    expect(rows.sweep(12, 2)).toBe(12)
    expect(left()).toHaveLength(2)
    expect(rows.sweep(12, 2)).toBe(13)
    expect(left()).toEqual([13])
    expect(rows.sweep(13, 2)).toBe(50)
    expect(rows.sweep(50, 2)).toBeUndefined()
    expect(rows.get('attempts', 'key 13')).toBeUndefined()
  })

  it('leaves documents alone, and does not come again for them', () => {
    const rows = sqliteRows(emptyDatabase())
    rows.put('documents', 'here', { version: 1, content: 'x', expires: null })
    rows.put('documents', 'gone', { version: 2, content: null, expires: 50 })
    expect(rows.sweep(49, 10)).toBe(50)
    expect(rows.sweep(50, 10)).toBeUndefined()
    expect(rows.get('documents', 'gone')).toBeUndefined()
    expect(rows.get('documents', 'here')).toMatchObject({ content: 'x' })
  })
})

describe('where documents are', () => {
  it('is decided by the first line behind their kind', () => {
    expect(homeOfDocument('way\nada')).toBe('ada')
    expect(homeOfDocument('connection\nada\none')).toBe('ada')
    expect(homeOfDocument('way\n')).toBe('')
    expect(homeOfDocument('a key without a kind')).toBe('')
  })

  it.each([
    ['{"owner":"ada"}', 'person\nada'],
    ['{"owner":""}', 'person\n'],
    ['{"owner":7}', undefined],
    ['{"owner":["ada"]}', undefined],
    ['{}', undefined],
    ['{"owner"', undefined],
    ['null', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('the person in %j', (content, expected) => {
    expect(personKeyIn(content)).toBe(expected)
  })
})
