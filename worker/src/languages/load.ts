import { directionOf, findLanguage } from './choose.js'
import type { English } from './english-of.js'
import type { Language } from './language.js'
import type { Copy, OwnTexts } from './own-texts.js'
import type { Texts, Words } from './texts.js'
import { named, type Unpacked, unpack } from './unpack.js'

/** The languages of a service but English, by their tags. */
export type Languages = ReadonlyMap<string, Language>

/** The texts of a feature in a language: a service without it has none of them. */
export type Translations = (tag: string) => Promise<OwnTexts>

/** What this process has unpacked. Values and no promises: a request may end in the middle. */
const unpacked = new WeakMap<Language, Unpacked>()

/** The same with the names of what a service shows. */
const tables = new WeakMap<English, WeakMap<Language, OwnTexts>>()

/**
 * The texts of a language.
 *
 * @param language the tag of one of `languages`, or of the app's own: what those lack is as in the language nearest to them
 * @param translations those that features bring themselves
 */
export async function loadWords(
  language: string,
  languages: Languages,
  copy: Copy | undefined,
  english: English,
  translations: readonly Translations[] = [],
): Promise<Words> {
  const own = copy?.get(language)
  const tag = languages.get(language) ?? languages.get(nearest(language, languages) ?? '')
  const table = tag && (await tableOf(tag, english))
  if (!own && !table) return english.words
  const apart = tag ? await Promise.all(translations.map((of) => of(tag.tag))) : []
  const all = [table, ...apart, own]
  const texts = all.reduce<Texts>((before, one) => withOwn(before, one), english.words.texts)
  return { language, direction: directionOf(language), texts, codes: english.words.codes }
}

function nearest(language: string, languages: Languages): string | undefined {
  return findLanguage([language], tagsOf(languages))
}

/** The tags of the languages that there are without an app's own texts. */
export function tagsOf(languages: Languages): ReadonlySet<string> {
  return new Set(['en', ...languages.keys()])
}

async function tableOf(language: Language, english: English): Promise<OwnTexts> {
  const texts = tables.get(english)?.get(language)
  if (texts) return texts
  const values = unpacked.get(language) ?? (await unpack((await language.load()).packed))
  unpacked.set(language, values)
  const table = named(values, english)
  const ofService = tables.get(english) ?? new WeakMap()
  tables.set(english, ofService.set(language, table))
  return table
}

function withOwn(texts: Texts, own: OwnTexts = {}): Texts {
  const sections = Object.entries(texts).map(([name, section]) => {
    return [name, { ...section, ...own[name as keyof Texts] }]
  })
  return Object.fromEntries(sections)
}
