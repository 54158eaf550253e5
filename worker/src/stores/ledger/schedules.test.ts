import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds } from '../../../../test/support/holds.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { type LedgerCall, LedgerModel } from '../../test-support/ledger-model.js'
import { sqliteLedger } from '../../test-support/sqlite.js'
import { durableLedger } from '../durable-ledger.js'
import { memoryStore } from '../memory.js'
import type { Ledger, SessionOwner } from '../ports.js'
import type { AnyMethod } from './methods.js'

const start = Date.UTC(2026, 10, 1)
const begun = start / 1000
clock({ start })

/** Longer than any schedule lasts. */
const later = begun + 1_000_000
const seconds = () => Math.floor(Date.now() / 1000)

/** Some sessions began before the schedule, and some begin in the course of it. */
const owners: Record<string, SessionOwner> = {
  'ada-1': { sub: 'ada', auth_time: begun - 100 },
  'ada-2': { sub: 'ada', auth_time: begun },
  'ada-3': { sub: 'ada', auth_time: begun + 40 },
  'grace-1': { sub: 'grace', auth_time: begun - 1 },
  'grace-2': { sub: 'grace', auth_time: begun + 200 },
}

const sid = fc.constantFrom(...Object.keys(owners))
const key = fc.constantFrom('a', 'b', '__proto__')
const version = fc.nat(2)
const mail = fc.constantFrom('1', '2')
const limits = [
  { name: 'minute', max: 2, period: 60 },
  { name: 'hour', max: 4, period: 3_600 },
]

/** A call that is made when its turn comes. */
type Planned = () => LedgerCall

const endings = fc.oneof<fc.Arbitrary<Planned>[]>(
  key.map((name) => () => ['consume', name, later]),
  sid.map((one) => () => ['revoke', one, later]),
  sid.map((one) => () => ['isRevoked', one, owners[one]]),
  sid.map((one) => () => ['isRevoked', one]),
  // By the clock of whoever asks, for all sessions or all others.
  fc.tuple(sid, fc.boolean(), fc.nat(9)).map(([one, isSpared, extra]) => () => {
    const { sub = '', auth_time = 0 } = owners[one] ?? {}
    const until = seconds()
    const cutoff = { sub, until, ...(isSpared && auth_time <= until ? { except: one } : {}) }
    return ['cutOff', cutoff, later + extra, auth_time]
  }),
  fc.constantFrom('ada', 'grace').map((sub) => () => ['repeatCutOff', sub]),
)
const refreshes = fc.oneof<fc.Arbitrary<Planned>[]>(
  sid.map((one) => () => ['refreshedTokens', one]),
  fc.tuple(sid, version).map(([one, at]) => () => ['claimRefresh', one, at, later]),
  fc.tuple(sid, version, fc.constantFrom('x', 'y', undefined)).map(([one, at, sealed]) => () => [
    'settleRefresh',
    one,
    at,
    sealed,
  ]),
)
const attempts = fc.oneof<fc.Arbitrary<Planned>[]>(
  key.map((one) => () => ['admit', one, limits]),
  fc.tuple(key, fc.subarray(['minute', 'hour'])).map(([one, names]) => () => [
    'forgive',
    one,
    names,
  ]),
)
const mails = fc.oneof<fc.Arbitrary<Planned>[]>(
  fc.tuple(key, mail).map(([one, at]) => () => {
    const expires = seconds() + 300
    return ['startVerification', one, { link: `l${at}`, code: `c${at}`, sealed: `s${at}`, expires }]
  }),
  fc.tuple(key, mail).map(([one, at]) => () => ['findVerification', one, `l${at}`]),
  fc.tuple(key, mail).map(([one, at]) => () => ['redeemVerification', one, { link: `l${at}` }]),
  fc.tuple(key, mail).map(([one, at]) => () => ['redeemVerification', one, { code: `c${at}` }]),
  fc.tuple(key, fc.option(mail, { nil: undefined })).map(([one, at]) => () => [
    'withdrawVerification',
    one,
    at && `l${at}`,
  ]),
)
const documents = fc.oneof<fc.Arbitrary<Planned>[]>(
  key.map((one) => () => ['document', `way\n${one}`]),
  fc.tuple(key, fc.nat(3), fc.constantFrom('x', 'y')).map(([one, at, content]) => () => [
    'changeDocument',
    `way\n${one}`,
    at,
    content,
  ]),
  fc.tuple(key, fc.integer({ min: 1, max: 3 })).map(([one, at]) => () => [
    'changeDocument',
    `way\n${one}`,
    at,
    null,
  ]),
  key.map((one) => () => ['enter', `flow ${one}`, later, `way\n${one}`]),
  key.map((one) => () => ['isConsumed', `flow ${one}`]),
  fc.tuple(key, fc.constantFrom('x', 'y', null)).map(([one, content]) => () => [
    'insertDocuments',
    [{ key: `way\n${one}`, content }],
  ]),
  fc.tuple(key, key).map(([one, way]) => () => ['forgive', one, ['hour'], way]),
)

