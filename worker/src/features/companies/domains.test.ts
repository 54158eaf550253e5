import { describe, expect, it } from 'vitest'
import { canCount, domainIn, domainsIn } from './domains.js'

const label = 'a'.repeat(63)
/** 253 characters. */
const longest = `${label}.${label}.${label}.${'a'.repeat(61)}`

describe('a domain', () => {
  it.each<[string, string]>([
    ['acme.example', 'acme.example'],
    ['ACME.Example', 'acme.example'],
    ['acme.example.', 'acme.example'],
    ['a.b', 'a.b'],
    ['a-b.example', 'a-b.example'],
    ['7.example', '7.example'],
    ['acme.7a', 'acme.7a'],
    ['a.b.c.acme.example', 'a.b.c.acme.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['ａｃｍｅ．example', 'acme.example'],
    [`${label}.example`, `${label}.example`],
    [longest, longest],
  ])('is compared in one spelling: %j', (text, domain) => {
    expect(domainIn(text)).toBe(domain)
  })

  it.each([
    ...['', '.', 'acme', 'acme.', '.acme.example', 'acme..example', '-acme.example'],
    ...['acme-.example', 'acme.example-', 'acme.-example', 'ac_me.example', '*.acme.example'],
    ...['127.0.0.1', '10.0.0.12', '127.1', '0x7f.1', '2130706433', '1.2.3.4.', '[::1]', 'acme.1'],
    ...[`${'a'.repeat(64)}.example`, `a${longest}`, `${longest}.`],
    `${'ü.'.repeat(100)}example`,
  ])('is none: %j', (text) => {
    expect(domainIn(text)).toBeUndefined()
  })

  it.each([undefined, null, 7, ['acme.example'], { toString: () => 'acme.example' }])(
    'is a text: not %j',
    (value) => {
      expect(domainIn(value)).toBeUndefined()
      expect(domainsIn(value)).toEqual([])
    },
  )

  it.each([
    ...['eve@acme.example', 'evil.example@acme.example', 'eve:x@acme.example', 'acme.example:443'],
    ...['acme.example/evil.example', 'acme.example?evil', 'acme.example#evil', 'acme%2eexample'],
    ...['acme.example\\evil.example', 'acme.example evil', ' acme.example', 'acme.example\n'],
  ])('attack: another part of a URL leads to it: %j', (text) => {
    expect(domainIn(text)).toBeUndefined()
  })

  it.each([
    ...['evil.example＠acme.example', 'evil.example﹫acme.example', 'acme.example／evil.example'],
    ...['acme.example：443', 'acme.example？evil', 'acme.example＃evil', 'acme.example＼evil'],
  ])('attack: a sign that becomes part of a URL leads to it: %j', (text) => {
    expect(domainIn(text)).toBeUndefined()
  })
})

describe('the domains of a text', () => {
  it.each<[string, readonly string[]]>([
    ['ada@acme.example', ['acme.example']],
    ['Ada <ada@acme.example>', ['acme.example']],
    ['ada@acme.example (Ada)', ['acme.example']],
    ['ada@acme.example,bob@bolt.example', ['acme.example', 'bolt.example']],
    ['ada@acme.example;x', ['acme.example']],
    ['mailto:ada@acme.example?subject=x', ['acme.example']],
    ['ada@acme.example/x', ['acme.example']],
    ['ada@acme.example:25', ['acme.example']],
    ['ada@ acme.example', ['acme.example']],
    ['ada＠acme.example', ['acme.example']],
    ['ada@bolt.example@acme.example', ['bolt.example', 'acme.example']],
    ['"ada@acme.example"', ['acme.example']],
    ['acme.example', []],
    ['acme.example@', []],
    ['ada@,acme.example', []],
    ['ada@acme', []],
    ['', []],
  ])('%j', (text, domains) => {
    expect(domainsIn(text)).toEqual(domains)
  })

  it('attack: many parts cost little, and the last ones are looked at', () => {
    const parts = (count: number) => Array.from({ length: count }, () => 'x@evil.example').join(',')
    expect(domainsIn(`${parts(9)},ada@acme.example`)).toEqual([
      ...Array(3).fill('evil.example'),
      'acme.example',
    ])
    expect(domainsIn(`ada@acme.example,${parts(4)}`)).toEqual(Array(4).fill('evil.example'))
  })

  it('a text of 1,024 characters is read, and a longer one is not', () => {
    const text = 'ada@acme.example'
    expect(domainsIn(text.padStart(1_024))).toEqual(['acme.example'])
    expect(domainsIn(text.padStart(1_025))).toEqual([])
  })
})

it.each<[string, boolean]>([
  ['acme.example', true],
  ['gmail.com', false],
  ['co.uk', false],
  ['github.io', false],
  ['acme.github.io', true],
])('a company may have the domain %s: %s', (domain, isGood) => {
  expect(canCount(domain)).toBe(isGood)
})
