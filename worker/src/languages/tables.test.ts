import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parametersOf } from '../features/own-texts/read-copy.js'
import { english, translations } from '../test-support/english.js'
import { all } from './all.js'
import { loadWords, tagsOf } from './load.js'

const ALL = 'ar de en es fr he hi id it ja ko nl pl pt-BR tr uk zh-Hans zh-Hant'.split(' ')

const languages = new Map(all.map((one) => [one.tag, one]))

type Text = string | Readonly<Record<string, string>>
type Table = Readonly<Record<string, Readonly<Record<string, Text>>>>

const folder = join(import.meta.dirname, '../../../languages')
const files = readdirSync(folder).flatMap((file) => ALL.find((tag) => file === `${tag}.ts`) ?? [])
async function textsIn(tag: string): Promise<Table> {
  const file = join(folder, `${tag}.ts`)
  return (await import(/* @vite-ignore */ file)).texts
}
const tables: Readonly<Record<string, Table>> = Object.fromEntries(
  await Promise.all(files.map(async (tag) => [tag, await textsIn(tag)])),
)

/** Each text by its path, such as `mail.title`. */
const textsOf = (table: Table): Map<string, Text> =>
  new Map(
    Object.entries(table).flatMap(([section, texts]) =>
      Object.entries(texts).map(([name, text]) => [`${section}.${name}`, text] as const),
    ),
  )
const formsOf = (text: Text) => (typeof text === 'string' ? [text] : Object.values(text))
const model = textsOf(english.words.texts)

/** The forms that numbers of things here ask for, in a language. */
function categoriesOf(language: string): string[] {
  const rules = new Intl.PluralRules(language)
  const found = new Set(Array.from({ length: 201 }, (_, count) => rules.select(count)))
  return [...found.add('other')].sort()
}

it('every language has a table, which can be loaded', () => {
  expect([...tagsOf(languages)].sort()).toEqual(ALL)
  expect(['en', ...files].sort()).toEqual(ALL)
})

it('a service without a feature that brings its translations has none of them', async () => {
  const without = await loadWords('de', languages, undefined, english)
  expect(without.texts.consent).toEqual(english.words.texts.consent)
  const { texts } = await loadWords('de', languages, undefined, english, translations)
  expect(texts.consent.allow).toBe('Erlauben')
})

describe('English', () => {
  it('has texts that are whole: no end of one is space, and none is markup', () => {
    for (const [path, text] of model) {
      for (const form of formsOf(text)) expect(form, path).toMatch(/^\S([^<>]*\S)?$/)
    }
  })

  it('has the forms of its numbers', () => {
    for (const [path, text] of model) {
      if (typeof text === 'object')
        expect(Object.keys(text).sort(), path).toEqual(categoriesOf('en'))
    }
  })
})

describe.each(files)('%s', (tag) => {
  const texts = textsOf(tables[tag] ?? {})

  it('is what a request loads', async () => {
    const { texts: loaded, language } = await loadWords(
      tag,
      languages,
      undefined,
      english,
      translations,
    )
    expect(language).toBe(tag)
    expect(textsOf(loaded as unknown as Table)).toEqual(texts)
  })

  it('lacks no text', () => {
    const missing = [...model.keys()].filter((path) => !texts.has(path))
    expect(missing).toEqual([])
  })

  it('has no text that nothing says', () => {
    expect([...texts.keys()].filter((path) => !model.has(path))).toEqual([])
  })

  it('has each parameter, in each form, and no other', () => {
    for (const [path, text] of texts) {
      const [first = ''] = formsOf(model.get(path) ?? '')
      for (const form of formsOf(text)) {
        // “One minute” may say its number in a word.
        const optional = typeof text === 'object' ? ['count'] : []
        const needed = [...parametersOf(first)].filter((name) => !optional.includes(name))
        const named = [...parametersOf(form)].filter((name) => !optional.includes(name))
        expect(named.sort(), `${path}: ${form}`).toEqual(needed.sort())
      }
      const other = typeof text === 'object' ? (text.other ?? '') : undefined
      if (other !== undefined) expect(parametersOf(other), path).toContain('count')
    }
  })

  it('has the forms of numbers that the language needs', () => {
    for (const [path, text] of texts) {
      expect(typeof text, path).toBe(typeof model.get(path))
      if (typeof text === 'object')
        expect(Object.keys(text).sort(), path).toEqual(categoriesOf(tag))
    }
  })

  it('has texts that are whole, without markup, and is no copy of the English', () => {
    for (const [path, text] of texts) {
      for (const form of formsOf(text)) {
        expect(form, path).toMatch(/^\S([^<>]*\S)?$/)
        const isLong = form.split(' ').length > 3
        if (isLong) expect(formsOf(model.get(path) ?? ''), path).not.toContain(form)
      }
    }
  })
})

it('French lines never break before a mark that stands apart, nor inside « »', () => {
  for (const [path, text] of textsOf(tables.fr ?? {})) {
    for (const form of formsOf(text)) {
      expect(form, path).not.toMatch(/[^\u202f][!?;]|[^\u00a0](:(?!\S)|»)|«[^\u00a0]/)
    }
  }
})

it('Polish lines never end with a word of one letter', () => {
  for (const [path, text] of textsOf(tables.pl ?? {})) {
    for (const form of formsOf(text)) expect(form, path).not.toMatch(/(^|[\s„(])[aiouwz] \S/i)
  }
})
