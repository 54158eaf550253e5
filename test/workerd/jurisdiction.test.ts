/// <reference types="@cloudflare/vitest-plugin/types" />
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { operate } from '@latchkey/worker/features/operate'
import type { Ledger } from '@latchkey/worker/ledger'
import { placesOf } from '@latchkey/worker/stores/ledger/placement'
import { expect, test } from 'vitest'
import { Browser, bindings, copyAt, type Service, service, signedIn } from './support.ts'

const { LEDGER } = bindings
let count = 0

/**
 * Objects of a test's own. The runtime of this machine has no jurisdictions, so that each of them has names of its own
 * here, as each has ids of its own at Cloudflare.
 */
function objects() {
  const prefix = `jurisdiction-${++count}`
  const calls: string[] = []
  const nameOf = (jurisdiction: string, name: string) => `${prefix} ${jurisdiction} ${name}`
  /** Called before each call to an object. It may fail. */
  const before: { run: (name: string, method: string) => unknown } = { run: () => {} }
  const at = (jurisdiction: string): typeof LEDGER => {
    const idFromName = (name: string) =>
      Object.assign(LEDGER.idFromName(nameOf(jurisdiction, name)), {
        at: `${jurisdiction} ${name}`,
      })
    const get = (id: DurableObjectId & { at: string }) =>
      new Proxy(LEDGER.get(id), {
        get(stub, method) {
          const member: unknown = Reflect.get(stub, method)
          if (typeof member !== 'function') return member
          return async (...given: unknown[]) => {
            calls.push(`${id.at} ${String(method)}`)
            await before.run(id.at, String(method))
            return Reflect.apply(member, stub, given)
          }
        },
      })
    return { idFromName, get, jurisdiction: at } as unknown as typeof LEDGER
  }
  const stub = (jurisdiction: string, name = 'ledger') =>
    LEDGER.get(LEDGER.idFromName(nameOf(jurisdiction, name)))
  return { binding: at('anywhere'), calls, before, stub }
}

/** The rows of an object, by their tables. */
function rowsOf(stub: DurableObjectStub<Ledger>): Promise<Record<string, unknown[]>> {
  return runInDurableObject(stub, (_, { storage: { sql } }) => {
    const names = sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'",
      )
      .toArray()
    const all = names.map(
      ({ name }) => [name, sql.exec(`SELECT * FROM ${name}`).toArray()] as const,
    )
    return Object.fromEntries(all.filter(([, rows]) => rows.length > 0))
  })
}

type Binding = ReturnType<typeof objects>['binding']

const anywhere = (binding: Binding, variables: object = {}) =>
  service({}, { LEDGER: binding, ...variables })
const inEu = (binding: Binding, variables: object = {}) =>
  anywhere(binding, { AUTH_LEDGER_JURISDICTION: 'eu', ...variables })

const messages = ({ errors }: Service) =>
  errors.map(({ message, cause }) => {
    const { err = cause } = (cause ?? {}) as { readonly err?: unknown }
    return err instanceof Error ? `${message} ${err.message}` : message
  })
const status = async (of: Service, path = '/auth/providers') =>
  (await new Browser(of).go(path)).status

const OUTSIDE =
  'AUTH_LEDGER_JURISDICTION=eu, but the ledger has rows elsewhere, which would not count any more: docs/data-residency.md.'

test('a runtime without jurisdictions: the service says so, and stores nothing anywhere else', async () => {
  const of = service({}, { AUTH_LEDGER_JURISDICTION: 'eu' } as object)
  // As soon as this call succeeds, the stand-in of this file can go.
  expect(() => LEDGER.jurisdiction('eu')).toThrow('Jurisdiction')
  expect(await status(of)).toBe(500)
  expect(messages(of)[0]).toMatch(/This runtime has no jurisdictions/)
})

