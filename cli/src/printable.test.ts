import { expect, test } from 'vitest'
import { jsonOf, printable, printableLines } from './printable.js'

test.each([
  ['plain ä 漢 👩‍💻', 'plain ä 漢 👩‍💻'],
  ['a\r\nb\tc\u2028d\u0085e', 'a b c d e'],
  ['\u001b[31mred\u001b[0m', '\ufffd[31mred\ufffd[0m'],
  ['\u009b2J', '\ufffd2J'],
  ['a\u202eb\u2066c\u200fd\u061ce', 'a\ufffdb\ufffdc\ufffdd\ufffde'],
  ['a\u0000\u007f\u{e0041}\ud800', 'a\ufffd\ufffd\ufffd\ufffd'],
])('%j is shown on one line, without what a terminal obeys', (text, shown) => {
  expect(printable(text)).toBe(shown)
})

test('text of several lines keeps them, and nothing hides a part of it', () => {
  expect(printableLines('a\r\n\tb\rc\u001bd\u202e')).toBe('a\r\n\tb\ufffdc\ufffdd\ufffd')
})

test('JSON has what a terminal obeys as escapes, and keeps the value', () => {
  const value = { text: 'a\u009b2J\u202e\u2028\u{e0041}\u007f\u001b\nb', 'k\u202e': 1 }
  const json = jsonOf(value)
  expect(json).toMatch(/^[\x20-\x7e]+$/)
  expect(JSON.parse(json)).toEqual(value)
  expect(JSON.parse(jsonOf(value, 2))).toEqual(value)
  expect(jsonOf(value, 2).split('\n')).toHaveLength(4)
})
