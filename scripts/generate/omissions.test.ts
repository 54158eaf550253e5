import { expect, test } from 'vitest'
import { each, Omissions } from './omissions.ts'

function even(number: number): number {
  if (number % 2 === 1) throw new Error(`${number} is odd.`)
  return number / 2
}

test('each omission is named, once, and in order', () => {
  expect(each([2, 4], even)).toEqual([1, 2])
  expect(() => each([1, 2, 3, 1], even)).toThrow(/^1 is odd\.\n\n3 is odd\.$/)
})

test('omissions of parts are named once, even if two steps find them', () => {
  const omissions = new Omissions()
  const done = omissions.each([[1, 3], [2], [3, 5]], (numbers) => each(numbers, even))
  expect(done).toEqual([[1]])
  expect(() => omissions.check()).toThrow(/^1 is odd\.\n\n3 is odd\.\n\n5 is odd\.$/)
})
