import { expect, it } from 'vitest'
import { StoreUnavailable } from '../errors.js'
import type { Ledger } from './ledger/rules.js'
import type { KeyedDocument } from './ledger/types.js'
import { memoryStore } from './memory.js'
import { endWholeList, wholeList } from './whole-list.js'

/** A ledger with documents of two kinds, in the order of a shuffled pack. */
async function filled(count: number) {
  const ledger = memoryStore().ledger as Ledger
  for (let at = 0; at < count; at++) {
    const name = String((at * 7_919) % count).padStart(5, '0')
    await ledger.changeDocument(`${at % 3 === 0 ? 'grant' : 'consent'}\nada\n${name}`, 0, '{}')
  }
  return ledger
}

const KINDS = ['grant', 'consent']

it.each([0, 1, 999, 1_000, 1_001, 3_500])('a list of %i documents is whole', async (count) => {
  const ledger = await filled(count)
  expect(new Set((await wholeList(ledger, 'ada', KINDS)).map(({ key }) => key)).size).toBe(count)
})

it('the end of a list ends every page of it', async () => {
  const ledger = await filled(2_500)
  const counts: number[] = []
  await endWholeList(ledger, 'ada', KINDS, async (documents) => {
    counts.push(documents.length)
    await ledger.endAll(
      [],
      0,
      documents.map(({ key }) => key),
    )
  })
  expect(counts).toEqual([1_000, 1_000, 500])
  expect(await ledger.documentsOf('ada', KINDS)).toEqual([])
})

/** As a ledger of a version before, which does not know where a list goes on. */
async function older() {
  const ledger = await filled(1_500)
  const documentsOf = async (home: string, kinds: readonly string[]) =>
    ledger.documentsOf(home, kinds)
  return { ...ledger, documentsOf }
}

it.each([
  ['no list is taken for whole', (ledger: Ledger) => wholeList(ledger, 'ada', KINDS)],
  [
    'an end that ends nothing fails',
    (ledger: Ledger) => endWholeList(ledger, 'ada', KINDS, async () => {}),
  ],
])('attack: a ledger that gives the first thousand again and again: %s', async (_, run) => {
  const ledger = await older()
  await expect(run(ledger as Ledger)).rejects.toThrow(StoreUnavailable)
  const end = (documents: readonly KeyedDocument[]) =>
    ledger.endAll(
      [],
      0,
      documents.map(({ key }) => key),
    )
  await endWholeList(ledger, 'ada', KINDS, end)
  expect(await ledger.documentsOf('ada', KINDS)).toEqual([])
})
