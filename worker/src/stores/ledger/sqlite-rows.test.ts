import { describe, expect, it } from 'vitest'
import { ledgerOver } from '../../test-support/ledger-over.js'
import { emptyDatabase } from '../../test-support/sqlite.js'
import { type RunSql, sqliteRows } from './sqlite-rows.js'

/** The statements by which the Worker of version 0.1.0 made its tables. */
const FIRST_SCHEMA = [
  'CREATE TABLE consumed (name TEXT PRIMARY KEY, expires INTEGER NOT NULL) WITHOUT ROWID',
  'CREATE TABLE revoked (sid TEXT PRIMARY KEY, at INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID',
  'CREATE TABLE cutoffs (sub TEXT PRIMARY KEY, until INTEGER NOT NULL, kept TEXT, at INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID',
  'CREATE TABLE refreshes (sid TEXT PRIMARY KEY, version INTEGER NOT NULL, sealed TEXT, leased_until INTEGER NOT NULL, expires INTEGER NOT NULL)',
  'CREATE TABLE attempts (name TEXT PRIMARY KEY, count INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID',
  'CREATE TABLE verifications (key TEXT PRIMARY KEY, link TEXT NOT NULL, code TEXT NOT NULL, sealed TEXT NOT NULL, wrong INTEGER NOT NULL, expires INTEGER NOT NULL)',
  'CREATE INDEX revoked_at ON revoked (at)',
  'CREATE INDEX cutoffs_at ON cutoffs (at)',
  'CREATE INDEX consumed_end ON consumed (expires)',
  'CREATE INDEX revoked_end ON revoked (expires)',
  'CREATE INDEX cutoffs_end ON cutoffs (expires)',
  'CREATE INDEX refreshes_end ON refreshes (expires)',
  'CREATE INDEX attempts_end ON attempts (expires)',
  'CREATE INDEX verifications_end ON verifications (expires)',
]

/** The columns of documents, which came later. A row without an end costs no entry of the index. */
const DOCUMENTS = [
  'CREATE TABLE documents (key TEXT PRIMARY KEY, version INTEGER NOT NULL, content TEXT, expires INTEGER)',
  'CREATE INDEX documents_end ON documents (expires) WHERE expires IS NOT NULL',
]

/** The documents that old objects have handed over, and have yet to, when the number of objects changes. */
const HANDOVERS = [
  'CREATE TABLE handovers (key TEXT PRIMARY KEY, count INTEGER NOT NULL, after TEXT, others INTEGER NOT NULL, next INTEGER NOT NULL, behind INTEGER NOT NULL, seen INTEGER NOT NULL, expires INTEGER) WITHOUT ROWID',
  'CREATE INDEX handovers_end ON handovers (expires) WHERE expires IS NOT NULL',
  'CREATE TABLE unhanded (key TEXT PRIMARY KEY, expires INTEGER) WITHOUT ROWID',
  'CREATE INDEX unhanded_end ON unhanded (expires) WHERE expires IS NOT NULL',
]

/** The people and sessions whose tokens are to be renewed. A later version added the table. */
const STALE = [
  'CREATE TABLE stale (name TEXT PRIMARY KEY, until INTEGER NOT NULL, own INTEGER NOT NULL, at INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID',
  'CREATE INDEX stale_at ON stale (at)',
  'CREATE INDEX stale_end ON stale (expires)',
]

function schemaIn(run: RunSql): string[] {
  return run('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL').map(({ sql }) => String(sql))
}

describe('tables', () => {
  it('are made as the first version made them, and those that came later beside them', () => {
    const run = emptyDatabase()
    sqliteRows(run)
    const all = [...FIRST_SCHEMA, ...DOCUMENTS, ...HANDOVERS, ...STALE]
    expect(schemaIn(run).toSorted()).toEqual(all.toSorted())
  })

  it('that exist are used unchanged, with their rows', async () => {
    const run = emptyDatabase()
    for (const statement of FIRST_SCHEMA) run(statement)
    const before = schemaIn(run)
    run("INSERT INTO consumed VALUES ('flow:a', 900)")
    run("INSERT INTO revoked VALUES ('sid', 90, 900)")
    run("INSERT INTO cutoffs VALUES ('ada', 80, 'kept', 95, 900), ('grace', 70, NULL, 96, 900)")
    run("INSERT INTO refreshes VALUES ('one', 2, 'sealed', 0, 900), ('two', 0, NULL, 130, 900)")
    run("INSERT INTO attempts VALUES ('key hourly', 3, 160)")
    run("INSERT INTO verifications VALUES ('email:ada', 'link', 'code', 'sealed', 4, 900)")
    const ledger = ledgerOver(sqliteRows(run), () => 100_000)
    expect(schemaIn(run).slice(0, before.length)).toEqual(before)
    expect(await ledger.consume('flow:a', 900)).toBe(false)
    expect(await ledger.isRevoked('sid')).toBe(true)
    expect(await ledger.isRevoked('x', { sub: 'ada', auth_time: 80 })).toBe(true)
    expect(await ledger.isRevoked('kept', { sub: 'ada', auth_time: 80 })).toBe(false)
    expect(await ledger.revokedSince(90)).toEqual({
      sessions: [{ sid: 'sid', at: 90 }],
      users: [
        { sub: 'ada', until: 80, except: 'kept' },
        { sub: 'grace', until: 70 },
      ],
      next: 95,
      hasMore: false,
    })
    expect(await ledger.refreshedTokens('one')).toEqual({ version: 2, sealed: 'sealed' })
    expect(await ledger.claimRefresh('two', 0, 900)).toEqual({ state: 'taken' })
    expect(await ledger.admit('key', [{ name: 'hourly', max: 3, period: 3600 }])).toBe(60)
    expect(await ledger.redeemVerification('email:ada', { code: 'x' })).toEqual({ state: 'spent' })
    const redeemed = { state: 'redeemed', sealed: 'sealed' }
    expect(await ledger.redeemVerification('email:ada', { link: 'link' })).toEqual(redeemed)
  })
})