/** Calls that are made at once, and the seconds that pass before. */
const schedule = (kinds: fc.Arbitrary<Planned>[], atOnce: number) =>
  fc.array(
    fc.record({
      // Also to the second at which a claim, a count or a mail ends.
      pause: fc.constantFrom(0, 0, 1, 20, 30, 31, 60, 61, 300, 301),
      calls: fc.array(fc.record({ call: fc.oneof(...kinds), by: fc.nat(1) }), {
        minLength: 1,
        maxLength: atOnce,
      }),
    }),
    { minLength: 1, maxLength: 12 },
  )

const seen = (ledgers: FakeLedgers, ...shards: number[]) => durableLedger(ledgers.binding, shards)

/** Ledgers over the same rows, as two isolates see them. */
type Isolates = () => readonly [Ledger, Ledger]
const both = (ledger: Ledger) => [ledger, ledger] as const
const isolates = (one: number[], other: number[]) => () => {
  const ledgers = new FakeLedgers()
  return [seen(ledgers, ...one), seen(ledgers, ...other)] as const
}
const all = [endings, refreshes, attempts, mails, documents]

it.each<[string, Isolates]>([
  ['memory', () => both(memoryStore().ledger)],
  ['SQLite', () => both(sqliteLedger(Date.now))],
  ['one object', isolates([1], [1])],
  ['four objects', isolates([4], [4])],
])('calls in any order and at once are answered as one after the other: %s', (_, make) =>
  holds(
    60,
    fc.asyncProperty(schedule(all, 3), (steps) => follow(make(), steps)),
  ),
)

// Attempts may be twice as many while the number changes, and a mail is found by whoever knows the newest number.
it.each<[string, number[], number[], fc.Arbitrary<Planned>[]]>([
  ['one becomes four', [1], [1, 4], [endings, refreshes, documents]],
  ['all have both', [1, 4], [1, 4], [endings, refreshes, mails, documents]],
  ['five are four now', [5, 4], [4], [endings, refreshes, mails, documents]],
])('while the number of objects changes calls are answered as ever: %s', (_, one, other, kinds) =>
  holds(
    80,
    fc.asyncProperty(schedule(kinds, 1), (steps) => follow(isolates(one, other)(), steps)),
  ),
)

/** Makes the calls, and finds an order of those at once in which the model answers the same. */
async function follow(
  ledgers: readonly [Ledger, Ledger],
  steps: readonly { pause: number; calls: readonly { call: Planned; by: number }[] }[],
): Promise<void> {
  vi.setSystemTime(start)
  let models = [new LedgerModel(owners)]
  const said: string[] = []
  for (const { pause, calls } of steps) {
    vi.setSystemTime(Date.now() + pause * 1_000)
    const made = calls.map(async ({ call, by }) => answerTo(ledgers[by === 0 ? 0 : 1], call()))
    const given = (await Promise.all(made)).flatMap((answered) => answered ?? [])
    const next = models.flatMap((model) => ordersOf(model, given))
    said.push(`${pause} s ${JSON.stringify(given)}`)
    expect(next, said.join('\n')).not.toEqual([])
    models = [...new Map(next.map((model) => [model.key, model])).values()]
  }
  const { sessions, users } = await ledgers[1].revokedSince(0)
  const sids = [...new Set(sessions.map((ended) => ended.sid))].toSorted()
  const subs = [...new Set(users.map(({ sub }) => sub))].toSorted()
  expect(models.map(({ listed }) => listed)).toContainEqual({ sids, subs })
}

/** @returns nothing where a session that is over would end others: the service asks that first */
async function answerTo(ledger: Ledger, call: LedgerCall): Promise<Answered | undefined> {
  const except = call[0] === 'cutOff' ? call[1].except : undefined
  if (except !== undefined && (await ledger.isRevoked(except, owners[except]))) return undefined
  const [name, ...given] = call
  return { call, answer: await (ledger[name] as AnyMethod)(...given) }
}

interface Answered {
  readonly call: LedgerCall
  readonly answer: unknown
}

/** The models after each order of the calls in which they would have these answers. */
function ordersOf(model: LedgerModel, given: readonly Answered[]): LedgerModel[] {
  if (given.length === 0) return [model]
  return given.flatMap((first) => {
    const after = model.copy()
    const expected = after.answer(first.call, seconds())
    if (JSON.stringify(expected) !== JSON.stringify(first.answer)) return []
    return ordersOf(
      after,
      given.filter((one) => one !== first),
    )
  })
}
