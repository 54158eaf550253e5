import { expect, test } from 'vitest'
import { readCbor } from './cbor.js'

const bytes = (hex: string) => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
const zeros = (count: number) => '00'.repeat(count)

test.each<[string, unknown]>([
  ['00', 0],
  ['17', 23],
  ['18 18', 24],
  ['18 ff', 255],
  ['19 0100', 256],
  ['19 ffff', 65_535],
  ['1a 00010000', 65_536],
  ['1a ffffffff', 2 ** 32 - 1],
  ['1b 0000000100000000', 2 ** 32],
  ['1b 001ffffffffffffe', Number.MAX_SAFE_INTEGER - 1],
  ['20', -1],
  ['38 18', -25],
  ['3b 001ffffffffffffe', -Number.MAX_SAFE_INTEGER],
  ['40', new Uint8Array()],
  ['42 0102', new Uint8Array([1, 2])],
  ['60', ''],
  ['63 e282ac', '€'],
  ['64 efbbbf61', '\ufeffa'],
  ['80', []],
  ['82 01 61 61', [1, 'a']],
  ['a0', new Map()],
  ['a2 61 61 01 20 80', new Map<unknown, unknown>([['a', 1]]).set(-1, [])],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['81 81 81 80', [[[[]]]]],
  ['81 81 81 81 61 61', [[[['a']]]]],
])('%s is read to its end, and not further', (hex, value) => {
  const read = bytes(hex)
  expect(readCbor(read)).toEqual({ value, end: read.length })
  const within = bytes(`ff ${hex} 00`)
  expect(readCbor(within, 1)).toEqual({ value, end: read.length + 1 })
})

test.each([
  ['nothing', ''],
  ['a number of 1 byte that needs none', '18 17'],
  ['a number of 2 bytes that needs 1', '19 00ff'],
  ['a number of 4 bytes that needs 2', '1a 0000ffff'],
  ['a number of 8 bytes that needs 4', '1b 00000000ffffffff'],
  ['a number that is not exact', '1b 001fffffffffffff'],
  ['a negative number that is not exact', '3b 001fffffffffffff'],
  ['a number of 16 bytes', `1c ${zeros(256)}`],
  ['a number of 32 bytes', `1d ${zeros(256)}`],
  ['a number of 64 bytes', `1e ${zeros(256)}`],
  ['bytes without a length', '5f 41 01 ff'],
  ['text without a length', '7f 61 61 ff'],
  ['a list without a length', '9f 01 ff'],
  ['a map without a length', 'bf 01 01 ff'],
  ['an indefinite number', `1f ${zeros(256)}`],
  ['a tag of nothing', 'c0'],
  ['a tag', 'c1 01'],
  ['undefined', 'f7'],
  ['a simple value without a name', 'e0'],
  ['a floating-point number', 'f9 7c00'],
  ['a number that is cut off', '19 01'],
  ['bytes that are cut off', '42 01'],
  ['text that is cut off', '62 61'],
  ['text that is not UTF-8', '62 c328'],
  ['a list that is cut off', '82 01'],
  ['a list of more than there is', '9a ffffffff 01'],
  ['bytes of more than there are', '5a ffffffff 01'],
  ['a map that is cut off behind a name', 'a1 01'],
  ['a map that is cut off', 'a2 01 01'],
  ['a member that comes twice, so that two readers take another one', 'a2 01 00 01 01'],
  ['a member whose name is true', 'a1 f5 00'],
  ['a member whose name is bytes', 'a1 41 00 00'],
  ['a member whose name is a list', 'a1 80 00'],
  ['lists five deep', '81 81 81 81 80'],
  ['maps five deep', 'a1 01 a1 01 a1 01 a1 01 a0'],
])('a form that only some readers accept is refused: %s', (_, hex) => {
  expect(readCbor(bytes(hex))).toBeUndefined()
})
