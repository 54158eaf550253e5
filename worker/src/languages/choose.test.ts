import { describe, expect, it } from 'vitest'
import { canonicalTag, directionOf, findLanguage, tagsByQuality, tagsInOrder } from './choose.js'

const ALL = new Set('en de fr es pt-BR it nl pl tr uk ar he hi ja ko zh-Hans zh-Hant id'.split(' '))
const find = (...wish: string[]) => findLanguage(wish, ALL)

describe('the language that is found (RFC 4647, 3.4)', () => {
  it.each([
    ['de', 'de'],
    ['de-AT', 'de'],
    ['DE-at-1996', 'de'],
    ['en-GB', 'en'],
    ['pt', 'pt-BR'],
    ['pt-PT', 'pt-BR'],
    ['zh', 'zh-Hans'],
    ['zh-CN', 'zh-Hans'],
    ['zh-SG', 'zh-Hans'],
    ['zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-Hant'],
    ['zh-MO', 'zh-Hant'],
    ['zh-Hant-HK', 'zh-Hant'],
    ['zh-Hans-HK', 'zh-Hans'],
    ['iw', 'he'],
    ['iw-IL', 'he'],
    ['in', 'id'],
    ['es-419', 'es'],
    ['ar-EG-u-nu-latn', 'ar'],
    ['sw', undefined],
    ['x-private', undefined],
  ])('for %s is %s', (tag, found) => {
    expect(find(tag)).toBe(found)
  })

  it('is the first that there is', () => {
    expect(find('sw', 'sv-SE', 'nl-BE', 'de')).toBe('nl')
  })

  it.each([
    '',
    '*',
    'deutsch-oder-so',
    '__proto__',
    'constructor',
    'de_AT',
    '../de',
    'de\r\nSet-Cookie: x=1',
    '<script>',
    'ｄｅ',
    '\ud800',
    `de-${'a'.repeat(8)}`.repeat(1000),
    'a'.repeat(100_000),
  ])('is none for a hostile %j, which does not hide the next one', (tag) => {
    expect(find(tag)).toBeUndefined()
    expect(find(tag, 'de')).toBe('de')
  })

  it('is looked for in twenty tags, and no further', () => {
    const others = Array.from({ length: 20 }, () => 'sw')
    expect(find(...others.slice(1), 'de')).toBe('de')
    expect(find(...others, 'de')).toBeUndefined()
  })
})

describe('a wish', () => {
  it('by ui_locales is in the order of its tags', () => {
    expect(tagsInOrder(' fr-CA  fr en ')).toEqual(['fr-CA', 'fr', 'en'])
  })

  it('by Accept-Language is in the order of quality (RFC 9110, 12.5.4)', () => {
    expect(tagsByQuality('en;q=0.3, de , fr;q=0.9,*;q=0.1, nl;q=0')).toEqual([
      'de',
      'fr',
      'en',
      '*',
    ])
  })

  it.each(['de;q=2', 'de;q=-1', 'de;q=NaN', 'de;q=1e3', 'de;q=', 'de;q', 'de;level=1'])(
    'without a quality is none: %s',
    (header) => {
      expect(tagsByQuality(`${header}, fr;q=0.1`)).toEqual(['fr'])
    },
  )

  it('is read to 256 characters, and a tag that is cut there does not count', () => {
    const long = `${'sw,'.repeat(85)}de-AT`
    expect(long.slice(0, 256)).toMatch(/,d$/)
    expect(tagsByQuality(long)).not.toContain('d')
    expect(tagsInOrder(long.replaceAll(',', ' '))).not.toContain('d')
    expect(tagsByQuality(`${'a'.repeat(1_000_000)}`)).toEqual([''])
    expect(tagsByQuality(','.repeat(1_000_000)).length).toBeLessThanOrEqual(20)
    expect(tagsInOrder(' '.repeat(1_000_000))).toEqual([])
  })
})

it('Arabic and Hebrew are written from right to left, also in other forms of their tags', () => {
  const rtl = ['ar', 'ar-EG', 'he', 'fa', 'ur', 'az-Arab']
  expect(rtl.map(directionOf)).toEqual(rtl.map(() => 'rtl'))
  const ltr = [...ALL].filter((tag) => tag !== 'ar' && tag !== 'he')
  expect([...ltr, 'ar-Latn'].filter((tag) => directionOf(tag) === 'rtl')).toEqual([])
})

it('a tag is written in one way, and what is none is none', () => {
  expect(['PT-br', 'ZH-HANT', 'iw', 'no tag', ''].map(canonicalTag)).toEqual([
    'pt-BR',
    'zh-Hant',
    'he',
    undefined,
    undefined,
  ])
})
