import { AuthError } from '@latchkey/session'
import { describe, expect, test } from 'vitest'
import { bindingOf, readVariables } from './environment.js'

describe('AUTH_TRUST_HOST', () => {
  test.each([
    ['true', true],
    ['1', true],
    ['TRUE', true],
    [true, true],
    ['false', false],
    ['False', false],
    ['0', false],
    ['', false],
    [undefined, undefined],
  ])('%o: %s', (value, expected) => {
    expect(readVariables({ AUTH_TRUST_HOST: value }).trustHost).toBe(expected)
  })

  test.each(['yes', 'on', ' true', 'true,false', '2', {}])(
    '%o is neither yes nor no, and is refused by the name of the variable',
    (value) => {
      const read = () => readVariables({ AUTH_TRUST_HOST: value })
      expect(read).toThrow(AuthError)
      expect(read).toThrow('AUTH_TRUST_HOST must be true, 1, false or 0.')
    },
  )
})

describe('a variable with the name of a binding', () => {
  test.each(['100', '', 100, true, null, undefined, {}, { limit: 100 }])(
    '%o is not a binding',
    (value) => {
      expect(bindingOf<{ limit: unknown }>({ RATE_LIMIT: value }, 'RATE_LIMIT', 'limit')).toBe(
        undefined,
      )
    },
  )

  test('an object with the method is a binding', () => {
    const binding = { limit: () => {} }
    expect(bindingOf<typeof binding>({ RATE_LIMIT: binding }, 'RATE_LIMIT', 'limit')).toBe(binding)
  })
})
