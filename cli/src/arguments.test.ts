import { describe, expect, test } from 'vitest'
import { parsed } from './arguments.js'
import { WrongUse } from './command.js'

const OPTIONS = {
  sub: { type: 'string' },
  all: { type: 'boolean' },
  app: { type: 'string', multiple: true },
} as const

test('options and the rest are told apart', () => {
  const { values, positionals } = parsed(['a', '--sub', 'b', '--all', 'c', '--app=d'], OPTIONS)
  expect({ ...values }).toEqual({ sub: 'b', all: true, app: ['d'] })
  expect(positionals).toEqual(['a', 'c'])
})

describe('a value that begins with a hyphen', () => {
  test.each([
    [['--sub', '-short'], '-short'],
    [['--sub', '--0123456789abcdefghij'], '--0123456789abcdefghij'],
    [['--sub=-x'], '-x'],
  ])('%j', (args, sub) => expect(parsed(args, OPTIONS).values.sub).toBe(sub))

  test('is an option if it has the name of one', () => {
    expect(() => parsed(['--sub', '--all'], OPTIONS)).toThrow('--sub needs a value.')
  })

  test('after -- nothing is an option', () => {
    expect(parsed(['--', '--sub', '-x'], OPTIONS).positionals).toEqual(['--sub', '-x'])
  })
})

test.each([
  [['--key=lkop_secret'], 'There is no option "--key".'],
  [['-x'], 'There is no option "-x".'],
  [['--toString'], 'There is no option "--toString".'],
  [['--sub'], '--sub needs a value.'],
  [['--sub='], '--sub needs a value.'],
  [['--all=yes'], '--all takes no value.'],
  [['--sub', 'a', '--sub', 'b'], '--sub is there twice.'],
])('%j is wrong use, and no value is repeated', (args, message) => {
  expect(() => parsed(args, OPTIONS)).toThrow(new WrongUse(message))
})

test('an option that may be there several times has all values', () => {
  expect(parsed(['--app', 'a', '--app', 'b'], OPTIONS).values.app).toEqual(['a', 'b'])
})
