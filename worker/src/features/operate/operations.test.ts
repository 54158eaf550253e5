import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { durableLedger } from '../../stores/durable-ledger.js'
import { layoutOf, placeOfPerson } from '../../stores/ledger/placement.js'
import { audited } from '../../test-support/audited.js'
import { claimsIn, secret } from '../../test-support/browser.js'
import { decideMerge } from '../../test-support/merged.js'
import { accountsAt } from '../../test-support/people.js'
import type { AuditPage, AuditQuery, AuditRecord } from '../../types.js'
import { verifyAudit } from './log/verify.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 28, 12) + 990, waits: true })

const FOUR = { AUTH_LEDGER_SHARDS: '4' }

/** Signs in each of them, a second after the one before. */
async function signInAll(world: ReturnType<typeof audited>, names: readonly string[]) {
  const people = []
  for (const name of names) {
    people.push(await world.signIn(name))
    pass(1)
  }
  return people.map(world.subOf)
}

const NAMES = Array.from({ length: 20 }, (_, at) => `user-${at}`)

describe('a page of the audit log', () => {
  it('has the chains of all objects, the newest record first', async () => {
    const world = audited({}, FOUR)
    await signInAll(world, NAMES)
    const { records, next } = await world.here.call('audit', { limit: 200 })
    const times = records.map((record) => (record as AuditRecord).time)
    expect(next).toBeNull()
    expect(times).toHaveLength(20)
    expect(times).toEqual(times.toSorted().reverse())
    expect(new Set(records.map(({ chain }) => chain)).size).toBeGreaterThan(2)
  })

  it.each([1, 3, 7, 20])('with %i records goes on after the page before it', async (limit) => {
    const world = audited({}, FOUR)
    await signInAll(world, NAMES)
    const all = await world.records({ limit: 200 })
    const found: AuditRecord[] = []
    let after: string | null = null
    do {
      const page: AuditPage = await world.here.call('audit', { limit, ...(after ? { after } : {}) })
      expect(page.records.length).toBeLessThanOrEqual(limit)
      found.push(...(page.records as AuditRecord[]))
      after = page.next
      // A record that was written meanwhile is not on a later page.
      await world.signIn('late')
      pass(1)
    } while (after !== null)
    expect(found.toReversed()).toEqual(all)
  })

  it('has 50 records by default', async () => {
    const world = audited()
    await signInAll(
      world,
      Array.from({ length: 51 }, (_, at) => `user-${at}`),
    )
    expect((await world.here.call('audit')).records).toHaveLength(50)
  })

  it('goes on in a chain that has found nothing in a whole window of rows', async () => {
    const world = audited({}, FOUR)
    await signInAll(world, NAMES)
    const [slow, ...others] = [...world.ledgers.objects.values()].filter(({ record }) => record)
    if (!slow?.records || others.length === 0) throw new Error('There is one object alone.')
    const { records } = slow
    let asked = 0
    slow.records = async (query) => {
      asked++
      const before = query.before ?? 1_000
      return before > 100 ? { records: [], next: before - 100 } : records(query)
    }
    const found = await world.records()
    expect(asked).toBeGreaterThan(4)
    expect(found.map(({ time }) => time)).toEqual(found.map(({ time }) => time).toSorted())
    expect(found).toHaveLength(20)
  })

  it('has a damaged row in its place', async () => {
    const world = audited()
    await signInAll(world, ['ada', 'bob', 'eve'])
    world.ledgers.audits.get('ledger')?.(`UPDATE audit SET content = 'x' WHERE seq = 2`)
    const { records } = await world.here.call('audit')
    expect(records.map((record) => ('damaged' in record ? record : record.seq))).toEqual([
      3,
      { id: 'ledger_2', chain: 'ledger', seq: 2, damaged: true },
      1,
    ])
  })
})

