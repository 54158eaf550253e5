import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { holds } from '../../../../test/support/holds.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { ledgerOver } from '../../test-support/ledger-over.js'
import { emptyDatabase } from '../../test-support/sqlite.js'
import { durableLedger } from '../durable-ledger.js'
import { mapRows, memoryStore } from '../memory.js'
import { placeOfPerson } from './placement.js'
import type { Rows } from './rows.js'
import type { Ledger } from './rules.js'
import { sqliteRows } from './sqlite-rows.js'
import { MAX_DOCUMENT } from './types.js'

clock({ start: Date.UTC(2026, 10, 1) })

const key = 'way\nada'
const four = { count: 4, regions: [] }
const stores: [string, () => Rows][] = [
  ['maps', () => mapRows(() => 1000)],
  ['SQLite', () => sqliteRows(emptyDatabase())],
]

describe.each(stores)('a document in %s', (_, make) => {
  const ledgerWithRows = () => {
    const rows = make()
    return { rows, ledger: ledgerOver(rows, () => 1_000_000) }
  }

  it('with every kind is forgotten with its person, except one whose way only has that name', async () => {
    const kinds = ['way', 'person', 'connection', 'subject']
    for (const [isSub, left] of [
      [true, ['way\nada']],
      [false, []],
    ] as const) {
      const { rows, ledger } = ledgerWithRows()
      const own = kinds.map((kind) => `${kind}\nada`)
      for (const name of [...own, 'connection\nada\none', 'person\nadam', 'way\nbob']) {
        rows.put('documents', name, { version: 1, content: 'x', expires: null })
        rows.put('unhanded', name, { expires: null })
      }
      await ledger.admit('ada', [{ name: 'hourly', max: 9, period: 3_600 }])
      await ledger.startVerification('ada', { link: 'l', code: 'c', sealed: 's', expires: 2_000 })
      await ledger.forget('ada', isSub)
      const kept = [...left, 'person\nadam', 'way\nbob'].toSorted()
      expect(rows.keys('documents', '').toSorted()).toEqual(kept)
      expect(rows.keys('unhanded', '').toSorted()).toEqual(kept)
      expect(await ledger.findVerification('ada', 'l')).toBe(isSub ? 's' : undefined)
      expect(rows.keys('attempts', '')).toHaveLength(isSub ? 1 : 0)
    }
  })

  it('that was deleted is forgotten before its day is over, unless it was written again, or is handed over', async () => {
    const { rows, ledger } = ledgerWithRows()
    const forget = () => ledger.changeDocument(key, -1, null, 'forgets')
    expect(await forget()).toBe(false)
    await ledger.changeDocument(key, 0, 'x')
    expect([await forget(), rows.keys('documents', '')]).toEqual([false, [key]])
    await ledger.changeDocument(key, 1, null)
    const none = { after: '', others: 0, next: 0, behind: 0, seen: 0, expires: null }
    for (const name of ['documents', 'from 4']) {
      rows.put('handovers', name, { count: 4, ...none })
      expect([await forget(), rows.keys('documents', '')]).toEqual([false, [key]])
      rows.delete('handovers', name)
    }
    expect([await forget(), rows.keys('documents', '')]).toEqual([true, []])
  })

  it('that was deleted stays if two numbers of objects are asked', async () => {
    const ledger = durableLedger(new FakeLedgers().binding, [1, 4])
    await ledger.changeDocument(key, 0, 'x')
    await ledger.changeDocument(key, 1, null)
    expect(await ledger.changeDocument(key, -1, null, 'forgets')).toBe(false)
    expect(await ledger.document(key)).toEqual({ version: 2, content: null })
  })

  it('that is inserted is noted for the next number of objects while there is one, and for none else', async () => {
    const { rows, ledger } = ledgerWithRows()
    const insert = (name: string, content: string | null) =>
      ledger.insertDocuments([{ key: name, content }])
    await insert('way\nearly', 'x')
    expect(rows.keys('unhanded', '')).toEqual([])
    const state = { count: 4, after: null, others: 0, next: 0, behind: 0, seen: 1, expires: null }
    rows.put('handovers', 'documents', state)
    await insert('way\nlate', 'x')
    await insert('way\nearly', 'y')
    await insert('way\nread', null)
    expect(rows.keys('unhanded', '')).toEqual(['way\nlate'])
    expect(rows.get('unhanded', 'way\nlate')).toEqual({ expires: null })
  })

  it('that is inserted has a length', async () => {
    const { ledger } = ledgerWithRows()
    const insert = async (content: string) => ledger.insertDocuments([{ key, content }])
    await expect(insert('x'.repeat(MAX_DOCUMENT + 1))).rejects.toThrow('too long')
    expect(await ledger.document(key)).toBeUndefined()
    expect(await insert('x'.repeat(MAX_DOCUMENT))).toEqual([null])
  })

  it('a mail that is redeemed by no proof at all is not redeemed, and stays', async () => {
    const { ledger } = ledgerWithRows()
    await ledger.startVerification('ada', { link: 'l', code: 'c', sealed: 's', expires: 2_000 })
    expect(await ledger.redeemVerification('ada', {} as never)).toEqual({ state: 'over' })
    expect(await ledger.findVerification('ada', 'l')).toBe('s')
  })

  it('has no end, and a deleted one ends in a day', async () => {
    const { rows, ledger } = ledgerWithRows()
    await ledger.changeDocument(key, 0, 'x')
    expect(rows.get('documents', key)).toMatchObject({ version: 1, content: 'x', expires: null })
    await ledger.changeDocument(key, 1, null)
    const deleted = { version: 2, content: null, expires: 1000 + 86_400 }
    expect(rows.get('documents', key)).toMatchObject(deleted)
  })

  it('that never was is deleted without a row', async () => {
    const { rows, ledger } = ledgerWithRows()
    expect(await ledger.changeDocument('way\neve', 0, null)).toBe(true)
    expect(rows.get('documents', 'way\neve')).toBeUndefined()
  })

  it('has so many characters at most, and one that is too long changes nothing', async () => {
    const { ledger } = ledgerWithRows()
    await ledger.changeDocument(key, 0, 'x'.repeat(MAX_DOCUMENT))
    await expect(ledger.changeDocument(key, 1, 'x'.repeat(MAX_DOCUMENT + 1))).rejects.toThrow(
      'too long',
    )
    expect(await ledger.document(key)).toMatchObject({ version: 1 })
  })

  it('follows a decision of another object, once or twice, and no older one', async () => {
    const { ledger } = ledgerWithRows()
    const follow = (version: number, content: string | null) =>
      ledger.changeDocument(key, version, content, 'follows')
    expect(await follow(4, 'five')).toBe(true)
    expect(await follow(4, 'five')).toBe(true)
    expect(await follow(4, 'another five')).toBe(false)
    expect(await follow(3, 'four')).toBe(false)
    expect(await ledger.document(key)).toEqual({ version: 5, content: 'five' })
    expect(await follow(8, null)).toBe(true)
    expect(await ledger.document(key)).toEqual({ version: 9, content: null })
  })

  it('is decided once, also by a caller that has read a newer one elsewhere', async () => {
    const { ledger } = ledgerWithRows()
    const decide = () => ledger.changeDocument(key, 4, 'five', 'decides')
    expect([await decide(), await decide()]).toEqual([true, false])
  })
})

