import type { Layout } from '@latchkey/worker/stores/ledger/placement'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { holds } from '../../test/support/holds.js'
import { runFaulty } from './faulty-run.js'
import type { Fault, Schedule } from './schedule.js'

const of = (count: number, ...regions: Layout['regions']): Layout => ({ count, regions })

const fault = (lasts: number, ...kinds: Fault['kind'][]): fc.Arbitrary<Fault> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    at: fc.nat(50),
    which: fc.nat(1_000),
    lasts: fc.constant(lasts),
  })
const faults = fc.oneof(
  fault(0, 'collectors restart', 'an isolate restarts', 'an app restarts'),
  fault(10, 'messages overtake each other'),
  fault(30, 'a location is cut off'),
  fault(10, 'an object fails'),
)
/** One message at a time: two that are lost one after the other are a fault that lasts. */
const losses = fc.array(fc.nat(5), { maxLength: 5 }).map((times) =>
  times.map((time, index): Fault => {
    return { kind: 'a message is lost', at: 2 + index * 11 + time, which: 0, lasts: 0 }
  }),
)

const schedules = (shards: fc.Arbitrary<Schedule['shards']>): fc.Arbitrary<Schedule> =>
  fc.record({
    seed: fc.nat(1_000_000),
    shards,
    isLong: fc.boolean(),
    faults: fc.tuple(losses, fc.array(faults, { maxLength: 4 })).map((all) => all.flat()),
  })

async function keepsItsPromises(schedule: Schedule): Promise<void> {
  const { violations, seen } = await runFaulty(schedule)
  expect(violations).toEqual([])
  expect(seen.ends).toBeGreaterThan(10)
  expect(seen.reads).toBeGreaterThan(500)
}

it.each<[string, fc.Arbitrary<Schedule['shards']>]>([
  ['one object', fc.constant([[of(1)]])],
  [
    'objects with collectors',
    fc.constantFrom<Schedule['shards']>([[of(5)]], [[of(3, 'weur', 'apac')]]),
  ],
  [
    'their number is changed',
    fc.constantFrom<Schedule['shards']>(
      [[of(1)], [of(1), of(4)], [of(4)]],
      [[of(4)], [of(4), of(70)], [of(70)]],
      [[of(16)], [of(16), of(64)], [of(64)]],
      [[of(4)], [of(4), of(4, 'weur', 'enam')], [of(4, 'weur', 'enam')]],
    ),
  ],
])(
  'under any faults, no end is lost or late, no other user is signed out, once stays once: %s',
  (_, shards) => holds(4, fc.asyncProperty(schedules(shards), keepsItsPromises)),
)
