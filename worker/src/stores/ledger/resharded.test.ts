import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds } from '../../../../test/support/holds.js'
import { filled, keys, Objects } from '../../test-support/resharding.js'
import { durableLedger } from '../durable-ledger.js'
import { layoutOf, placeOfName } from './placement.js'
import type { Ledger } from './rules.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) })
const DAY = 24 * 60 * 60

const homeOf = (key: string) => key.slice('way\n'.length)

describe('a month after an old number of objects was dropped', () => {
  const month = async (objects: Objects) => {
    pass(31 * DAY)
    await objects.settle()
    pass(60 * 60)
    await objects.settle()
  }

  it.each([
    ['one object', 1, 4],
    ['four objects', 4, 8],
  ])('nothing comes back that was deleted since: %s', async (_, from, to) => {
    const objects = await filled(40, from)
    await objects.reshard(from, to)
    await objects.settle()
    const after = objects.seen(to)
    const [removed, erased] = [keys(40).slice(0, 20), keys(40).slice(20, 30)]
    for (const key of removed) await after.changeDocument(key, 1, null)
    for (const key of erased) await after.forget(homeOf(key))
    await month(objects)
    for (const key of [...removed, ...erased]) expect(await after.document(key)).toBeUndefined()
    for (const key of keys(40).slice(30)) {
      expect(await after.document(key)).toEqual({ version: 1, content: key })
    }
    for (const count of [from, to])
      expect(objects.keysIn(count)).toHaveLength(count === to ? 10 : 0)
  })
})

describe.each([
  [1, 4],
  [4, 8],
])('%i objects that have handed over to %i', (from, to) => {
  const handed = async () => {
    const objects = await filled(20, from)
    await objects.reshard(from, to)
    await objects.settle()
    return objects
  }
  const [key = ''] = keys(20)

  it('bring nothing back that the new ones have forgotten, if isolates know both numbers again', async () => {
    const objects = await handed()
    const [removed = '', erased = '', again = ''] = keys(20)
    const after = objects.seen(to)
    await after.changeDocument(removed, 1, null)
    pass(DAY)
    await objects.settle()
    // As an isolate of the version before forgets it, which does not reach the old number.
    const forgotten = placeOfName(layoutOf(to), homeOf(erased)).name
    objects.rows.get(forgotten)?.delete('documents', erased)
    objects.rows.get(placeOfName(layoutOf(to), homeOf(again)).name)?.delete('documents', again)
    await after.changeDocument(again, 0, 'of another person')
    const both = objects.seen(from, to)
    expect(await both.document(removed)).toBeUndefined()
    expect(await both.document(erased)).toBeUndefined()
    expect(await both.document(again)).toEqual({ version: 1, content: 'of another person' })
    const old = objects.seen(from)
    for (const gone of [removed, erased]) expect(await old.document(gone)).toBeUndefined()
    expect(await old.document(again)).toEqual({ version: 1, content: 'of another person' })
  })

  it('stay a source for what isolates change that know the old number alone', async () => {
    const objects = await handed()
    await objects.seen(from).changeDocument(key, 1, 'changed')
    expect(await objects.seen(from, to).document(key)).toEqual({ version: 2, content: 'changed' })
  })

  it.each([
    ['the new number alone', () => [to]],
    ['the old number alone', () => [from]],
    ['both', () => [from, to]],
  ])('forget a person that an isolate with %s erases', async (_, shards) => {
    const objects = await handed()
    await objects.seen(...shards()).forget(homeOf(key))
    for (const known of [[from], [to], [from, to]]) {
      expect((await objects.seen(...known).document(key))?.content ?? null).toBeNull()
    }
    await objects.settle()
    pass(DAY)
    await objects.settle()
    for (const known of [[from], [to], [from, to]]) {
      expect(await objects.seen(...known).document(key)).toBeUndefined()
    }
    // And the old number is not in use by that.
    pass(29 * DAY)
    await objects.settle()
    expect(objects.keysIn(to)).toEqual(keys(20).slice(1))
  })

  it('are deleted also if people are erased every day', async () => {
    const objects = await handed()
    for (let day = 0; day < 31; day++) {
      pass(DAY)
      await objects.seen(to).forget(`person-${day + 100}`)
    }
    await objects.settle()
    expect(objects.keysIn(from)).toEqual([])
  })
})

it('a person is forgotten at each number that led here, one after the other', async () => {
  const objects = await filled(20, 1)
  for (const [from, to] of [
    [1, 4],
    [4, 8],
  ] as const) {
    await objects.reshard(from, to)
    await objects.settle()
  }
  const [key = ''] = keys(20)
  await objects.seen(8).forget(homeOf(key))
  for (const count of [1, 4, 8]) {
    expect((await objects.seen(count).document(key))?.content ?? null).toBeNull()
  }
})

it('a call that forgets fails if an object of an old number does not answer, and is made again', async () => {
  const objects = await filled(20, 1)
  await objects.reshard(1, 4)
  await objects.settle()
  const [key = ''] = keys(20)
  objects.fault = (call) => {
    if (call === 'ledger forget') throw new Error('overloaded')
  }
  await expect(objects.seen(4).forget(homeOf(key))).rejects.toThrow('overloaded')
  objects.fault = () => {}
  await objects.seen(4).forget(homeOf(key))
  expect((await objects.seen(1).document(key))?.content ?? null).toBeNull()
})