test.each([
  ['1', ['ledger']],
  ['4', placesOf({ count: 4, regions: [] }).map(({ name }) => name)],
])(
  'every row is in the jurisdiction, with AUTH_LEDGER_SHARDS=%s; outside there is a mark',
  async (shards, names) => {
    const { binding, stub, calls } = objects()
    const of = inEu(binding, { AUTH_LEDGER_SHARDS: shards, AUTH_AUDIT_DAYS: '30' })
    const audited: Service = { ...of, ...service({ features: [operate()] }), env: of.env }
    const { browser } = await signedIn(audited)
    await browser.settle()
    expect(await browser.session()).not.toBeNull()
    await browser.post('/auth/signout')
    await browser.settle()
    const inside = await Promise.all(names.map((name) => rowsOf(stub('eu', name))))
    expect(inside.flatMap((rows) => Object.keys(rows))).toEqual(
      expect.arrayContaining(['consumed', 'revoked', 'audit']),
    )
    for (const name of new Set(['ledger', ...names])) {
      const rows = await rowsOf(stub('anywhere', name))
      expect(Object.keys(rows), name).toEqual(['handovers'])
      expect(rows.handovers, name).toEqual([
        expect.objectContaining({ key: 'left for eu', expires: null }),
      ])
    }
    const outside = calls.filter((call) => call.startsWith('anywhere '))
    expect(outside.filter((call) => !call.endsWith(' leaveFor'))).toEqual([])
  },
)

test('attack: an ended session comes back because the ledger begins anew in a jurisdiction', async () => {
  const { binding, stub } = objects()
  const before = anywhere(binding)
  const { browser } = await signedIn(before)
  const stolen = copyAt(browser, before)
  await browser.post('/auth/signout')
  const of = inEu(binding)
  expect(await status(of)).toBe(500)
  const answer = await copyAt(stolen, of).go('/auth/session?online=1')
  expect(answer.status).toBe(500)
  expect(messages(of)[0]).toContain(OUTSIDE)
  // Nothing was written in either place, and the service goes on as it was.
  expect(await rowsOf(stub('eu'))).toEqual({})
  expect((await rowsOf(stub('anywhere'))).handovers).toBeUndefined()
  const again = anywhere(binding)
  expect(await copyAt(stolen, again).session()).toBeNull()
  expect((await signedIn(again)).browser.sessionToken).not.toBe('')
})

test('attack: a block ends because the variable is taken away, or a version without it is deployed', async () => {
  const { binding, stub } = objects()
  const of = inEu(binding)
  const { browser } = await signedIn(of)
  await of.auth.blockPerson({ sub: browser.claims.sub }, of.env)
  for (const shards of ['1', '1,4']) {
    const back = anywhere(binding, { AUTH_LEDGER_SHARDS: shards })
    const other = new Browser(back)
    await other.signIn()
    expect(other.sessionToken, shards).toBe('')
    expect(messages(back).join('\n')).toContain('set AUTH_LEDGER_JURISDICTION=eu again')
  }
  // Also after the object was away from memory.
  await evictDurableObject(stub('anywhere'))
  // A promise of a call has properties that are further calls: none of them is awaited by `expect`.
  const ask = async () => stub('anywhere').isRevoked('x')
  await expect(ask()).rejects.toThrow('The ledger has moved')
  expect(await status(inEu(binding))).toBe(200)
})

test('rows in one of several objects, in those of an older number and in a region are found; nothing is marked then', async () => {
  const later = Math.floor(Date.now() / 1000) + 900
  for (const [shards, name] of [
    ['4', 'ledger-4-2'],
    ['4', 'ledger'],
    ['2,4', 'ledger-2-1'],
    ['2@weur', 'ledger-weur-2-1'],
  ] as const) {
    const { binding, stub } = objects()
    await stub('anywhere', name).consume('flow', later)
    const of = inEu(binding, { AUTH_LEDGER_SHARDS: shards })
    expect(await status(of), name).toBe(500)
    expect(messages(of)[0], name).toContain(OUTSIDE)
    for (const other of ['ledger', 'ledger-4-0', 'ledger-4-2', 'ledger-2-0', 'ledger-weur-2-0']) {
      expect((await rowsOf(stub('anywhere', other))).handovers, other).toBeUndefined()
    }
  }
})

test('a table of a class that extends the ledger counts too', async () => {
  const { binding, stub } = objects()
  await runInDurableObject(stub('anywhere'), (_, { storage: { sql } }) => {
    sql.exec('CREATE TABLE "of its own" (a)')
    sql.exec('INSERT INTO "of its own" VALUES (1)')
  })
  expect(await status(inEu(binding))).toBe(500)
})

