import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { seeded } from '../test-support/keys.js'
import { API_KEY_BYTES, formatApiKey, parseApiKey } from './api-key.js'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function digits(number: bigint, length: number): string {
  const text: string[] = []
  for (let rest = number; rest > 0n; rest /= 62n) text.unshift(DIGITS[Number(rest % 62n)] ?? '')
  return text.join('').padStart(length, '0')
}

/** A text with the right checksum, by the platform's own function. */
function checked(start: string): string {
  return start + digits(BigInt(crc32(start)), 6)
}

const random = seeded(29)
const bytes = Uint8Array.from({ length: API_KEY_BYTES }, () => random(256))
const key = formatApiKey({ prefix: 'acme', bytes })

test('a key has its prefix, 38 digits of its bytes, and 6 of the CRC-32 of all before', () => {
  const number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  expect(key).toBe(checked(`acme_${digits(number, 38)}`))
  expect(key).toMatch(/^acme_[0-9A-Za-z]{44}$/)
})

test.each([
  ['zeros', new Uint8Array(API_KEY_BYTES)],
  ['ones', new Uint8Array(API_KEY_BYTES).fill(255)],
  ['random bytes', bytes],
])('a key of %s is read as it was written', (_, bytes) => {
  expect(parseApiKey(formatApiKey({ prefix: 'k9', bytes }))).toEqual({ prefix: 'k9', bytes })
})

test('no key with another character is read', () => {
  for (let at = 0; at < key.length; at++) {
    for (const other of ['0', 'Z', 'q', '_', '-']) {
      if (key[at] === other) continue
      expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined()
    }
  }
})

describe('a text that is not a key is not read', () => {
  test.each([
    ['nothing', ''],
    ['a prefix alone', 'acme_'],
    ['no prefix', checked(`_${'0'.repeat(38)}`)],
    ['a prefix of one character', checked(`a_${'0'.repeat(38)}`)],
    ['a prefix of thirteen', checked(`${'a'.repeat(13)}_${'0'.repeat(38)}`)],
    ['a prefix in upper case', checked(`ACME_${'0'.repeat(38)}`)],
    ['a prefix that begins with a digit', checked(`9a_${'0'.repeat(38)}`)],
    ['one digit less', checked(`acme_${'0'.repeat(37)}`)],
    ['one digit more', checked(`acme_${'0'.repeat(39)}`)],
    ['more than 28 bytes', checked(`acme_${'z'.repeat(38)}`)],
    ['the first number beyond 28 bytes', checked(`acme_${digits(1n << 224n, 38)}`)],
    ['a line break behind', `${key}\n`],
    ['a space before', ` ${key}`],
    ['a very long text', 'a'.repeat(100_000)],
  ])('%s', (_, text) => {
    expect(parseApiKey(text)).toBeUndefined()
  })
})

test.each([27, 29])('a key cannot have %d bytes', (length) => {
  expect(() => formatApiKey({ prefix: 'acme', bytes: new Uint8Array(length) })).toThrow('28 bytes')
})

test.each(['', 'A', 'a', '9a', 'a-b', 'a'.repeat(13)])('%j is not a prefix', (prefix) => {
  expect(() => formatApiKey({ prefix, bytes })).toThrow('prefix')
})
