import { expect, it } from 'vitest'
import { SweptMap } from './swept-map.js'

it('drops entries that are over, also behind many that last', () => {
  let now = 0
  const map = new SweptMap<{ expires: number }>(() => now)
  for (let count = 0; count < 100; count++) map.set(`long ${count}`, { expires: 1000 })
  for (let count = 0; count < 100; count++) map.set(`short ${count}`, { expires: 10 })
  now = 10
  for (let count = 0; count < 60; count++) map.set('one', { expires: 1000 })
  expect([...map.keys()].filter((key) => key.startsWith('short'))).toEqual([])
  expect(map.size).toBe(101)
})

it('holds no more than the lasting entries and a part of that number', () => {
  let now = 0
  let most = 0
  const map = new SweptMap<{ expires: number }>(() => now)
  for (let count = 0; count < 50_000; count++) {
    now += 0.01
    map.set(`name ${count}`, { expires: now + (count % 3 === 0 ? 20 : 10) })
    most = Math.max(most, map.size)
  }
  // About 1,300 entries last at a time.
  expect(most).toBeLessThan(2_000)
})
