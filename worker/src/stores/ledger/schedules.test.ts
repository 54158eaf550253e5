import fc from 'fast-check'
import { expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds } from '../../../../test/support/holds.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { type LedgerCall, LedgerModel } from '../../test-support/ledger-model.js'
import {
  type Answered,
  attempts,
  distinct,
  documents,
  lives,
  mails,
  ordersOf,
  owners,
  type Planned,
  refreshes,
  revocations,
  start,
} from '../../test-support/planned-calls.js'
import { sqliteLedger } from '../../test-support/sqlite.js'
import { durableLedger } from '../durable-ledger.js'
import { memoryStore } from '../memory.js'
import type { AnyMethod } from './methods.js'
import type { Ledger } from './rules.js'

clock({ start })

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
const all = [revocations, refreshes, attempts, mails, documents, lives]

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

// Attempts may be twice as many while the number changes, and a caller that knows the newest number
// finds a mail.
it.each<[string, number[], number[], fc.Arbitrary<Planned>[]]>([
  ['one becomes four', [1], [1, 4], [revocations, refreshes, documents, lives]],
  ['all have both', [1, 4], [1, 4], [revocations, refreshes, mails, documents, lives]],
  ['five are four now', [5, 4], [4], [revocations, refreshes, mails, documents, lives]],
])('while the number of objects changes calls are answered as ever: %s', (_, one, other, kinds) =>
  holds(
    80,
    fc.asyncProperty(schedule(kinds, 1), (steps) => follow(isolates(one, other)(), steps)),
  ),
)

/**
 * Makes the calls, and finds an order of the simultaneous ones in which the model answers the same.
 */
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
    models = distinct(next)
  }
  const { sessions, users } = await ledgers[1].revokedSince(0)
  const sids = [...new Set(sessions.map((ended) => ended.sid))].toSorted()
  const subs = [...new Set(users.map(({ sub }) => sub))].toSorted()
  expect(models.map(({ listed }) => listed)).toContainEqual({ sids, subs })
}

/** @returns nothing if a session that is over would end others: the service asks that first */
async function answerTo(ledger: Ledger, call: LedgerCall): Promise<Answered | undefined> {
  const except = call[0] === 'cutOff' ? call[1].except : undefined
  if (except !== undefined && (await ledger.isRevoked(except, owners[except]))) return undefined
  const [name, ...given] = call
  return { call, answer: await (ledger[name] as AnyMethod)(...given) }
}