const seen = (ledgers: FakeLedgers, ...shards: number[]) =>
  durableLedger(ledgers.binding, shards) as Ledger

describe('while the number of objects changes', () => {
  it('every caller finds an older document, also if the new object has missed it', async () => {
    const ledgers = new FakeLedgers()
    await seen(ledgers, 1).changeDocument(key, 0, 'one')
    const both = seen(ledgers, 1, 4)
    expect(await both.document(key)).toEqual({ version: 1, content: 'one' })
    // The reader has passed on the new one.
    expect(await seen(ledgers, 4).document(key)).toEqual({ version: 1, content: 'one' })
    await seen(ledgers, 1).changeDocument(key, 1, 'two')
    const entrance = { isFirst: true, document: { version: 2, content: 'two' } }
    expect(await both.enter('flow', 2_000_000_000, key)).toEqual(entrance)
    await seen(ledgers, 1).changeDocument(key, 2, 'three')
    const document = { version: 3, content: 'three' }
    expect(await both.forgive('x', [], 'ada')).toEqual(document)
    await both.startVerification('ada', { link: 'l', code: 'c', sealed: 's', expires: 2e9 })
    await seen(ledgers, 1).changeDocument(key, 3, 'four')
    const redeemed = { state: 'redeemed', sealed: 's', document: { version: 4, content: 'four' } }
    expect(await both.redeemVerification('ada', { link: 'l' })).toEqual(redeemed)
  })

  it('one that was deleted comes back from no object that has missed it', async () => {
    const ledgers = new FakeLedgers()
    const both = seen(ledgers, 1, 4)
    await both.changeDocument(key, 0, 'one')
    await seen(ledgers, 1).changeDocument(key, 1, null)
    expect(await both.document(key)).toEqual({ version: 2, content: null })
    expect(await seen(ledgers, 4).document(key)).toEqual({ version: 2, content: null })
  })

  it('an object that fails hides no document: the call fails', async () => {
    const ledgers = new FakeLedgers()
    await seen(ledgers, 1).changeDocument(key, 0, 'one')
    const down = async (name: string) => {
      if (name === 'ledger') throw new Error('overloaded')
    }
    ledgers.before.set('document', down).set('enter', down)
    const both = seen(ledgers, 1, 4)
    await expect(both.document(key)).rejects.toThrow('overloaded')
    await expect(both.enter('flow', 2_000_000_000, key)).rejects.toThrow('overloaded')
  })

  it('one of a hundred changes at once counts, by isolates that know the old number, the new one or both', async () => {
    for (const numbers of [[[1], [1, 4]], [[1, 4]], [[1, 4], [4]]]) {
      const ledgers = new FakeLedgers()
      await seen(ledgers, 1, 4).changeDocument(key, 0, 'before')
      const tries = Array.from({ length: 100 }, (_, at) => {
        const shards = numbers[at % numbers.length] ?? []
        return seen(ledgers, ...shards).changeDocument(key, 1, `by ${at}`)
      })
      const counted = await Promise.all(tries)
      const found = await seen(ledgers, 1, 4).document(key)
      expect([counted.filter(Boolean).length, found]).toEqual([
        1,
        { version: 2, content: `by ${counted.indexOf(true)}` },
      ])
    }
  })

  it.each<[string, number[], number[]]>([
    ['one object', [1], [1]],
    ['one becomes four', [1], [1, 4]],
    ['all have both', [1, 4], [1, 4]],
    ['one is four now', [1, 4], [4]],
    ['five are four now', [5, 4], [4]],
    ['two changes after each other', [4, 16], [1, 4, 16]],
  ])('no confirmed change is lost under any faults: %s', (_, one, other) =>
    holds(
      40,
      fc.asyncProperty(
        fc.integer({ min: 1, max: 0x7ffffffe }),
        fc.integer({ min: 0, max: 40 }),
        async (seed, percent) => {
          const ledgers = new FakeLedgers()
          const all = seen(
            ledgers,
            ...new Set([...other, ...one].sort((a, b) => order(a) - order(b))),
          )
          await all.changeDocument(key, 0, '')
          const fault = randomFault(seed, percent)
          for (const method of ['document', 'changeDocument'] as const) {
            ledgers.before.set(method, fault)
            ledgers.after.set(method, fault)
          }
          const isolates = [seen(ledgers, ...one), seen(ledgers, ...other)] as const
          const names = Array.from({ length: 6 }, (_, at) => `n${at}`)
          const added = await Promise.all(
            names.map((name, at) => add(isolates[at % 2 === 0 ? 0 : 1], name)),
          )
          ledgers.before.clear()
          ledgers.after.clear()
          const found = (await all.document(key))?.content ?? ''
          const list = found.split(' ').filter(Boolean)
          expect(new Set(list).size).toBe(list.length)
          expect(list).toEqual(expect.arrayContaining(names.filter((_, at) => added[at])))
          for (const isolate of isolates) expect((await isolate.document(key))?.content).toBe(found)
        },
      ),
    ),
  )

  /** Numbers of objects in the order of these tests. */
  const order = (count: number) => [1, 5, 4, 16].indexOf(count)
})

