import type { SessionNeeds } from '@latchkey/session'
import { describe, expect, test } from 'vitest'
import { checkNeeds } from './check-needs.js'
import { InvalidConfiguration } from './invalid-configuration.js'

describe('invalid needs', () => {
  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '300', null, true, [300], 1n])(
    'a maxAge of %s is refused by name',
    (maxAge) => {
      expect(() => checkNeeds({ maxAge } as SessionNeeds)).toThrow(InvalidConfiguration)
      expect(() => checkNeeds({ maxAge } as SessionNeeds)).toThrow(/`maxAge`/)
    },
  )

  test.each([2, 1, '0', '3', '', ' 2', 'mfa', null, ['2'], true])(
    'an acr of %s is refused by name',
    (acr) => {
      expect(() => checkNeeds({ acr } as SessionNeeds)).toThrow(InvalidConfiguration)
      expect(() => checkNeeds({ acr } as SessionNeeds)).toThrow(/`acr`/)
    },
  )

  test.each([false, null, 0, 1, '', 'true', {}, [true]])(
    'a bound of %j is refused by name, as it would ask nothing',
    (bound) => {
      expect(() => checkNeeds({ bound } as unknown as SessionNeeds)).toThrow(InvalidConfiguration)
      expect(() => checkNeeds({ bound } as unknown as SessionNeeds)).toThrow(/`bound`/)
    },
  )

  test.each([
    [{ maxage: 300 }, '`maxage`'],
    [{ max_age: 300 }, '`max_age`'],
    [{ maxAge: 300, redirectTo: '/' }, '`redirectTo`'],
    [300, 'object'],
    ['2', 'object'],
    [null, 'object'],
    [[300], 'object'],
  ])('%j would ask nothing, and is refused', (needs, named) => {
    expect(() => checkNeeds(needs as SessionNeeds)).toThrow(InvalidConfiguration)
    expect(() => checkNeeds(needs as SessionNeeds)).toThrow(named)
  })

  test.each([
    {},
    { maxAge: undefined, acr: undefined, bound: undefined },
    { maxAge: 0 },
    { maxAge: 300, acr: '1' },
    { acr: '2' },
    { bound: true },
    { maxAge: 0, acr: '2', bound: true },
  ] as const)('%j is valid', (needs) => expect(() => checkNeeds(needs)).not.toThrow())
})
