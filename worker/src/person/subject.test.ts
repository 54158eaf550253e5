import { describe, expect, it } from 'vitest'
import { accountId, addressAsId, isSubject, mayBeOwnSub, subjectOf } from './subject.js'

describe('the subject', () => {
  it('is stable: changing this value would give every user another id', async () => {
    expect(await subjectOf('videoapp', 'ada')).toBe('3-QmiHqugI6gPQhTZRhr7g')
  })

  it('is another for every account, also if parts could be joined in two ways', async () => {
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

  it('for ids with different lone surrogates is different', async () => {
    expect(await subjectOf('a', '\ud800')).not.toBe(await subjectOf('a', '\ud801'))
  })

  it('for one id at two tenants is different, and another than without a tenant', async () => {
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
  ])('account takeover: %o is not an id, since others could have the same', (id) => {
    expect(accountId(id)).toBeUndefined()
  })
})

describe('the shape of an account’s own sub', () => {
  it('is 22 letters of base64url, and nothing else', async () => {
    for (const sub of [await subjectOf('one', 'ada'), 'a'.repeat(22), '-_'.repeat(11)]) {
      expect(mayBeOwnSub(sub)).toBe(true)
    }
    for (const sub of [
      '',
      'a',
      'a'.repeat(21),
      'a'.repeat(23),
      `${'a'.repeat(21)}.`,
      `a b${'c'.repeat(19)}`,
    ]) {
      expect(mayBeOwnSub(sub)).toBe(false)
    }
  })
})

describe('the id of a person', () => {
  it.each([
    'a',
    'clx:1',
    'Machine:ci',
    ' machine:ci',
    'machine',
    '🦔'.repeat(255),
    'é'.repeat(255),
    ' a ',
    'a'.repeat(255),
  ])('may be %j', (id) => {
    expect(isSubject(id)).toBe(true)
  })

  it.each([
    '',
    ' ',
    '\t\u00a0',
    'a\0b',
    'a\nb',
    '\x7f',
    '\x85',
    '\ud800',
    `a\udc00`,
    'a'.repeat(256),
    '🦔'.repeat(256),
    `${'🦔'.repeat(255)}a`,
    'a'.repeat(10_000),
    // Attack: a person with the `sub` of a machine.
    'machine:ci',
    'machine:',
  ])('is not %j', (id) => {
    expect(isSubject(id)).toBe(false)
  })
})

describe('an address in the place of an id', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    ['ADA.Lovelace@Example.COM', 'ada.lovelace@example.com'],
    ['ada+x@[1.2.3.4]', undefined],
    ["o'neil@a-b.example", "o'neil@a-b.example"],
    ['jürgen@exämple.de', 'jürgen@exämple.de'],
    ['ada@localhost', 'ada@localhost'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
    [`a@${'b'.repeat(252)}`, `a@${'b'.repeat(252)}`],
  ])('%s is %s', (email, expected) => {
    expect(addressAsId(email)).toBe(expected)
  })

  it.each([
    undefined,
    null,
    7,
    {},
    ['ada@example.com'],
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@@example.com',
    'a@b@example.com',
    'ada@example..com',
    'ada@.example.com',
    'ada@example.com.',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b'.repeat(253)}`,
    'ada @example.com',
    'ada@exam ple.com',
    '"ada"@example.com',
    'ada,eve@example.com',
    '<ada@example.com>',
    'ada@example.com\n',
    'ada\0@example.com',
    'a\u200bda@example.com',
    '\ud800@example.com',
    'ada@[127.0.0.1]',
    'a\\b@example.com',
    'JÜRGEN@example.com',
    '\u212Aate@example.com',
    'ada@example.com;eve@example.com',
  ])('%j is not an address', (email) => {
    expect(addressAsId(email)).toBeUndefined()
  })
})