it.each([
  ['the new number alone', [4]],
  ['both', [1, 4]],
])(
  'attack: a person who is erased comes back if the old object hands a change over meanwhile, by an isolate that knows %s',
  async (_, shards) => {
    const objects = await filled(20, 1)
    await objects.reshard(1, 4)
    await objects.settle()
    const [key = ''] = keys(20)
    await objects.seen(1, 4).changeDocument(key, 1, 'changed')
    const binding = objects.binding()
    const get = (name: never) => {
      const object = binding.get(name) as unknown as Ledger
      // The old object hears of it late.
      const forget = async (...given: [string]) => {
        await objects.settle()
        return object.forget(...given)
      }
      return (name as unknown) === 'ledger' ? { ...object, forget } : object
    }
    const isolate = durableLedger({ ...binding, get } as unknown as typeof binding, shards)
    await isolate.forget?.(homeOf(key))
    await objects.settle()
    for (const known of [[1], [4], [1, 4]]) {
      expect((await objects.seen(...known).document(key))?.content ?? null).toBeNull()
    }
  },
)

/** The numbers that isolates know, in the order of a change from one object to four and on to eight. */
const STAGES = [[1], [1, 4], [4], [4, 8], [8]]

it.each([0, 25])(
  'from one object to four and eight, forward and back, with removals and erasures, nothing is lost and nothing comes back, with %i of 100 calls lost',
  (percent) =>
    holds(
      3,
      fc.asyncProperty(fc.noShrink(fc.integer({ min: 1, max: 0x7ffffffe })), async (seed) => {
        let random = seed
        const pick = (of: number) => {
          random = (random * 48_271) % 0x7fffffff
          return random % of
        }
        const objects = new Objects()
        const names = Array.from({ length: 8 }, (_, at) => `person-${at}`)
        /** The last confirmed content, or contents that may have happened since. */
        const may = new Map(names.map((name) => [name, new Set<string | null>([null])]))
        const fault = () => {
          if (pick(100) < percent) throw new Error('overloaded')
        }
        const calmly = async (work: () => Promise<unknown>) => {
          objects.fault = () => {}
          await work()
          objects.fault = fault
        }
        const tell = (stage: readonly number[]) =>
          stage.length > 1 ? objects.reshard(stage[0] ?? 0, stage[1] ?? 0) : Promise.resolve(false)
        const act = async (shards: readonly number[], round: number) => {
          const name = names[pick(names.length)] as string
          const key = `way\n${name}`
          const ledger = objects.seen(...shards)
          const said = may.get(name) as Set<string | null>
          const what = pick(10)
          try {
            if (what < 3) return expect([...said]).toContain(await contentOf(shards, key))
            if (what < 5) {
              said.add(null)
              await ledger.forget(name)
              may.set(name, new Set([null]))
            } else {
              const content = what < 7 ? null : `${name} ${round}`
              const { version = 0 } = (await ledger.document(key)) ?? {}
              said.add(content)
              if (await ledger.changeDocument(key, version, content)) {
                may.set(name, new Set([content]))
              }
            }
          } catch (error) {
            // It happened, or not.
            if ((error as Error).message !== 'overloaded') throw error
          }
        }
        const contentOf = async (shards: readonly number[], key: string) =>
          (await objects.seen(...shards).document(key))?.content ?? null
        objects.fault = fault
        let stage = 0
        let furthest = 0
        for (let round = 0; stage < STAGES.length - 1 || round < 12; round++) {
          const goesOn = pick(3) > 0
          const [here = [], next = []] = [STAGES[stage], goesOn ? STAGES[stage + 1] : []]
          if (goesOn) furthest = Math.max(furthest, stage + 1)
          const settle = async () => {
            for (const one of [here, next]) await tell(one)
            await objects.settle()
          }
          // An isolate that knows both numbers tells with its first call, and the first object tells the others.
          await calmly(async () => {
            for (const one of [here, next]) await tell(one)
            for (let steps = 0; steps < 2; steps++) await objects.step()
          })
          // A roll-out, which may be taken back: isolates of both stages are there.
          for (let turn = 0; turn < 10; turn++) {
            await act(next.length > 0 && pick(2) === 1 ? next : here, round * 100 + turn)
            if (pick(3) === 0) await tell(here).catch(() => true)
            if (pick(3) === 0) await objects.step()
            // Isolates with the new number alone come when nothing is left, which takes seconds after a failure.
            if (here.length > 1) await calmly(settle)
          }
          await calmly(settle)
          if (pick(4) > 0 && next.length > 0) stage++
          // If isolates knew the new number alone, a roll-back lists both numbers.
          else if (pick(3) === 0 && stage > 1 && (stage % 2 === 0 || furthest <= stage)) stage--
          const now = STAGES[stage] as readonly number[]
          const isLong = pick(3) === 0
          for (let part = 0; part < 4; part++) {
            pass(isLong ? 8 * DAY : 60)
            // A number that is listed is in use.
            await calmly(async () => {
              for (const name of names) await contentOf(now, `way\n${name}`)
            })
            if (pick(2) === 0) await calmly(() => objects.settle())
          }
        }
        await calmly(async () => {
          await objects.settle()
          for (const [name, said] of may) {
            const known = await contentOf([8], `way\n${name}`)
            expect([...said]).toContain(known)
            for (let months = 0; months < 2; months++) {
              pass(31 * DAY)
              await objects.settle()
              expect(await contentOf([8], `way\n${name}`)).toBe(known)
            }
          }
        })
      }),
    ),
)