describe('statements', () => {
  it('all find their rows by an index', async () => {
    const run = emptyDatabase()
    const asked = new Set<string>()
    const rows = sqliteRows((statement, ...values) => {
      asked.add(statement)
      return run(statement, ...values)
    })
    asked.clear()
    const ledger = ledgerOver(rows, () => 100_000)
    await ledger.consume('name', 900)
    await ledger.revoke('sid', 900)
    await ledger.cutOff({ sub: 'ada', until: 100, except: 'kept' }, 900, 90)
    await ledger.claimRefresh('other', 0, 900)
    await ledger.settleRefresh('other', 0, 'sealed')
    await ledger.settleRefresh('other', 1, undefined)
    for (const _ of [1, 2]) await ledger.admit('key', [{ name: 'hourly', max: 3, period: 3600 }])
    await ledger.forgive('key', ['hourly'])
    await ledger.startVerification('key', { link: 'l', code: 'c', sealed: 's', expires: 900 })
    await ledger.redeemVerification('key', { code: 'x' })
    await ledger.withdrawVerification('key', 'l')
    await ledger.changeDocument('way\nada', 0, 'x')
    await ledger.changeDocument('way\nada', 1, null)
    await ledger.enter('name', 900, 'way\nada')
    await ledger.changeDocument('way\nada', 2, null)
    await ledger.revokedSince(0)
    rows.after('documents', '', 10)
    rows.sweep(1000, 10)
    expect(asked.size).toBeGreaterThan(30)
    for (const statement of asked) {
      const plan = run(`EXPLAIN QUERY PLAN ${statement.replaceAll('?', '1')}`)
      const steps = plan.map(({ detail }) => String(detail))
      // The least end is the first entry of its index.
      const isLeast = statement.includes('ORDER BY expires LIMIT 1')
      if (isLeast) expect(steps).toEqual([expect.stringMatching(/USING (COVERING )?INDEX \w+_end/)])
      expect([statement, steps.filter((step) => /^SCAN/.test(step) && !isLeast)]).toEqual([
        statement,
        [],
      ])
    }
  })
})

describe('many rows at once', () => {
  const row = (version: number, content: string | null = `v${version}`) => ({
    version,
    content,
    expires: content === null ? 900 : null,
  })

  it('are written by one statement, over those that are there, and found by one', () => {
    let statements = 0
    const run = emptyDatabase()
    const rows = sqliteRows((statement, ...values) => {
      statements++
      return run(statement, ...values)
    })
    rows.put('documents', 'b', row(1))
    statements = 0
    const many = new Map([
      ['a', row(1)],
      ['b', row(2)],
      ['it\'s "c"', row(3, null)],
    ])
    rows.putAll?.('documents', many)
    const found = rows.getAll?.('documents', ['b', 'none', 'it\'s "c"'])
    expect(statements).toBe(2)
    expect(
      [...(found ?? [])].map(([key, { version, content, expires }]) => [
        key,
        version,
        content,
        expires,
      ]),
    ).toEqual([
      ['b', 2, 'v2', null],
      ['it\'s "c"', 3, null, 900],
    ])
    expect(rows.get('documents', 'a')).toEqual(row(1))
    expect(rows.get('documents', 'b')).toEqual(row(2))
  })

  it('that are missing cost no statement', () => {
    let statements = 0
    const run = emptyDatabase()
    const rows = sqliteRows((statement, ...values) => {
      statements++
      return run(statement, ...values)
    })
    statements = 0
    rows.putAll?.('documents', new Map())
    expect(statements).toBe(0)
  })

  it('are listed in the order of their keys, after one and so many at most', () => {
    const rows = sqliteRows(emptyDatabase())
    for (const key of ['c', 'a', 'd', 'b']) rows.put('unhanded', key, { expires: null })
    expect(rows.after('unhanded', '', 10)).toEqual(['a', 'b', 'c', 'd'])
    expect(rows.after('unhanded', 'a', 2)).toEqual(['b', 'c'])
    expect(rows.after('unhanded', 'd', 2)).toEqual([])
  })
})
