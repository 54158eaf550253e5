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

it('drops all entries that are over once a minute, without a write', () => {
  const start = 1_800_000_000
  let now = start
  const map = new SweptMap<{ expires: number }>(() => now)
  for (let count = 0; count < 1_000; count++) map.set(`short ${count}`, { expires: start + 10 })
  map.set('to the second', { expires: start + 60 })
  map.set('long', { expires: start + 61 })
  now = start + 59
  map.tidy()
  expect(map.size).toBe(1_002)
  now = start + 60
  map.tidy()
  expect([...map.keys()]).toEqual(['long'])
})

it('without room, one of the least worth goes, and none of more', () => {
  const map = new SweptMap<{ expires: number; worth: number }>(() => 0, {
    most: 100,
    forgets: ({ worth }) => worth,
  })
  for (let count = 0; count < 5; count++) map.set(`dear ${count}`, { expires: 1, worth: 2 })
  for (let count = 0; count < 10_000; count++) {
    map.set(`cheap ${count}`, { expires: 1, worth: 1 })
    expect(map.size).toBeLessThanOrEqual(100)
  }
  expect([...map.keys()].filter((key) => key.startsWith('dear'))).toHaveLength(5)
  expect(map.has('cheap 9999')).toBe(true)
})

it('without room if nothing may go, a write of another entry fails, and of a known one does not', () => {
  let now = 0
  const map = new SweptMap<{ expires: number }>(() => now, { most: 10 })
  for (let count = 0; count < 10; count++) map.set(`${count}`, { expires: 5 })
  expect(() => map.set('another', { expires: 5 })).toThrow('no room')
  map.set('3', { expires: 9 })
  expect(map.size).toBe(10)
  // Entries that are over make room.
  now = 5
  map.set('another', { expires: 9 })
  expect(map.has('another')).toBe(true)
})

it('without room, the one that was written longest ago goes', () => {
  const map = new SweptMap<{ expires: number }>(() => 0, { most: 3, forgets: 'oldest' })
  for (const key of ['a', 'b', 'c', 'a', 'd']) map.set(key, { expires: 1 })
  expect([...map.keys()]).toEqual(['c', 'a', 'd'])
})

it('an entry without an end stays', () => {
  let now = 100
  const map = new SweptMap<{ expires: number | null }>(() => now)
  map.set('for good', { expires: null })
  map.set('over', { expires: 100 })
  now = 1_000_000
  map.tidy()
  for (let count = 0; count < 20; count++) map.set('other', { expires: now + 1 })
  expect([...map.keys()]).toEqual(['for good', 'other'])
})
