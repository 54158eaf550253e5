import { operate } from '@latchkey/worker/features/operate'
import { verifyAudit } from '@latchkey/worker/migrate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { newOperatorKey } from '../support/operator-key.ts'
import { countingLedger, countRows } from './counted-ledger.ts'
import { Browser, countingKv, service } from './support.ts'

// What the audit log adds to each event, in real objects and the real KV.

const { pass } = clock({ start: 'now' })

let count: Awaited<ReturnType<typeof countRows>>
beforeAll(async () => {
  count = await countRows()
})
afterAll(() => count.restore())

const key = newOperatorKey('day', 'manage')

let people = 0

/** An isolate whose calls are counted, with the variables of the log or without. */
function world(objects: number, variables: object) {
  const { ledger, calls } = countingLedger()
  const { kv, calls: ofKv } = countingKv()
  const changed = { LEDGER: ledger, SESSIONS: kv, ...variables } as object
  const of = service({ features: [operate()], ledgerShards: objects }, changed)
  const name = `costs-${++people}`
  const password = 'open sesame'
  const signIn = async (typed = password) => {
    const browser = new Browser(of)
    await browser.post('/auth/callback/credentials', { username: name, password: typed })
    await browser.settle()
    return browser
  }
  const post = async (method: string, body: object) => {
    const answer = await of.auth.fetch(
      new Request(`http://localhost:8787/auth/operator/${method}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
      }),
      of.env,
    )
    return answer.status
  }
  /** Ledger calls, rows written with their index entries, and calls of KV. */
  async function costOf(run: () => Promise<unknown>): Promise<readonly number[]> {
    const before = [calls.length, count.written, ofKv.length]
    await run()
    const after = [calls.length, count.written, ofKv.length]
    return after.map((value, at) => value - (before[at] ?? 0))
  }
  /** Calls of the log, and rows of it. Others depend on where the objects of a person are. */
  async function logCostOf(run: () => Promise<unknown>): Promise<readonly number[]> {
    const ofLog = () => calls.filter((name) => /record|audit/i.test(name)).length
    const before = [ofLog(), count.audited]
    await run()
    return [ofLog() - (before[0] ?? 0), count.audited - (before[1] ?? 0)]
  }
  return { of, signIn, post, costOf, logCostOf }
}

/** What each event costs in one isolate. */
async function costs(objects: number, variables: object) {
  const { of, signIn, post, logCostOf } = world(objects, variables)
  // The first record of an object makes its tables.
  const ada = await signIn()
  const { sub } = ada.claims
  await signIn('wrong')
  const found: Record<string, readonly number[]> = {}
  const costs = async (name: string, run: () => Promise<unknown>) => {
    pass(2)
    found[name] = await logCostOf(run)
  }
  await costs('sign-in', () => signIn())
  await costs('sign-in-refused', () => signIn('wrong'))
  await costs('a read', () => ada.session())
  await costs('a read online', () => ada.go('/auth/session?online=1'))
  await costs('a renewal', () => ada.post('/auth/renew'))
  await costs('the list of sessions', () => ada.go('/auth/sessions'))
  await costs('sessions-ended', () => ada.post('/auth/sessions/revoke', { session: 'others' }))
  await costs('sign-out', () => ada.post('/auth/signout'))
  await costs('endSessions', () => of.auth.endSessions({ sub }, of.env))
  await costs('a wrong operator key', () => post('listWays', {}))
  expect(of.errors.map(({ name }) => name)).toEqual(['CredentialsSignin', 'CredentialsSignin'])
  return found
}

const EVENTS = ['sign-in', 'sign-in-refused', 'sessions-ended', 'sign-out', 'endSessions']

test.each([1, 4])(
  'in %i objects the log adds one call and one row to an event, and nothing to a read',
  async (objects) => {
    const withLog = await costs(objects, { AUTH_AUDIT_DAYS: '30' })
    const names = Object.keys(withLog)
    expect(withLog).toEqual(
      Object.fromEntries(names.map((name) => [name, EVENTS.includes(name) ? [1, 1] : [0, 0]])),
    )
    const without = await costs(objects, {})
    expect(without).toEqual(Object.fromEntries(names.map((name) => [name, [0, 0]])))
  },
)

test('an operator who reads costs one call and one row, and a wrong key costs nothing', async () => {
  const variables = { AUTH_AUDIT_DAYS: '30', AUTH_OPERATOR_KEYS: key.entry }
  const { signIn, post, costOf } = world(1, variables)
  const { sub } = (await signIn()).claims
  const plain = world(1, { AUTH_OPERATOR_KEYS: key.entry })
  const [reads = 0, rows = 0, ofKv = 0] = await plain.costOf(() => plain.post('listWays', { sub }))
  expect(await costOf(() => post('listWays', { sub }))).toEqual([reads + 1, rows + 1, ofKv])
  const wrong = world(1, { ...variables, AUTH_OPERATOR_KEYS: newOperatorKey('x', 'read').entry })
  expect(
    await wrong.costOf(async () => expect(await wrong.post('listWays', { sub })).toBe(401)),
  ).toEqual([0, 0, 0])
})

test('the log of three real objects is read as one, and is whole', async () => {
  const { of, signIn } = world(3, { AUTH_AUDIT_DAYS: '30' })
  const ada = await signIn()
  await Promise.all(Array.from({ length: 20 }, (_, at) => signIn(at % 4 ? undefined : 'wrong')))
  await of.auth.endSessions({ sub: ada.claims.sub }, of.env)
  const heads = await of.auth.auditHeads(of.env)
  const all = []
  for (let after: string | null = ''; after !== null; ) {
    const query = after === '' ? { limit: 10 } : { limit: 10, after }
    const page: Awaited<ReturnType<typeof of.auth.audit>> = await of.auth.audit(query, of.env)
    all.push(...page.records)
    after = page.next
  }
  const times = all.map((record) => ('time' in record ? record.time : ''))
  expect(times).toEqual(times.toSorted().reverse())
  expect(await verifyAudit(all.toReversed(), heads)).toMatchObject({ ok: true, faults: [] })
  const own = await of.auth.audit({ sub: ada.claims.sub, limit: 200 }, of.env)
  const [ended] = own.records
  expect(ended).toMatchObject({ event: 'sessions-ended', operator: 'binding' })
  const person = ended && 'person' in ended ? ended.person : undefined
  const isTheirs = (record: object) => Object.values(record).includes(person)
  expect(own.records).toEqual(all.filter(isTheirs))
  expect(own.records.length).toBeGreaterThan(5)
})
