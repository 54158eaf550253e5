import { expect, test } from 'vitest'
import { steps } from '../../../test/support/steps.ts'
import { hasDuplicateMembers } from './duplicate-members.js'

const found = (text: string) => hasDuplicateMembers(text, JSON.parse(text))

test.each([
  '{"a":1,"a":1}',
  '{"a":1,"\\u0061":1}',
  '{"":1,"":2}',
  '[{"a":1},{"b":{"c":0,"c":[]}}]',
  '{"a":{"b":1},"a":{"b":1,"c":2}}',
  '{"__proto__":1,"__proto__":{}}',
  ' { "a" : "\\"" , "a" : ":" } ',
])('a member stands twice: %s', (text) => {
  expect(found(text)).toBe(true)
})

test.each([
  '{}',
  '[]',
  '":"',
  'null',
  '{"a":{"a":{"a":1}}}',
  '[{"a":1},{"a":1}]',
  '{"a":"\\\\","b":"\\":\\\\\\""}',
  '{":":1,"::":2,"\\":":3}',
  '{"__proto__":{"__proto__":1}}',
  '{"0":1,"00":2}',
])('every member stands once: %s', (text) => {
  expect(found(text)).toBe(false)
})

// Code that compares every name with every other one takes minutes for this.
test.each([
  ['members', (size: number) => `{${names(size).join()}}`],
  ['objects within objects', (size: number) => '{"a":'.repeat(size) + 0 + '}'.repeat(size)],
  ['lists within lists', (size: number) => '['.repeat(size) + ']'.repeat(size)],
  ['backslashes', (size: number) => `{"a":"${'\\\\'.repeat(size)}"}`],
])('a text ten times as long takes ten times as many steps: %s', (_, make) => {
  const [small, large] = [make(10_000), make(100_000)].map((text) => {
    const value: unknown = JSON.parse(text)
    return steps(() => expect(hasDuplicateMembers(text, value)).toBe(false))
  })
  expect(small).toBeGreaterThan(10_000)
  expect(large).toBeLessThan(12 * (small ?? 0))
})

function names(size: number): string[] {
  return Array.from({ length: size }, (_, index) => `"${index}x":0`)
}
