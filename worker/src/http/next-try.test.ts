import { expect, test } from 'vitest'
import { nextTry } from './next-try.js'

const SECONDS = [5, 60, 300, 1800, 7200, 21_600, 50_400]

test('there are eight tries, and their pauses are those of the plan', () => {
  const pauses = SECONDS.map((_, index) => nextTry(index + 1, 0, 0.5))
  expect(pauses).toEqual(SECONDS.map((seconds) => seconds * 1000))
  expect(nextTry(8, 0, 0.5)).toBeNull()
  expect(nextTry(9, 0, 0.5)).toBeNull()
})

test('a pause is a fifth shorter or longer at most', () => {
  expect(nextTry(1, 1_000_000, 0)).toBe(1_004_000)
  expect(nextTry(1, 1_000_000, 1)).toBe(1_006_000)
  expect(nextTry(7, 0, 0)).toBe(50_400_000 * 0.8)
})
