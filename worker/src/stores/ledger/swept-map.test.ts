import { expect, it } from 'vitest'
import { SweptMap } from './swept-map.js'

it('forgets what is over, also behind many rows that last', () => {
  let now = 0
  const map = new SweptMap<{ expires: number }>(() => now)
  for (let count = 0; count < 100; count++) map.set(`long ${count}`, { expires: 1000 })
  for (let count = 0; count < 100; count++) map.set(`short ${count}`, { expires: 10 })
  now = 10
  for (let count = 0; count < 60; count++) map.set('one', { expires: 1000 })
  expect([...map.keys()].filter((key) => key.startsWith('short'))).toEqual([])
  expect(map.size).toBe(101)
})

it('keeps no more than what lasts and a part of that', () => {
  let now = 0
  let most = 0
  const map = new SweptMap<{ expires: number }>(() => now)
  for (let count = 0; count < 50_000; count++) {
    now += 0.01
    map.set(`name ${count}`, { expires: now + (count % 3 === 0 ? 20 : 10) })
    most = Math.max(most, map.size)
  }
  // Some 1,300 last at a time.
  expect(most).toBeLessThan(2_000)
})