describe('a query', () => {
  it('by a person asks their object alone', async () => {
    const world = audited({}, FOUR)
    const [ada = ''] = await signInAll(world, ['ada', 'bob', 'eve'])
    pass(10)
    await world.here.call('endSessions', { sub: ada })
    world.ledgers.calls.length = 0
    const found = await world.records({ sub: ada })
    expect(found.map(({ event }) => event)).toEqual(['sign-in', 'sessions-ended'])
    const asked = world.ledgers.calls.filter((call) => call.endsWith(' records'))
    expect(asked).toEqual([`${placeOfPerson(layoutOf(4), ada).name} records`])
    expect(await world.records({ sub: 'nobody' })).toEqual([])
  })

  it('by an address finds its network, in every spelling', async () => {
    const world = audited({}, FOUR)
    for (const [name, address] of [
      ['ada', '192.0.2.7'],
      ['bob', '2001:db8:1:2:3:4:5:6'],
      ['eve', '192.0.2.8'],
    ] as const)
      await world.signIn(name, world.here, { 'cf-connecting-ip': address })
    const count = async (ip: string) => (await world.records({ ip })).length
    expect(await count('192.0.2.7')).toBe(1)
    expect(await count('::ffff:192.0.2.7')).toBe(1)
    expect(await count('2001:db8:1:2::9')).toBe(1)
    expect(await count('2001:db8:1:3::9')).toBe(0)
  })

  it('by an event and by times finds these alone', async () => {
    const world = audited()
    const [ada = ''] = await signInAll(world, ['ada', 'bob', 'eve'])
    await world.here.call('endSessions', { sub: ada })
    const all = await world.records()
    const [, second, third] = all
    expect(await world.records({ event: 'sessions-ended' })).toEqual(all.slice(3))
    expect(await world.records({ since: second?.time ?? '' })).toEqual(all.slice(1))
    expect(await world.records({ until: third?.time ?? '' })).toEqual(all.slice(0, 2))
    expect(await world.records({ since: '2026-11-28', until: '2026-11-29' })).toEqual(all)
    expect(await world.records({ since: '2026-11-28T14:00:00+02:00' })).toEqual(all)
    expect(await world.records({ since: '2026-11-29' })).toEqual([])
  })

  const wrong: readonly [string, unknown, RegExp][] = [
    ['sub', '', /sub must be/],
    ['sub', 7, /sub must be/],
    ['sub', 'x'.repeat(256), /sub must be/],
    ['ip', 'example.com', /ip must be an address/],
    ['ip', '192.0.2', /ip must be an address/],
    ['event', 'toString', /event must be an event/],
    ['event', 'sign-ins', /event must be an event/],
    ['since', 'yesterday', /since must be a time/],
    ['since', '2026-02-30', /since must be a time/],
    ['since', '2026-13-01T00:00:00Z', /since must be a time/],
    ['since', 1_764_331_200_000, /since must be a time/],
    ['until', '28.11.2026', /until must be a time/],
    ['until', '2026-11-28T25:00:00Z', /until must be a time/],
    ['limit', 0, /limit must be/],
    ['limit', 201, /limit must be/],
    ['limit', 1.5, /limit must be/],
    ['limit', '50', /limit must be/],
    ['limit', null, /limit must be/],
    ['after', '', /after must be/],
    ['after', 'ledger_7', /after must be/],
    ['after', ':--1', /after must be/],
    ['after', ':1,', /after must be/],
    ['after', '-4-2:zzzzzzzzzzz', /after must be/],
    ['subs', 'x', /no such member/],
    ['__proto__', {}, /no such member/],
  ]

  it.each(wrong)('with a wrong %s, %o, is refused by its name', async (name, value, message) => {
    const world = audited()
    const query = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as AuditQuery
    const refused = world.here.call('audit', query)
    await expect(refused).rejects.toThrow(TypeError)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.not.toThrow(/yesterday|example[.]com|28[.]11/)
    expect(world.ledgers.calls).toEqual([])
  })

  it.each(['x', [], 7, null])('that is not an object, %o, is refused', async (query) => {
    await expect(audited().here.call('audit', query as AuditQuery)).rejects.toThrow(TypeError)
  })

  it('after a page of objects that are no longer in use finds nothing more', async () => {
    const world = audited()
    await world.signIn()
    const after = '-8-3:5'
    expect(await world.here.call('audit', { after })).toEqual({ records: [], next: null })
  })
})

