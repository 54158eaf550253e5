import { afterEach, expect, test } from 'vitest'
import { World } from './world.js'

const { subtle } = crypto
const names = ['sign', 'verify', 'digest', 'importKey'] as const
/** Other files of this process have replaced some of it, too. */
const own = Object.getOwnPropertyDescriptors(subtle) as PropertyDescriptorMap
afterEach(() => {
  for (const name of names) Reflect.deleteProperty(subtle, name)
  Object.defineProperties(subtle, own)
})

test('a world leaves the cryptography as it found it, also a function that other code has put in its place', async () => {
  const platform = names.map((name) => subtle[name])
  await World.run(1, async () => {})
  expect(names.map((name) => subtle[name])).toEqual(platform)
  const replaced = names.map((name) => subtle[name].bind(subtle))
  for (const [at, name] of names.entries()) Object.assign(subtle, { [name]: replaced[at] })
  await World.run(1, async () => {})
  for (const [at, name] of names.entries()) expect(subtle[name]).toBe(replaced[at])
})
