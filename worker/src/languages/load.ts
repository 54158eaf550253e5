import { directionOf, findLanguage } from './choose.js'
import type { English } from './english-of.js'
import type { Language } from './language.js'
import type { Copy, OwnTexts } from './own-texts.js'
import type { Table, Texts, Words } from './texts.js'
import { named, textsIn, type Unpacked, unpack } from './unpack.js'

/** The languages of a service but English, by their tags. */
export type Languages = ReadonlyMap<string, Language>

/** A feature that brings the translations of its texts itself: a service without it has none of them. */
export interface Translated {
  /** In English. */
  readonly texts?: () => Table
  /** Those of every other language, packed. */
  readonly translations?: () => Promise<{ readonly packed: string }>
}

/** What this process has unpacked, by what loads it. Values and no promises: a request may end in the middle. */
const unpacked = new WeakMap<() => unknown, Unpacked>()

/** The same with the names of what a service shows. */
const tables = new WeakMap<English, WeakMap<Language, OwnTexts>>()

/**
 * The texts of a language.
 *
 * @param language the tag of one of `languages`, or of the app's own: what those lack is as in the language nearest to them
 * @param translated the features that are on and bring their translations
 */
export async function loadWords(
  language: string,
  languages: Languages,
  copy: Copy | undefined,
  english: English,
  translated: readonly Translated[] = [],
): Promise<Words> {
  const own = copy?.get(language)
  const tag = languages.get(language) ?? languages.get(nearest(language, languages) ?? '')
  const table = tag && (await tableOf(tag, english))
  if (!own && !table) return english.words
  const apart = tag ? await Promise.all(translated.map((one) => tableApart(tag, one))) : []
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
  const table = named(await unpackedBy(language.load), english)
  const ofService = tables.get(english) ?? new WeakMap()
  tables.set(english, ofService.set(language, table))
  return table
}

/** The texts of a feature that brings them: a part for each language, which begins with its tag. */
async function tableApart(
  { tag }: Language,
  { texts, translations }: Translated,
): Promise<OwnTexts> {
  if (!texts || !translations) return {}
  const all = await unpackedBy(translations)
  const lines = all.find(([first]) => first === tag)?.slice(1)
  return textsIn(texts(), lines) as OwnTexts
}

async function unpackedBy(load: () => Promise<{ readonly packed: string }>): Promise<Unpacked> {
  const values = unpacked.get(load) ?? (await unpack((await load()).packed))
  unpacked.set(load, values)
  return values
}

function withOwn(texts: Texts, own: OwnTexts = {}): Texts {
  const sections = Object.entries(texts).map(([name, section]) => {
    return [name, { ...section, ...own[name as keyof Texts] }]
  })
  return Object.fromEntries(sections)
}
