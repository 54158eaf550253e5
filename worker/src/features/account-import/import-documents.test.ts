import type { ImportRow } from '@latchkey/host/shared'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { subjectOf } from '../../person/subject.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { type DocumentEntry, MAX_DOCUMENT } from '../../stores/ledger/types.js'
import { withDocuments } from '../../test-support/documents.js'
import { importAccounts } from './import-accounts.js'

clock()

/** The accounts of a person, by their names in the ledger. */
const A = await subjectOf('one', 'ada')
const B = await subjectOf('two', 'lovelace')
const ADA = ['old-ada', 'one', 'ada'] as const
const LOVELACE = ['old-ada', 'two', 'lovelace'] as const
const BEN = ['old-ben', 'one', 'ben'] as const

const kept = (way: string, provider = 'one') => ({ way, provider, added: null, used: null })
const others = (count: number) => Array.from({ length: count }, (_, at) => kept(`other-${at}`))
const list = (ways: readonly unknown[], more = {}, sub = 'old-ada') => ({
  [`person\n${sub}`]: { ways, ...more },
})
const ownedBy = (owner: string, way: string) => ({ [`way\n${way}`]: { owner } })
const claimedBy = (way: string) => ({ 'subject\nold-ada': { way } })

/** An import over a ledger that says something already. */
async function given(documents: Readonly<Record<string, object>> = {}) {
  const world = await withDocuments(documents)
  const { insertDocuments } = world.inner.ledger as Ledger
  return {
    ...world,
    bring: (...rows: ImportRow[]) => importAccounts(world.request, rows),
    listed: () => world.read('person\nold-ada'),
    /** Something happens before documents are written of which one begins so. */
    before: (key: string, then: () => Promise<unknown>) =>
      world.faults.set('insertDocuments', async (...args) => {
        const entries = args[0] as readonly DocumentEntry[]
        if (entries.some((entry) => entry.content !== null && entry.key.startsWith(key))) {
          await then()
        }
        return insertDocuments(entries)
      }),
  }
}

describe('an account that comes twice in a batch', () => {
  it('is added once, and known then', async () => {
    const { bring } = await given()
    expect(await bring(ADA, ADA, BEN)).toEqual({ added: 2, known: 1, left: [] })
  })

  it('and is known is so twice', async () => {
    const { bring } = await given(ownedBy('old-ada', A))
    expect(await bring(ADA, ADA)).toEqual({ added: 0, known: 2, left: [] })
  })

  it.each([
    ['taken', ownedBy('victim', A)],
    ['gone', list([], { erasing: true })],
  ])('and is left out as %s, and the result says so twice', async (why, documents) => {
    const { bring } = await given(documents)
    const left = [
      [0, why],
      [1, why],
    ]
    expect(await bring(ADA, ADA)).toEqual({ added: 0, known: 0, left })
  })
})

describe('a batch of which nothing is to be written', () => {
  it('asks the ledger nothing if no row is an account', async () => {
    const { bring, count } = await given()
    expect(await bring(['', 'one', 'ada'])).toMatchObject({ left: [[0, 'bad-id']] })
    expect(count('insertDocuments')).toBe(0)
  })

  it.each([
    ['was brought before', ownedBy('old-ada', A), { added: 0, known: 1, left: [] }],
    ['is a victim’s', ownedBy('victim', A), { added: 0, known: 0, left: [[0, 'taken']] }],
    [
      'belongs to a person who is being erased, and has the id by another account',
      { ...list([], { erasing: true }), ...claimedBy('other') },
      { added: 0, known: 0, left: [[0, 'gone']] },
    ],
    [
      'belongs to a person who is being erased',
      list([], { erasing: true }),
      { added: 0, known: 0, left: [[0, 'gone']] },
    ],
  ])('reads once, and leaves no trace, if an account %s', async (_, documents, told) => {
    const { bring, count, listed } = await given(documents)
    const before = await listed()
    expect(await bring(ADA)).toEqual(told)
    expect(['insertDocuments', 'document', 'changeDocument', 'list'].map(count)).toEqual([
      1, 0, 0, 0,
    ])
    expect(await listed()).toEqual(before)
  })
})

