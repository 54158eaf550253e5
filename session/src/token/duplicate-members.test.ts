import { expect, test } from 'vitest'
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

// Whoever compares every name with every other one takes minutes for this.
test.each([
  ['members', (size: number) => `{${names(size).join()}}`],
  ['objects within objects', (size: number) => '{"a":'.repeat(size) + 0 + '}'.repeat(size)],
  ['lists within lists', (size: number) => '['.repeat(size) + ']'.repeat(size)],
  ['backslashes', (size: number) => `{"a":"${'\\\\'.repeat(size)}"}`],
])('a long text takes time by its length: %s', (_, make) => {
  const [small, large] = [make(10_000), make(100_000)].map((text) => ({
    text,
    value: JSON.parse(text),
  })) as [Sample, Sample]
  expect(fastest(large)).toBeLessThan(10 + 40 * fastest(small))
})

interface Sample {
  readonly text: string
  readonly value: unknown
}

function names(size: number): string[] {
  return Array.from({ length: size }, (_, index) => `"${index}x":0`)
}

/** Milliseconds of the fastest of five runs. */
function fastest({ text, value }: Sample): number {
  const times = [1, 2, 3, 4, 5].map(() => {
    const start = performance.now()
    expect(hasDuplicateMembers(text, value)).toBe(false)
    return performance.now() - start
  })
  return Math.min(...times)
}
