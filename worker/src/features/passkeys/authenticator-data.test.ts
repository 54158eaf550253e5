import { expect, test } from 'vitest'
import { readAuthenticatorData } from './authenticator-data.js'

const HASH = Array.from({ length: 32 }, (_, at) => at)
const AAGUID = Array.from({ length: 16 }, (_, at) => 100 + at)
/** A map in CBOR, as a key and as extensions. */
const KEY = [0xa1, 0x01, 0x02]

const read = (flags: number, ...rest: number[]) =>
  readAuthenticatorData(new Uint8Array([...HASH, flags, 1, 2, 3, 4, ...rest]))
const attested = (length: number, bytes = length) => [
  ...AAGUID,
  length >> 8,
  length & 255,
  ...Array(bytes).fill(7),
]

test('the members are read at their bytes', () => {
  const NOTHING = { up: false, uv: false, be: false, bs: false, attested: undefined }
  const head = { ...NOTHING, rpIdHash: new Uint8Array(HASH), counter: 0x01020304 }
  expect(read(0)).toEqual(head)
  expect(read(0x22)).toEqual(head)
  for (const [flag, name] of [
    [0x01, 'up'],
    [0x04, 'uv'],
    [0x08, 'be'],
    [0x10, 'bs'],
  ] as const) {
    expect(read(flag)).toEqual({ ...head, [name]: true })
  }
  const key = new Map([[1, 2]])
  for (const length of [1, 300, 1_023]) {
    const id = new Uint8Array(length).fill(7)
    const made = { ...head, attested: { aaguid: new Uint8Array(AAGUID), id, key } }
    expect(read(0x40, ...attested(length), ...KEY)).toEqual(made)
    expect(read(0xc0, ...attested(length), ...KEY, 0xa0)).toEqual(made)
  }
  expect(read(0x80, ...KEY)).toEqual(head)
})

test.each<[string, number, number[]]>([
  ['an id of nothing', 0x40, [...attested(0), ...KEY]],
  ['an id that is too long', 0x40, [...attested(1_024), ...KEY]],
  ['an id that is cut off', 0x40, attested(9, 8)],
  ['no id', 0x40, AAGUID],
  ['no id, though there is its length', 0x40, attested(0)],
  ['no key', 0x40, attested(9)],
  ['a key that is not a map', 0x40, [...attested(9), 0x01]],
  ['bytes behind the key', 0x40, [...attested(9), ...KEY, 0]],
  ['bytes behind the counter', 0, [0]],
  ['no extensions, which it says are there', 0x80, []],
  ['extensions that are not a map', 0x80, [0x01]],
  ['bytes behind the extensions', 0x80, [...KEY, 0]],
  ['a second map of extensions', 0x80, [...KEY, ...KEY]],
])('data that readers could take apart differently is refused: %s', (_, flags, rest) => {
  expect(read(flags, ...rest)).toBeUndefined()
})

test('data without a whole head is refused', () => {
  expect(readAuthenticatorData(new Uint8Array([...HASH, 0, 1, 2, 3]))).toBeUndefined()
})
