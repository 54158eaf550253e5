import { describe, expect, it } from 'vitest'
import { InvalidConfiguration } from '../errors.js'
import type { AuthConfig } from '../types.js'
import { REGIONS } from './ledger/placement.js'
import { ledgerShards } from './ledger-shards.js'

const config = (given?: unknown): AuthConfig => ({
  providers: [],
  ...(given === undefined ? {} : { ledgerShards: given as number }),
})
const inVariable = (text: string) => ledgerShards(config(), { AUTH_LEDGER_SHARDS: text })
const plain = (count: number) => ({ count, regions: [] })

describe('how many objects the ledger has', () => {
  it('is one, unless a setting says otherwise', () => {
    expect(ledgerShards(config(), {})).toEqual([plain(1)])
  })

  it.each([
    ['4', [plain(4)]],
    ['4096', [plain(4096)]],
    ['1,4', [plain(1), plain(4)]],
    [' 1 , 4 ', [plain(1), plain(4)]],
    ['4@weur', [{ count: 4, regions: ['weur'] }]],
    [
      '1@weur,2@me+afr',
      [
        { count: 1, regions: ['weur'] },
        { count: 2, regions: ['afr', 'me'] },
      ],
    ],
  ])('is what AUTH_LEDGER_SHARDS says: %s', (text, layouts) => {
    expect(inVariable(text)).toEqual(layouts)
  })

  it('is what the configuration says, in the place of the variable', () => {
    const env = { AUTH_LEDGER_SHARDS: '8' }
    expect(ledgerShards(config(4), env)).toEqual([plain(4)])
    expect(ledgerShards(config([1, 4]), env)).toEqual([plain(1), plain(4)])
    expect(ledgerShards(config('2@oc'), env)).toEqual([{ count: 2, regions: ['oc'] }])
  })

  it('knows every region, in the order of the ids of sessions', () => {
    const [layout] = inVariable(`1@${REGIONS.toReversed().join('+')}`)
    expect(layout?.regions).toEqual(REGIONS)
  })
})

describe('an invalid number of objects: sessions would be looked for in the wrong place', () => {
  it.each([
    '0',
    '4097',
    '10000',
    '-1',
    '1.5',
    '1e3',
    'four',
    '4 4',
    '4,',
    ',4',
    '1,x',
    '4@',
    '4@+',
    '4@weur+',
    '4@+weur',
    '4@mars',
    '4@weur+mars',
    '4@weur+weur',
    '4@WEUR',
    '4@weur@enam',
    'x4',
    '4x',
  ])('AUTH_LEDGER_SHARDS=%s is refused, by name', (text) => {
    expect(() => inVariable(text)).toThrow(
      new InvalidConfiguration(
        'AUTH_LEDGER_SHARDS must be whole numbers from 1 to 4096, such as 4, or 1,4; with regions, such as 4@weur+enam, of wnam, enam, sam, weur, eeur, apac, oc, afr, me.',
      ),
    )
  })

  it.each([[[]], [0], [Number.NaN], [[1, 0]], [['4,8']]])('%j is refused', (given) => {
    expect(() => ledgerShards(config(given), {})).toThrow(InvalidConfiguration)
  })
})
