import { describe, expect, it } from 'vitest'
import { FakeLedgers } from '../../test-support/deployment.js'
import { durableLedger } from '../durable-ledger.js'
import { placeOfPerson } from './placement.js'
import type { Ledger } from './rules.js'
import type { DocumentEntry } from './types.js'

const key = 'way\nada'
const nobody = 'way\nnobody'
const [OLD, NEW] = ['ledger', placeOfPerson({ count: 4, regions: [] }, 'ada').name]

/**
 * A ledger whose number of objects goes from one to four, and ledgers that know only one number.
 */
function changing() {
  const ledgers = new FakeLedgers()
  const of = (...shards: number[]) => durableLedger(ledgers.binding, shards) as Ledger
  const both = of(1, 4)
  const insert = (...entries: DocumentEntry[]) => both.insertDocuments(entries)
  const [older, newer] = [of(1), of(4)]
  /** A document as each number of objects has it. */
  const everywhere = async (name = key) => [await older.document(name), await newer.document(name)]
  /** Does something once, before an object is called the given time. */
  const meanwhile = (object: string, times: number, work: () => Promise<unknown>) => {
    let calls = 0
    ledgers.before.set('insertDocuments', async (name) => {
      if (name === object && ++calls === times) await work()
    })
  }
  return { ledgers, insert, older, newer, everywhere, meanwhile }
}

/** The same documents in both. */
const twice = (version: number, content: string | null) => Array(2).fill({ version, content })

describe('documents that are inserted', () => {
  it.each([[[1]], [[4]]])('cost one call to each object of %s that has any', async (shards) => {
    const ledgers = new FakeLedgers()
    const ledger = durableLedger(ledgers.binding, shards) as Ledger
    const people = Array.from({ length: 40 }, (_, at) => `way\n${at}`)
    await ledger.changeDocument('way\n7', 0, 'theirs')
    ledgers.calls.length = 0
    const entries = people.map((each) => ({ key: each, content: 'ours' }))
    const answers = await ledger.insertDocuments(entries)
    expect(ledgers.calls.toSorted()).toEqual(
      [...new Set(ledgers.calls)].toSorted().filter((call) => call.endsWith(' insertDocuments')),
    )
    expect(ledgers.calls).toHaveLength(shards[0] ?? 0)
    expect(answers).toEqual(
      people.map((_, at) => (at === 7 ? { version: 1, content: 'theirs' } : null)),
    )
    for (const each of people) {
      const content = each === 'way\n7' ? 'theirs' : 'ours'
      expect(await ledger.document(each)).toEqual({ version: 1, content })
    }
  })

  it('are in the objects of both numbers while that changes', async () => {
    const { insert, everywhere, ledgers } = changing()
    expect(await insert({ key, content: 'ada' })).toEqual([null])
    // Each is asked and gets the document, and that is all.
    const calls = [OLD, NEW].map((name) => `${name} insertDocuments`)
    expect(ledgers.calls.toSorted()).toEqual([...calls, ...calls].toSorted())
    expect(await insert({ key: 'way\nbob', content: 'bob' })).toEqual([null])
    expect(await everywhere()).toEqual(twice(1, 'ada'))
    expect(await everywhere('way\nbob')).toEqual(twice(1, 'bob'))
  })

  it('leave existing documents, whichever number has them, and the other number hears of them', async () => {
    for (const number of ['older', 'newer'] as const) {
      const world = changing()
      await world[number].changeDocument(key, 0, 'theirs')
      const answers = await world.insert({ key, content: 'ours' }, { key: nobody, content: 'new' })
      expect(answers).toEqual([{ version: 1, content: 'theirs' }, null])
      expect(await world.everywhere()).toEqual(twice(1, 'theirs'))
      expect(await world.everywhere(nobody)).toEqual(twice(1, 'new'))
    }
  })

  it('leave what both have with no more calls than to look', async () => {
    const { insert, ledgers } = changing()
    await insert({ key, content: 'theirs' })
    ledgers.calls.length = 0
    expect(await insert({ key, content: 'ours' })).toEqual([{ version: 1, content: 'theirs' }])
    expect(ledgers.calls.toSorted()).toEqual([OLD, NEW].map((name) => `${name} insertDocuments`))
  })

  it('leave the newer one of two that differ', async () => {
    const { insert, older, newer, everywhere } = changing()
    await older.changeDocument(key, 0, 'old')
    await newer.changeDocument(key, 0, 'old')
    await newer.changeDocument(key, 1, 'new')
    expect(await insert({ key, content: 'ours' })).toEqual([{ version: 2, content: 'new' }])
    expect(await everywhere()).toEqual(twice(2, 'new'))
  })

  it('take the place of one that was deleted, also if one number has not heard of it', async () => {
    const { insert, older, newer, everywhere } = changing()
    await older.changeDocument(key, 0, 'old')
    await newer.changeDocument(key, 0, 'old')
    await newer.changeDocument(key, 1, null)
    expect(await insert({ key, content: null })).toEqual([null])
    expect(await insert({ key, content: 'ours' })).toEqual([null])
    expect(await everywhere()).toEqual(twice(3, 'ours'))
  })

  it('without content are read, and written nowhere', async () => {
    const { insert, newer, everywhere, ledgers } = changing()
    await newer.changeDocument(key, 0, 'theirs')
    const asked = [key, nobody].map((each) => ({ key: each, content: null }))
    expect(await insert(...asked)).toEqual([{ version: 1, content: 'theirs' }, null])
    expect(await everywhere(nobody)).toEqual([undefined, undefined])
    ledgers.calls.length = 0
    await insert({ key: nobody, content: null })
    expect(ledgers.count('insertDocuments')).toBe(2)
  })

  it('race: an isolate with only the old number is faster, and the new one gets no document of ours', async () => {
    const { insert, older, newer, meanwhile, everywhere } = changing()
    meanwhile(OLD, 2, () => older.changeDocument(key, 0, 'theirs'))
    const answers = await insert({ key, content: 'ours' }, { key: nobody, content: 'new' })
    expect(answers).toEqual([{ version: 1, content: 'theirs' }, null])
    expect(await newer.document(key)).toBeUndefined()
    expect(await everywhere(nobody)).toEqual(twice(1, 'new'))
  })

  it('race: an isolate with only the new number is faster there, and its document counts', async () => {
    for (const theirs of ['theirs', 'ours']) {
      const { insert, newer, meanwhile } = changing()
      meanwhile(NEW, 2, () => newer.changeDocument(key, 0, theirs))
      const known = theirs === 'ours' ? null : { version: 1, content: theirs }
      const answers = await insert({ key, content: 'ours' }, { key: nobody, content: 'new' })
      expect(answers).toEqual([known, null])
      expect(await newer.document(key)).toEqual({ version: 1, content: theirs })
    }
  })
})

it.each([
  ['fewer', []],
  ['more', [null, null]],
])(
  'rubbish: a ledger that answers for %s documents than it was asked for is out of order',
  async (_, answer) => {
    const get = () => ({ insertDocuments: async () => answer })
    const one = durableLedger({ ...new FakeLedgers().binding, get } as never, [1])
    await expect(one.insertDocuments([{ key, content: 'ours' }])).rejects.toThrow('is invalid')
  },
)