test('rows in another jurisdiction are refused by name, and a new number of objects is not', async () => {
  const { binding } = objects()
  expect(await status(inEu(binding))).toBe(200)
  const of = anywhere(binding, { AUTH_LEDGER_JURISDICTION: 'us' })
  expect(await status(of)).toBe(500)
  expect(messages(of)[0]).toContain(
    'AUTH_LEDGER_JURISDICTION=us, but the ledger has rows elsewhere',
  )
  expect(await status(inEu(binding, { AUTH_LEDGER_SHARDS: '1,4' }))).toBe(200)
})

test('a row that a version without the jurisdiction writes between question and mark stops the move', async () => {
  const { binding, stub, before } = objects()
  const later = Math.floor(Date.now() / 1000) + 900
  let asked = 0
  before.run = async (name) => {
    // Seven questions come before the marks, and the first object of a number is marked last.
    if (++asked === 8) await stub('anywhere', 'ledger-4-0').consume('flow', later)
    return name
  }
  const of = inEu(binding, { AUTH_LEDGER_SHARDS: '4' })
  expect(await status(of)).toBe(500)
  before.run = () => {}
  for (const { name } of placesOf({ count: 4, regions: [] })) {
    expect((await rowsOf(stub('anywhere', name))).handovers, name).toBeUndefined()
  }
  expect(
    (await signedIn(anywhere(binding, { AUTH_LEDGER_SHARDS: '4' }))).browser.sessionToken,
  ).not.toBe('')
})

test('objects that cannot be asked: nobody is signed in until they answer', async () => {
  const { binding, before, stub } = objects()
  before.run = (name) => {
    if (name.startsWith('anywhere')) throw new Error('Out of reach.')
  }
  const of = inEu(binding)
  const browser = new Browser(of)
  await browser.signIn()
  expect(browser.sessionToken).toBe('')
  expect(await rowsOf(stub('eu'))).toEqual({})
  before.run = () => {}
  expect((await signedIn(of)).browser.sessionToken).not.toBe('')
})

test('it costs one call for each isolate, and without the variable none', async () => {
  const { binding, calls } = objects()
  const leaving = () => calls.filter((call) => call.endsWith(' leaveFor')).length
  const of = inEu(binding)
  await signedIn(of)
  // Two questions and the mark, once for good.
  expect(leaving()).toBe(3)
  await signedIn(of)
  expect(leaving()).toBe(3)
  // In another isolate the binding is another object.
  await signedIn(inEu({ ...binding } as Binding))
  expect(leaving()).toBe(4)
  const isolate = objects()
  await signedIn(anywhere(isolate.binding))
  expect(isolate.calls.filter((call) => call.endsWith(' leaveFor'))).toEqual([])
})

test('an object asks those of its own jurisdiction: a collector, and a change of the number of objects', async () => {
  const { stub } = objects()
  const asked: string[] = []
  const object = stub('eu', 'endings-1-0-0')
  const answer = { sessions: [], users: [], next: 1, hasMore: false }
  await runInDurableObject(object, async (instance) => {
    const inside = { idFromName: (name: string) => name, get: (name: string) => fake(`eu ${name}`) }
    const env = { LEDGER: { jurisdiction: (name: string) => (name === 'eu' ? inside : {}) } }
    const ctx = (instance as unknown as { ctx: DurableObjectState }).ctx
    const own = { id: { jurisdiction: 'eu' }, storage: ctx.storage }
    Object.defineProperty(instance, 'env', { value: env })
    Object.defineProperty(instance, 'ctx', { value: own })
    await instance.collect(0, [{ name: 'ledger-2-0' }, { name: 'ledger-2-1' }], true)
    await instance.handOver(2, 4)
    await instance.alarm()
  })
  expect(asked).toEqual(
    expect.arrayContaining([
      'eu ledger-2-0 revokedSince',
      'eu ledger-2-1 revokedSince',
      'eu ledger-2-1 handOver',
      'eu ledger-4-0 handedFrom',
    ]),
  )
  function fake(name: string) {
    const call = (method: string) => async () => {
      asked.push(`${name} ${method}`)
      return method === 'handOver' ? false : answer
    }
    return {
      revokedSince: call('revokedSince'),
      handOver: call('handOver'),
      handedFrom: call('handedFrom'),
    }
  }
})