describe('the owner of an account', () => {
  it('account takeover: an id stays whose claim it is, whatever else its person is said to have', async () => {
    const { bring, read } = await given({ ...list([kept('more')]), ...claimedBy('other') })
    expect(await bring(ADA)).toMatchObject({ left: [[0, 'id-taken']] })
    expect(await read(`way\n${A}`)).toBeNull()
  })

  it('is that of the person whose way has claimed the id', async () => {
    const { bring, read } = await given({ ...list([kept('other')]), ...claimedBy('other') })
    expect(await bring(ADA)).toMatchObject({ added: 1 })
    expect(await read(`way\n${A}`)).toEqual({ owner: 'old-ada', first: true })
  })

  it('account takeover: an address of a person with a list here stays theirs', async () => {
    const own = await subjectOf('email', 'ada@example.com')
    const { bring } = await given(list([], {}, own))
    const told = await bring(['old-eve', 'email', 'ada@example.com'])
    expect(told).toMatchObject({ left: [[0, 'taken']] })
  })

  it('appears for each of a person’s: a removal stays beside a new account', async () => {
    const { bring, listed } = await given({ [`way\n${B}`]: { removed: 'old-ada' } })
    expect(await bring(ADA, LOVELACE)).toEqual({ added: 1, known: 0, left: [[1, 'removed']] })
    expect((await listed()).ways).toEqual([kept(A)])
  })

  it.each([
    ['a list with an invalid way', list([null])],
    [
      'such a list of the person who has claimed the id',
      { ...list([null]), ...claimedBy('other') },
    ],
    ['an invalid list', { 'person\nold-ada': { ways: 'rubbish' } }],
  ])('%s cannot say, and the rest of the batch is brought', async (_, documents) => {
    const { bring } = await given(documents)
    expect(await bring(ADA, BEN)).toEqual({ added: 1, known: 0, left: [[0, 'damaged']] })
  })
})

describe('the list of a person', () => {
  it('with one account says that it is alone, and with two that they are not', async () => {
    for (const [rows, expected] of [
      [[ADA], { ways: [kept(A)], isAlone: true }],
      [[ADA, LOVELACE], { ways: [kept(A), kept(B, 'two')] }],
    ] as const) {
      const { bring, listed } = await given()
      await bring(...rows)
      expect(await listed()).toEqual(expected)
    }
  })

  it.each([
    ['with only one way before', [kept('other')], { isAlone: true, handle: 'handle' }],
    ['with no ways left', [], { handle: 'handle' }],
  ])('%s keeps the rest, and marks no way as the only one', async (_, ways, more) => {
    const { bring, listed, count } = await given(list(ways, more))
    expect(await bring(ADA)).toMatchObject({ added: 1 })
    expect(await listed()).toEqual({ ways: [...ways, kept(A)], handle: 'handle' })
    // No list has to be written again.
    expect(count('insertDocuments')).toBe(3)
  })

  it('that was written before the import broke off stays as it is', async () => {
    const { bring, listed, count } = await given(list([kept(A)], { isAlone: true }))
    expect(await bring(ADA)).toEqual({ added: 1, known: 0, left: [] })
    expect(await listed()).toEqual({ ways: [kept(A)], isAlone: true })
    expect(count('changeDocument')).toBe(0)
  })

  it('that was full before the import broke off is claimed as it is', async () => {
    const { bring, listed } = await given(list([...others(20), kept(A)]))
    expect(await bring(ADA)).toEqual({ added: 1, known: 0, left: [] })
    expect((await listed()).ways).toHaveLength(21)
  })

  it('that is new has twenty ways, and the others sign in as new people', async () => {
    const { bring, listed, read } = await given()
    const rows = Array.from({ length: 21 }, (_, at) => ['old-ada', 'one', `${at}`] as const)
    expect(await bring(...rows)).toMatchObject({ added: 20, left: [[20, 'too-many-ways']] })
    expect((await listed()).ways).toHaveLength(20)
    expect(await read(`way\n${await subjectOf('one', '20')}`)).toBeNull()
  })

  it.each([
    ['nineteen takes one more', 19, { added: 1, left: [] }],
    ['twenty takes none', 20, { added: 0, left: [[0, 'too-many-ways']] }],
  ])('of %s', async (_, length, told) => {
    const { bring, listed, read } = await given(list(others(length)))
    expect(await bring(ADA)).toMatchObject(told)
    expect((await listed()).ways).toHaveLength(20)
    expect((await read(`way\n${A}`)) === null).toBe(told.added === 0)
  })

  it('that is full takes ways that it had before, and nothing else', async () => {
    const { bring, listed, read } = await given(list([...others(19), kept(A)]))
    expect(await bring(ADA, LOVELACE)).toEqual({ added: 1, known: 0, left: [[1, 'too-many-ways']] })
    expect((await listed()).ways).toEqual([...others(19), kept(A)])
    expect(await read(`way\n${B}`)).toBeNull()
  })

  it.each([
    ['at most half of what a document may', 0, { added: 1, left: [] }],
    ['no more', 1, { added: 0, left: [[0, 'too-many-ways']] }],
  ])('takes %s, so that their sign-ins can be noted', async (_, more, told) => {
    const empty = JSON.stringify({ ways: [{ ...kept('x'), sealed: '' }, kept(A)] })
    const sealed = 's'.repeat(MAX_DOCUMENT / 2 - empty.length + more)
    const { bring, listed } = await given(list([{ ...kept('x'), sealed }]))
    expect(await bring(ADA)).toMatchObject(told)
    expect((await listed()).ways).toHaveLength(1 + told.added)
  })
})

