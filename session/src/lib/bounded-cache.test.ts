import { describe, expect, test } from 'vitest'
import { BoundedCache } from './bounded-cache.js'

describe('the cache has a bound', () => {
  test('in entries; those in use survive', () => {
    const cache = new BoundedCache<number>(10)
    cache.set('in use', 0)
    for (let n = 1; n <= 1_000; n++) {
      cache.set(String(n), n)
      expect(cache.get('in use')).toBe(0)
      expect(cache.entries).toBeLessThanOrEqual(20)
    }
    expect(cache.get('1')).toBeUndefined()
    expect(cache.get('1000')).toBe(1000)
    cache.delete('1000')
    expect(cache.get('1000')).toBeUndefined()
  })

  test.each([0, -1, Number.NaN])('also with a size of %d', (size) => {
    const cache = new BoundedCache<number>(size)
    for (let n = 0; n < 100; n++) cache.set(String(n), n)
    expect(cache.entries).toBeLessThanOrEqual(2)
  })

  test('in weight: heavier entries leave room for fewer', () => {
    const cache = new BoundedCache<number>(10, (value) => value)
    for (let n = 0; n < 100; n++) {
      cache.set(String(n), 4)
      expect(cache.entries).toBeLessThanOrEqual(6)
    }
    expect(cache.get('98')).toBe(4)
  })
})
