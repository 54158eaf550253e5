import { expect, it } from 'vitest'
import { checkedQuery, cursorOf } from './query.js'

it.each([Number.MAX_SAFE_INTEGER, 36 ** 10, 1, 0, -4, Number.MIN_SAFE_INTEGER])(
  'attack: a row at %i ends no reading of the log',
  (seq) => {
    const places = new Map([
      ['ledger', 7],
      ['ledger-4-2', seq],
    ])
    expect(checkedQuery({ after: cursorOf(places) }).after).toEqual(places)
  },
)

it.each([
  '',
  ':',
  'ledger',
  ':1,',
  ':1k:2',
  ':--4',
  ':-',
  ':zzzzzzzzzzz',
  '-:1',
  ':1 ',
  'x:1',
  ':1\n',
])('the cursor %j is refused', (after) => {
  expect(() => checkedQuery({ after })).toThrow('audit: after must be')
})
