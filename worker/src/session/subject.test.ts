import { describe, expect, it } from 'vitest'
import { accountId, subjectOf } from './subject.js'

describe('the subject', () => {
  it('is stable: changing this value would give every user another id', async () => {
    expect(await subjectOf('videoapp', 'ada')).toBe('3-QmiHqugI6gPQhTZRhr7g')
  })

  it('is another for every account, also where parts could be joined in two ways', async () => {
    const pairs = [
      ['a', 'bc'],
      ['ab', 'c'],
      ['a","b', 'c'],
      ['a', 'b","c'],
      ['a', 'B'],
      ['A', 'b'],
      ['a', 'b'],
      ['a', 'b '],
      ['a', '__proto__'],
      ['a', '1'],
      ['a', '01'],
      ['a', 'é'],
      ['a', 'e\u0301'],
    ] as const
    const subjects = await Promise.all(pairs.map(([provider, id]) => subjectOf(provider, id)))
    expect(new Set(subjects).size).toBe(pairs.length)
    for (const subject of subjects) expect(subject).toMatch(/^[\w-]{22}$/)
  })

  it('of ids with different lone surrogates is different', async () => {
    expect(await subjectOf('a', '\ud800')).not.toBe(await subjectOf('a', '\ud801'))
  })

  it('of one id at two tenants is different, and another than without a tenant', async () => {
    const subjects = await Promise.all([
      subjectOf('entra', 'ada'),
      subjectOf('entra', 'ada', 'one'),
      subjectOf('entra', 'ada', 'two'),
      subjectOf('entra', 'ada', ''),
    ])
    expect(new Set(subjects).size).toBe(subjects.length)
  })

  it('with a tenant is stable too', async () => {
    expect(await subjectOf('entra', 'ada', 'https://login.example/t1/v2.0')).toBe(
      'xnTIXSlFFGWCydcTAYzgbA',
    )
  })
})

describe('an account id', () => {
  it.each([
    ['ada', 'ada'],
    [' ada ', ' ada '],
    [0, '0'],
    [-7, '-7'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['a'.repeat(1024), 'a'.repeat(1024)],
  ])('%j is one', (id, text) => {
    expect(accountId(id)).toBe(text)
  })

  it.each([
    '',
    ' \t\n',
    'a'.repeat(1025),
    1.5,
    Number.NaN,
    2 ** 53,
    7n,
    true,
    null,
    undefined,
    {},
    ['ada'],
    { toString: () => 'ada' },
  ])('account takeover: %o is none, since others could have the same', (id) => {
    expect(accountId(id)).toBeUndefined()
  })
})