describe('race: an import', () => {
  it.each([
    ['is being erased', { erasing: true }],
    ['becomes another one', { mergedInto: 'victim' }],
  ])('claims nothing for a person who %s meanwhile', async (_, more) => {
    const { bring, before, write, read, listed, count } = await given()
    const gone = { ways: [kept(A)], ...more }
    before('person\n', () => write('person\nold-ada', gone))
    const left = [
      [0, 'gone'],
      [1, 'gone'],
    ]
    expect(await bring(ADA, LOVELACE)).toEqual({ added: 0, known: 0, left })
    expect(await read(`way\n${A}`)).toBeNull()
    expect(await listed()).toEqual(gone)
    // One call reads, one lists, and none claims.
    expect(count('insertDocuments')).toBe(2)
  })

  it('leaves an account to a faster request, and no longer lists it', async () => {
    const { bring, before, write, read, listed } = await given(list([kept('other')]))
    before('way\n', () => write(`way\n${A}`, { owner: 'victim' }))
    expect(await bring(ADA, LOVELACE)).toEqual({ added: 1, known: 0, left: [[0, 'taken']] })
    expect(await read(`way\n${A}`)).toEqual({ owner: 'victim' })
    expect(await listed()).toEqual({ ways: [kept('other'), kept(B, 'two')] })
  })

  it('leaves it to them also if its own person is deleted by then', async () => {
    const { bring, before, write, listed } = await given(list([kept('other')]))
    before('way\n', async () => {
      await write(`way\n${A}`, { owner: 'victim' })
      await write('person\nold-ada', null)
    })
    expect(await bring(ADA)).toEqual({ added: 0, known: 0, left: [[0, 'taken']] })
    expect(await listed()).toBeNull()
  })

  it('makes a new list for a person who was deleted a moment ago', async () => {
    const { bring, faults, inner, write, listed } = await given(list([kept('other')]))
    faults.set('document', async (key) => {
      faults.delete('document')
      await write('person\nold-ada', null)
      return inner.ledger.document(String(key))
    })
    expect(await bring(ADA)).toEqual({ added: 1, known: 0, left: [] })
    expect(await listed()).toEqual({ ways: [kept(A)], isAlone: true })
  })

  it('knows the accounts that another request has imported for the same person', async () => {
    const { bring, before, write, listed } = await given()
    before('way\n', () => write(`way\n${A}`, { owner: 'old-ada', first: true }))
    expect(await bring(ADA)).toEqual({ added: 0, known: 1, left: [] })
    expect((await listed()).ways).toEqual([kept(A)])
  })
})
