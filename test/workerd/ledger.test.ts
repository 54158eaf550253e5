/// <reference types="@cloudflare/vitest-plugin/types" />
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { ledgerContract } from '@latchkey/worker/stores/contract/ledger-contract'
import { durableLedger } from '@latchkey/worker/stores/durable-ledger'
import type { Ledger } from '@latchkey/worker/stores/ledger/rules'
import type { MailedProof } from '@latchkey/worker/stores/ledger/types'
import { describe, expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { bindings } from './support.ts'

const { LEDGER } = bindings

const { pass } = clock({ start: 'now' })

const now = () => Math.floor(Date.now() / 1000)
const soon = () => now() + 900

let count = 0
/** A new object for each test. */
const ledger = () => LEDGER.get(LEDGER.idFromName(`test-${++count}`))
type Stub = ReturnType<typeof ledger>
/** Methods that other ledgers may lack. */
const whole = (stub: Stub) => stub as unknown as Ledger

/** Runs SQL in an object, and counts the rows of a table. */
const sql = (stub: Stub, statement: string, ...values: (string | number)[]) =>
  runInDurableObject(stub, (_, state) => state.storage.sql.exec(statement, ...values).toArray())
const rows = async (stub: Stub, table: string) =>
  (await sql(stub, `SELECT count(*) AS count FROM ${table}`))[0]?.count

describe.each([
  ['one object', [1]],
  ['four objects', [4]],
  ['one object, four to come', [1, 4]],
  ['two objects, and as many in a region', [{ count: 2, regions: ['weur'] as const }]],
])('the contract of stores: %s', (_, shards) => {
  /** New objects for each ledger. */
  const ledgerOfItsOwn = (): Ledger => {
    const prefix = `contract-${++count}`
    const idFromName = (name: string) => LEDGER.idFromName(`${prefix} ${name}`)
    const get: typeof LEDGER.get = (id, options) => LEDGER.get(id, options)
    return durableLedger({ idFromName, get } as unknown as typeof LEDGER, shards)
  }
  const clock = { now: () => Date.now(), pass: (seconds: number) => void pass(seconds) }
  const contract = ledgerContract(ledgerOfItsOwn, clock)
  test.each(contract.map(({ name, run }) => [name, run] as const))('%s', (_name, run) => run())
})

test('a collector lists the endings in other objects, and asks them once a second', async () => {
  const places = [1, 2].map(() => ({ name: `collected-${++count}` }))
  const [one, two] = places.map(({ name }) => LEDGER.get(LEDGER.idFromName(name))) as [Stub, Stub]
  const collector = ledger()
  const since = now() - 360
  await one.revoke('one', soon())
  await two.cutOff({ sub: 'ada', until: now() }, soon())
  const found = await collector.collect(since, places)
  expect(found.seconds.map(([, sids]) => sids)).toEqual(['one'])
  expect(found.users).toEqual([{ sub: 'ada', until: now() }])
  await two.revoke('two', soon())
  expect((await collector.collect(found.next, places)).seconds).toHaveLength(1)
  pass(1)
  const later = await collector.collect(found.next, places)
  expect(later.seconds.map(([, sids]) => sids).join()).toBe('one,two')
})

// Workers of older and newer versions call these during a deployment: names, parameters and answers
// stay.
test('calls as the first version made them are answered as it answered', async () => {
  const stub = ledger()
  const mailed = { link: 'link', code: 'code', sealed: 'sealed', expires: soon() }
  const { next, ...endings } = await stub.revokedSince(now())
  const answers = [
    endings,
    await stub.consume('name', soon()),
    await stub.revoke('one', soon()),
    await stub.isRevoked('one'),
    await stub.isRevoked('two', { sub: 'ada', auth_time: now() }),
    await stub.cutOff({ sub: 'ada', until: now() }, soon()),
    await stub.cutOff({ sub: 'ada', until: now(), except: 'two' }, soon(), now()),
    await stub.refreshedTokens('three'),
    await stub.claimRefresh('three', 0, soon()),
    await stub.settleRefresh('three', 0, 'sealed'),
    await stub.refreshedTokens('three'),
    await stub.claimRefresh('three', 0, soon()),
    await stub.admit('key', [{ name: 'hourly', max: 1, period: 3600 }]),
    await stub.admit('key', [{ name: 'hourly', max: 1, period: 3600 }]),
    await stub.forgive('key', ['hourly']),
    await stub.startVerification('key', mailed),
    await stub.findVerification('key', 'link'),
    await stub.findVerification('key', 'other'),
    await stub.redeemVerification('key', { code: 'other' }),
    await stub.redeemVerification('key', { link: 'link' }),
    await stub.withdrawVerification('key'),
    await stub.withdrawVerification('key', 'link'),
  ]
  expect(next).toBe(now() - 5)
  expect(answers).toEqual([
    { sessions: [], users: [], hasMore: false },
    true,
    undefined,
    true,
    false,
    true,
    false,
    undefined,
    { state: 'yours' },
    undefined,
    { version: 1, sealed: 'sealed' },
    { state: 'newer', version: 1, sealed: 'sealed' },
    0,
    3600,
    undefined,
    undefined,
    'sealed',
    undefined,
    { state: 'wrong' },
    { state: 'redeemed', sealed: 'sealed' },
    undefined,
    undefined,
  ])
})

test('each call writes as few rows as docs/scale.md says', async () => {
  const stub = ledger()
  await stub.isRevoked('so that the object is there')
  let written = 0
  const restore = await runInDurableObject(stub, (_, state) => {
    const sql = Object.getPrototypeOf(state.storage.sql) as SqlStorage
    const { exec } = sql
    sql.exec = function (this: SqlStorage, ...asked: Parameters<typeof exec>) {
      const cursor = exec.apply(this, asked)
      written += cursor.rowsWritten
      return cursor
    } as typeof exec
    return () => {
      sql.exec = exec
    }
  })
  const rowsOf = async (call: () => Promise<unknown>) => {
    const before = written
    await call()
    return written - before
  }
  const limits = ['hourly', 'daily', 'network'].map((name) => ({ name, max: 3, period: 60 }))
  const mailed: MailedProof = { link: 'link', code: 'code', sealed: 'sealed', expires: soon() }
  const cutoff = { sub: 'ada', until: now() }
  try {
    // The index entries of a row count as rows written.
    expect([
      await rowsOf(() => stub.consume('name', soon())),
      await rowsOf(() => stub.consume('name', soon())),
      await rowsOf(() => stub.revoke('one', soon())),
      await rowsOf(() => stub.revoke('one', soon() + 9)),
      await rowsOf(() => stub.isRevoked('one', { sub: 'ada', auth_time: 1 })),
      await rowsOf(() => stub.cutOff(cutoff, soon())),
      await rowsOf(() => stub.cutOff(cutoff, soon())),
      await rowsOf(() => stub.revokedSince(0)),
    ]).toEqual([2, 0, 3, 3, 0, 3, 3, 0])
    expect([
      await rowsOf(() => stub.claimRefresh('two', 0, soon())),
      await rowsOf(() => stub.claimRefresh('two', 0, soon())),
      await rowsOf(() => stub.settleRefresh('two', 0, 'sealed')),
      await rowsOf(() => stub.claimRefresh('two', 1, soon())),
      await rowsOf(() => stub.settleRefresh('two', 1, undefined)),
      await rowsOf(() => stub.refreshedTokens('two')),
      await rowsOf(() => stub.revoke('two', soon())),
    ]).toEqual([3, 0, 1, 2, 1, 0, 4])
    expect([
      await rowsOf(() => stub.admit('key', limits)),
      await rowsOf(() => stub.admit('key', limits)),
      await rowsOf(() => stub.forgive('key', ['hourly', 'unknown'])),
    ]).toEqual([6, 3, 1])
    expect([
      await rowsOf(() => stub.startVerification('key', mailed)),
      await rowsOf(() => stub.startVerification('key', mailed)),
      await rowsOf(() => stub.findVerification('key', 'link')),
      await rowsOf(() => stub.redeemVerification('key', { code: 'x' })),
      await rowsOf(() => stub.redeemVerification('key', { link: 'link' })),
      await rowsOf(() => stub.withdrawVerification('key')),
    ]).toEqual([3, 2, 0, 1, 1, 0])
    expect([
      await rowsOf(() => whole(stub).document('way\nada')),
      await rowsOf(() => whole(stub).enter('flow', soon(), 'way\nada')),
      await rowsOf(() => whole(stub).enter('flow', soon(), 'way\nada')),
      await rowsOf(() => whole(stub).changeDocument('way\nada', 0, 'one')),
      await rowsOf(() => whole(stub).changeDocument('way\nada', 0, 'late')),
      await rowsOf(() => whole(stub).changeDocument('way\nada', 1, 'two')),
      await rowsOf(() => whole(stub).changeDocument('way\nada', 2, null)),
      await rowsOf(() => whole(stub).changeDocument('way\nada', 3, null)),
    ]).toEqual([0, 2, 0, 2, 0, 1, 2, 1])
    const life = (handle: string) => ({ sid: handle, owner: { sub: 'eve', auth_time: now() } })
    const grant = (handle: string) => `grant\neve\n${handle}`
    const content = `${'x'.repeat(900)}\n{"used":[1]}`
    const change = (handle: string, version: number, expires = soon()) => {
      const text = version === 0 ? { content } : { last: `{"used":[${version}]}` }
      const changed = { version, ...text, expires }
      return rowsOf(() => whole(stub).liveDocument(grant(handle), life(handle), changed))
    }
    const handles = ['1', '2', '3']
    const grants = handles.map(grant)
    expect([
      await change('0', 0),
      await change('0', 0),
      // One that moves the end, and one that does not.
      await change('0', 1, soon() + 60),
      await change('0', 2, soon() + 60),
      await rowsOf(() => whole(stub).liveDocument(grant('0'), life('0'))),
      await rowsOf(() => whole(stub).documentsOf('eve', ['grant', 'consent'])),
      await rowsOf(() => whole(stub).endAll(['0'], soon(), [grant('0')])),
      await rowsOf(() => whole(stub).endAll(['0'], soon(), [grant('0')])),
      (await change('1', 0)) + (await change('2', 0)) + (await change('3', 0, soon() + 2 * 86_400)),
      await rowsOf(() => whole(stub).endAll(handles, soon(), grants)),
      await rowsOf(() => whole(stub).liveDocument(grant('1'), life('1'))),
    ]).toEqual([3, 0, 2, 1, 0, 0, 5, 3, 9, 14, 0])
  } finally {
    restore()
  }
})

test('exactly one of fifty parallel callers consumes a name', async () => {
  const stub = ledger()
  const attempts = Array.from({ length: 50 }, () => stub.consume('flow:a', soon()))
  expect((await Promise.all(attempts)).filter(Boolean)).toHaveLength(1)
})

test('one of a hundred parallel changes of a document counts, at its object', async () => {
  const stub = ledger()
  for (const version of [0, 1]) {
    const tries = Array.from({ length: 100 }, (_, at) =>
      whole(stub).changeDocument('way\nada', version, `by ${at}`),
    )
    const counted = await Promise.all(tries)
    expect(counted.filter(Boolean)).toHaveLength(1)
    const content = `by ${counted.indexOf(true)}`
    expect(await whole(stub).document('way\nada')).toEqual({ version: version + 1, content })
  }
})

test('documents survive a restart of the object, and set no alarm', async () => {
  const stub = ledger()
  await whole(stub).changeDocument('way\nada', 0, 'hers')
  await evictDurableObject(stub)
  expect(await runDurableObjectAlarm(stub)).toBe(false)
  pass(365 * 24 * 60 * 60)
  expect(await whole(stub).document('way\nada')).toEqual({ version: 1, content: 'hers' })
  await whole(stub).changeDocument('way\nada', 1, null)
  pass(24 * 60 * 60)
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  expect(await rows(stub, 'documents')).toBe(0)
  expect(await runDurableObjectAlarm(stub)).toBe(false)
})

test('a live document survives a restart of the object, and is swept after its end', async () => {
  const stub = ledger()
  const life = { sid: 'one', owner: { sub: 'ada', auth_time: now() } }
  const change = { version: 0, content: 'hers', expires: now() + 7_200 }
  await whole(stub).liveDocument('grant\nada\none', life, change)
  await evictDurableObject(stub)
  pass(3_600)
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  const { document } = await whole(stub).liveDocument('grant\nada\none', life)
  expect(document).toEqual({ version: 1, content: 'hers', expires: change.expires })
  pass(3_600)
  expect(await whole(stub).documentsOf('ada', ['grant'])).toEqual([])
  expect(await runDurableObjectAlarm(stub)).toBe(true)
  expect(await rows(stub, 'documents')).toBe(0)
  expect(await runDurableObjectAlarm(stub)).toBe(false)
})

test('one object hands its documents over to three, also when it restarts meanwhile', async () => {
  const keys = Array.from({ length: 70 }, (_, at) => `way\nperson-${at}`)
  const seen = (shards: number) => durableLedger(LEDGER, [shards]) as Ledger
  for (const key of keys) await seen(1).changeDocument(key, 0, key)
  const grant = 'grant\nperson-0\none'
  const life = { sid: 'one', owner: { sub: 'person-0', auth_time: now() } }
  const change = { version: 0, content: 'allowed', expires: now() + 3_600 }
  await seen(1).liveDocument(grant, life, change)
  const old = LEDGER.get(LEDGER.idFromName('ledger'))
  expect(await old.handOver(1, 3)).toBe(true)
  await runDurableObjectAlarm(old)
  await evictDurableObject(old)
  await seen(1).changeDocument('way\nperson-0', 1, 'changed')
  for (let steps = 0; steps < 20 && (await old.handOver(1, 3)); steps++) {
    await runDurableObjectAlarm(old)
  }
  expect(await old.handOver(1, 3)).toBe(false)
  const found = await Promise.all(keys.map((key) => seen(3).document(key)))
  expect(found.map((document) => document?.content)).toEqual(['changed', ...keys.slice(1)])
  expect(await seen(3).liveDocument(grant, life)).toMatchObject({
    document: { version: 1, content: 'allowed', expires: change.expires },
  })
  // Later changes follow by themselves.
  await seen(1).changeDocument('way\nperson-1', 1, null)
  await runDurableObjectAlarm(old)
  expect(await seen(3).document('way\nperson-1')).toEqual({ version: 2, content: null })
  await evictDurableObject(old)
  pass(31 * 24 * 60 * 60)
  for (let steps = 0; steps < 20 && (await runDurableObjectAlarm(old)); steps++);
  expect([await rows(old, 'documents'), await rows(old, 'handovers')]).toEqual([0, 0])
  expect(await seen(3).document('way\nperson-2')).toMatchObject({ content: 'way\nperson-2' })
})

test('five objects hand over to two: the first one tells the others', async () => {
  const keys = Array.from({ length: 30 }, (_, at) => `way\nmany-${at}`)
  const seen = (shards: number) => durableLedger(LEDGER, [shards]) as Ledger
  for (const key of keys) await seen(5).changeDocument(key, 0, key)
  const objects = [0, 1, 2, 3, 4].map((at) => LEDGER.get(LEDGER.idFromName(`ledger-5-${at}`)))
  const [first] = objects as [Stub, ...Stub[]]
  for (let round = 0; round < 30 && (await first.handOver(5, 2)); round++) {
    for (const object of objects) await runDurableObjectAlarm(object)
  }
  expect(await first.handOver(5, 2)).toBe(false)
  const found = await Promise.all(keys.map((key) => seen(2).document(key)))
  expect(found.map((document) => document?.content)).toEqual(keys)
})

test('consumed names and ended sessions survive a restart of the object', async () => {
  const stub = ledger()
  await stub.consume('flow:a', soon())
  await stub.revoke('one', soon())
  await stub.cutOff({ sub: 'ada', until: now(), except: 'kept' }, soon(), now())
  await evictDurableObject(stub)
  expect(await stub.consume('flow:a', soon())).toBe(false)
  expect(await stub.isRevoked('one')).toBe(true)
  expect(await stub.isRevoked('two')).toBe(false)
  const owner = { sub: 'ada', auth_time: now() }
  expect(await stub.isRevoked('any', owner)).toBe(true)
  expect(await stub.isRevoked('kept', owner)).toBe(false)
})

describe('a cut-off', () => {
  test('ends that user’s sessions which began by then, and no later ones', async () => {
    const stub = ledger()
    expect(await stub.cutOff({ sub: 'ada', until: now() }, soon())).toBe(true)
    const began = (auth_time: number, sub = 'ada') => stub.isRevoked('sid', { sub, auth_time })
    expect([await began(now() - 60), await began(now()), await began(now() + 1)]).toEqual([
      true,
      true,
      false,
    ])
    expect(await began(now(), 'grace')).toBe(false)
  })

  test('is never undone: not by an ended session, a clock that lags, or an earlier cut-off', async () => {
    const stub = ledger()
    const [until, expires] = [now(), soon()]
    await stub.cutOff({ sub: 'ada', until }, expires)
    expect(await stub.cutOff({ sub: 'ada', until: until + 9, except: 'thief' }, 1, until)).toBe(
      false,
    )
    await stub.cutOff({ sub: 'ada', until: until - 30 }, 1)
    await stub.cutOff({ sub: 'ada', until: until - 30, except: 'new' }, 1, until + 1)
    for (const sid of ['thief', 'old']) {
      expect(await stub.isRevoked(sid, { sub: 'ada', auth_time: until })).toBe(true)
    }
    expect(await stub.isRevoked('new', { sub: 'ada', auth_time: until + 1 })).toBe(false)
    pass(899)
    await runDurableObjectAlarm(stub)
    expect(await stub.isRevoked('old', { sub: 'ada', auth_time: until })).toBe(true)
  })

  test('ends one of two sessions that spare themselves at the same time', async () => {
    const stub = ledger()
    const names = ['a', 'b', 'c']
    const cut = names.map((except) =>
      stub.cutOff({ sub: 'ada', until: now(), except }, soon(), now() - 60),
    )
    expect((await Promise.all(cut)).filter(Boolean)).toHaveLength(1)
  })
})

describe('revocations since a time', () => {
  test('list sessions and cut-offs by the ledger’s clock, not by the caller’s', async () => {
    const stub = ledger()
    await stub.revoke('early', soon())
    pass(100)
    await stub.revoke('late', soon())
    // The caller's clock is half an hour behind.
    await stub.cutOff({ sub: 'ada', until: now() - 1800 }, soon())
    const { sessions, users, next, hasMore } = await stub.revokedSince(now() - 50)
    expect([sessions, users]).toEqual([
      [{ sid: 'late', at: now() }],
      [{ sub: 'ada', until: now() - 1800 }],
    ])
    expect([next, hasMore]).toEqual([now() - 5, false])
  })

  test('come in parts if one answer cannot hold them, and none is left out', async () => {
    const stub = ledger()
    const many = 25_000
    await sql(
      stub,
      `WITH RECURSIVE one(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM one WHERE n < ?)
       INSERT INTO revoked SELECT 'sid-' || n, ? + n / 100, ? FROM one`,
      ...[many - 1, now() - 300, soon()],
    )
    const found = new Set<string>()
    let since = now() - 360
    for (let hasMore = true, parts = 0; hasMore && parts < 10; parts++) {
      const part = await stub.revokedSince(since)
      expect(part.sessions.length).toBeLessThanOrEqual(10_000)
      for (const { sid } of part.sessions) found.add(sid)
      ;({ next: since, hasMore } = part)
    }
    expect(found.size).toBe(many)
    expect(since).toBe(now() - 5)
  })

  test('go on after one second with more than one answer holds', async () => {
    const stub = ledger()
    const [many, second] = [25_000, now() - 100]
    await sql(
      stub,
      `WITH RECURSIVE one(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM one WHERE n < ?)
       INSERT INTO revoked SELECT 'sid-' || n, ?, ? FROM one`,
      ...[many - 1, second, soon()],
    )
    await stub.revoke('the last', soon())
    const found = new Set<string>()
    let since = second
    for (let hasMore = true, parts = 0; hasMore && parts < 10; parts++) {
      const part = await stub.revokedSince(since)
      for (const { sid } of part.sessions) found.add(sid)
      ;({ next: since, hasMore } = part)
    }
    expect([found.size, found.has('the last')]).toEqual([many + 1, true])
  })

  test('read only the newer rows, however many rows there are', async () => {
    const stub = ledger()
    for (let old = 0; old < 50; old++) await stub.revoke(`old-${old}`, soon())
    for (let old = 0; old < 50; old++) await stub.cutOff({ sub: `${old}`, until: 1 }, soon())
    pass(100)
    await stub.revoke('new', soon())
    const plans = await Promise.all(
      ['revoked', 'cutoffs'].map((table) =>
        sql(stub, `EXPLAIN QUERY PLAN SELECT * FROM ${table} WHERE at >= 1 ORDER BY at LIMIT 5`),
      ),
    )
    for (const plan of plans) expect(JSON.stringify(plan)).toMatch(/SEARCH .* USING INDEX \w+_at/)
  })
})

describe('sweeps', () => {
  test('delete rows that are over, keep the others, and set the next alarm', async () => {
    const stub = ledger()
    await stub.consume('short', now() + 60)
    await stub.consume('long', now() + 7200)
    await stub.revoke('short', now() + 60)
    await stub.cutOff({ sub: 'short', until: 1 }, now() + 60)
    await stub.claimRefresh('short', 0, now() + 60)
    pass(3600)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    const tables = ['consumed', 'revoked', 'cutoffs', 'refreshes']
    expect(await Promise.all(tables.map((table) => rows(stub, table)))).toEqual([1, 0, 0, 0])
    expect(await stub.consume('long', now() + 7200)).toBe(false)
    pass(7200)
    expect(await runDurableObjectAlarm(stub)).toBe(true)
    expect(await rows(stub, 'consumed')).toBe(0)
    // An empty ledger has no alarm.
    expect(await runDurableObjectAlarm(stub)).toBe(false)
  })

  test('deletions of very many rows run in parts, a second apart', async () => {
    // Far ahead: the platform's alarms keep real time, and would come by themselves.
    pass(365 * 24 * 60 * 60)
    const stub = ledger()
    await stub.consume('the last', soon())
    await sql(
      stub,
      `WITH RECURSIVE one(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM one WHERE n < 12000)
       INSERT INTO consumed SELECT 'name-' || n, ? FROM one`,
      now() - 1,
    )
    const pauses: number[] = []
    for (const left of [7_001, 2_001, 1]) {
      await runDurableObjectAlarm(stub)
      expect(await rows(stub, 'consumed')).toBe(left)
      const at = await runInDurableObject(stub, (_, state) => state.storage.getAlarm())
      pauses.push(Math.round(((at ?? 0) - Date.now()) / 1000))
    }
    expect(pauses).toEqual([1, 1, 3600])
  })
})