describe('beside the log', () => {
  it('the secret is rotated: old records are found by the person and the network', async () => {
    const world = audited()
    const headers = { 'cf-connecting-ip': '192.0.2.7' }
    const ada = await world.signIn('ada', world.here, headers)
    const sub = world.subOf(ada)
    const later = world.isolate('here', {
      secret: ['another-secret-0123456789-abcdefghij', secret],
    })
    await world.signIn('ada', later, headers)
    await world.signIn('bob', later)
    const byPerson = await world.records({ sub }, later)
    expect(byPerson).toHaveLength(2)
    expect(byPerson[0]?.person).not.toBe(byPerson[1]?.person)
    expect(await world.records({ ip: '192.0.2.7' }, later)).toEqual(byPerson)
  })

  it('the number of objects changes: records stay where they are, and are found and shown', async () => {
    const world = audited()
    const sub = world.subOf(await world.signIn())
    const both = world.isolate('here', {}, { AUTH_LEDGER_SHARDS: '1,4' })
    pass(2)
    await world.signIn('ada', both)
    const chains = ['ledger', placeOfPerson(layoutOf(4), sub).name]
    expect((await world.records({ sub }, both)).map(({ chain }) => chain)).toEqual(chains)
    const heads = await both.call('auditHeads')
    expect(heads.days).toBe(30)
    expect(heads.chains.map(({ chain }) => chain)).toEqual(chains)
    const after = world.isolate('here', {}, { AUTH_LEDGER_SHARDS: '4' })
    const left = await after.call('auditHeads')
    expect(left.chains.map(({ chain }) => chain)).toEqual(chains.slice(1))
  })

  it('regions have no records: the log asks no object of theirs', async () => {
    const world = audited({}, { AUTH_LEDGER_SHARDS: '2@weur+enam' })
    await world.signIn()
    world.ledgers.calls.length = 0
    await world.here.call('auditHeads')
    expect(world.ledgers.calls.toSorted()).toEqual(['ledger-2-0 auditHead', 'ledger-2-1 auditHead'])
  })

  it('two people become one: the records of both are found, and no record changes', async () => {
    const providers = [accountsAt('one'), accountsAt('two')]
    const world = audited({ providers }, FOUR)
    const [ada, other] = [world.browserAt(), world.browserAt()]
    await other.signIn('two', 'ada')
    await ada.signIn('one', 'ada')
    const [sub, from] = [world.subOf(ada), world.subOf(other)]
    const before = await world.records({ sub: from })
    pass(2)
    const ledger = durableLedger(world.ledgers.binding, [4])
    expect(await decideMerge(ledger, claimsIn(ada), ['two', 'ada'])).toBe(true)
    await ada.submit('/auth/ways/remove', { way: 'none' })
    const found = await world.records({ sub })
    expect(found).toEqual(expect.arrayContaining(before))
    expect(found.map(({ event }) => event)).toContain('people-merged')
    const merged = found.find(({ event }) => event === 'people-merged')
    expect(merged?.person).toBe(before[0]?.person)
    expect(merged?.into).toBe(found.find(({ provider }) => provider === 'one')?.person)
    expect(await world.records({ sub: from })).toEqual([...before, merged])
  })

  it('a person is erased: the records stay, and say so', async () => {
    const world = audited()
    const ada = await world.signIn()
    const sub = world.subOf(ada)
    await world.here.call('deletePerson', sub)
    const found = await world.records({ sub })
    expect(found.map(({ event }) => event)).toEqual(['sign-in', 'person-erased', 'sessions-ended'])
    expect(JSON.stringify(found)).not.toContain(sub)
  })

  it('several isolates write at once: each chain is whole, and each event is there once', async () => {
    const world = audited({}, FOUR)
    const all = ['a', 'b', 'c'].map((place) => world.isolate(place))
    const names = Array.from({ length: 60 }, (_, at) => `user-${at % 15}`)
    await Promise.all(names.map((name, at) => world.signIn(name, all[at % 3])))
    const { records } = await world.here.call('audit', { limit: 200 })
    expect(records).toHaveLength(60)
    const found = await verifyAudit(records.toReversed(), await world.here.call('auditHeads'))
    expect(found).toMatchObject({ ok: true, records: 60, faults: [] })
  })
})

describe('an object that cannot be read', () => {
  const answers: Readonly<Record<string, () => Promise<unknown>>> = {
    'is away': () => Promise.reject(new Error('Network connection lost.')),
    'answers nothing': async () => undefined,
    'answers rubbish': async () => ({ records: [7], next: null }),
    'answers without an end': async () => ({ records: [], next: 'soon' }),
    'goes on in front of itself': async () => ({ records: [], next: 1_000 }),
  }

  it.each(Object.entries(answers))('that %s: the log cannot be read', async (_, answer) => {
    const world = audited()
    await world.signIn()
    const object = world.ledgers.objects.get('ledger')
    if (object) object.records = answer as never
    await expect(world.here.call('audit', { after: ':5' })).rejects.toThrow(
      'Could not read the audit log.',
    )
  })

  it('that is away: the heads cannot be read', async () => {
    const world = audited()
    await world.signIn()
    const object = world.ledgers.objects.get('ledger')
    if (object) object.auditHead = () => Promise.reject(new Error('No answer.'))
    await expect(world.here.call('auditHeads')).rejects.toMatchObject({ name: 'StoreUnavailable' })
  })
})