/** Adds a word to the document. @returns is it known to be there? */
async function add(ledger: Ledger, word: string): Promise<boolean> {
  for (let tries = 0; tries < 30; tries++) {
    try {
      const { version = 0, content } = (await ledger.document(key)) ?? {}
      const words = (content ?? '').split(' ').filter(Boolean)
      if (words.includes(word)) return true
      if (await ledger.changeDocument(key, version, [...words, word].join(' '))) return true
    } catch {
      // Nobody knows whether it was changed: it is read again.
    }
  }
  return false
}

function randomFault(seed: number, percent: number) {
  let random = seed
  return async () => {
    random = (random * 48_271) % 0x7fffffff
    if (random % 100 < percent) throw new Error('overloaded')
  }
}

describe('the person of a way that is entered with', () => {
  const end = 2_000_000_000
  const names = Array.from({ length: 20 }, (_, at) => `name-${at}`)
  const written = async (ledger: Ledger, way: string, owner: string) => {
    await ledger.changeDocument(`way\n${way}`, 0, JSON.stringify({ owner }))
    await ledger.changeDocument(`person\n${owner}`, 0, `of ${owner}`)
  }

  it('is answered by the one object, also if there is none', async () => {
    for (const ledger of [memoryStore().ledger as Ledger, seen(new FakeLedgers(), 1)]) {
      await written(ledger, 'ada', 'grace')
      const { person } = await ledger.enter('flow', end, 'way\nada')
      expect(person).toEqual({ version: 1, content: 'of grace' })
      await ledger.changeDocument('way\nben', 0, '{"owner":"nobody"}')
      expect((await ledger.enter('other', end, 'way\nben')).person).toBeNull()
      for (const content of ['{}', 'null', '7', '{"owner":7}', '{', '{"removed":"grace"}']) {
        await ledger.changeDocument(`way\n${content}`, 0, content)
        const entrance = await ledger.enter(content, end, `way\n${content}`)
        expect([content, entrance.isFirst, entrance.person]).toEqual([content, true, undefined])
      }
    }
  })

  it('is answered by the object of both, and by no other: it knows no one there', async () => {
    const ledgers = new FakeLedgers()
    const ledger = seen(ledgers, 4)
    const told: boolean[] = []
    for (const owner of names) {
      await written(ledger, 'ada', owner)
      const before = ledgers.calls.length
      const { person } = await ledger.enter(`flow of ${owner}`, end, 'way\nada')
      expect(ledgers.calls.slice(before)).toHaveLength(1)
      const isThere = ['ada', owner].map((sub) => placeOfPerson(four, sub).name)
      told.push(isThere[0] === isThere[1])
      expect(person).toEqual(told.at(-1) ? { version: 1, content: `of ${owner}` } : undefined)
      await ledger.changeDocument('way\nada', 1, null)
      for (const object of ledgers.objects.values()) await object.forget('ada')
    }
    expect(new Set(told)).toEqual(new Set([true, false]))
  })

  it('is answered by no object while the number of objects changes: one of them may have missed a change', async () => {
    const ledgers = new FakeLedgers()
    await written(seen(ledgers, 1), 'ada', 'ada')
    const entrance = await seen(ledgers, 1, 4).enter('flow', end, 'way\nada')
    expect(entrance.document?.content).toBe('{"owner":"ada"}')
    expect(entrance.person).toBeUndefined()
  })

  it('is not answered by an object that does not look', async () => {
    const { ledger } = memoryStore()
    await written(ledger as Ledger, 'ada', 'grace')
    const enter = async (...given: Parameters<Ledger['enter']>) => {
      const { person: _, ...entrance } = await ledger.enter(...given)
      return entrance
    }
    const namespace = { idFromName: (name: string) => name, get: () => ({ ...ledger, enter }) }
    const entering = durableLedger(namespace as never, [1]).enter('flow', end, 'way\nada')
    const document = { version: 1, content: '{"owner":"grace"}' }
    expect(await entering).toEqual({ isFirst: true, document })
  })
})
