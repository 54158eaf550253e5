import { expect, it } from 'vitest'
import { InvalidConfiguration } from '../errors.js'
import { memoryStore } from './memory.js'
import type { Store } from './ports.js'
import { portsOf } from './ports-of.js'

const { sessions, rows, ledger } = memoryStore()

it('two configurations with the same rows have one ledger, that of the store which made them', () => {
  expect(portsOf({ sessions, rows }).ledger).toBe(ledger)
  const own = { sessions, rows: { ...rows } }
  expect(portsOf(own).ledger).not.toBe(ledger)
  expect(portsOf(own).ledger).toBe(portsOf({ ...own }).ledger)
})

it('a store of one’s own may be an instance of a class, with its mark', async () => {
  class OwnStore implements Store {
    readonly sessions = sessions
    readonly rows = rows
    readonly #warnings = []
    async claim() {
      return this.#warnings
    }
  }
  const ports = portsOf(new OwnStore())
  expect(await ports.claim?.({ secrets: [], urls: [] })).toEqual([])
  expect(await ports.ledger.consume('a', 2_000_000_000)).toBe(true)
})

it.each<[string, object, string]>([
  ['a ledger of one’s own, of today’s form', { sessions, ledger: { ...ledger, ...{} } }, ''],
])('%s that this package has made is used', (_, store) => {
  expect(portsOf(store as Store).ledger).toBe((store as { ledger: unknown }).ledger)
})

it.each<[string, object, string]>([
  [
    'with a ledger of its own in place of rows',
    { sessions, ledger: Object.fromEntries(Object.entries(ledger)) },
    '`store` lacks `rows`. A `ledger` of your own is not read any more. Give `{ sessions, rows }`',
  ],
  ['without rows', { sessions }, '`store` lacks `rows`.'],
  ['without sessions', { rows }, '`store` lacks `sessions`.'],
  ['with half of its rows', { sessions, rows: { read: rows.read } }, '`rows.commit`'],
  ['that is empty', {}, '`sessions` and `rows`'],
])('a store %s is refused at the start, with what to write', (_, store, message) => {
  expect(() => portsOf(store as Store)).toThrow(InvalidConfiguration)
  expect(() => portsOf(store as Store)).toThrow(message)
})
