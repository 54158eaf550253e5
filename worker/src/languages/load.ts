import { directionOf, findLanguage } from './choose.js'
import type { Copy, OwnTexts } from './copy.js'
import { TABLES } from './tables.js'
import { unpack } from './unpack.js'
import { inEnglish, type Texts, type Words } from './words.js'

/** The languages that there are without an app's own. */
export const LANGUAGES: ReadonlySet<string> = new Set(['en', ...Object.keys(TABLES)])

/** What this process has unpacked, by language. Values and no promises: a request may end in the middle. */
const unpacked = new Map<string, OwnTexts>()

/** @param language one of {@link LANGUAGES}, or of the app's own: what those lack is as in the language nearest to them */
export async function loadWords(language: string, copy: Copy | undefined): Promise<Words> {
  const own = copy?.get(language)
  const base = LANGUAGES.has(language) ? language : findLanguage([language], LANGUAGES)
  const table = await tableOf(base ?? 'en')
  if (!own && !table) return inEnglish
  const texts = withOwn(withOwn(inEnglish.texts, table), own)
  return { language, direction: directionOf(language), texts }
}

async function tableOf(language: string): Promise<OwnTexts | undefined> {
  const load = TABLES[language]
  const known = unpacked.get(language)
  if (known || !load) return known
  const { packed } = await load()
  const table = await unpack(packed)
  unpacked.set(language, table)
  return table
}

function withOwn(texts: Texts, own: OwnTexts = {}): Texts {
  const sections = Object.entries(texts).map(([name, section]) => {
    return [name, { ...section, ...own[name as keyof Texts] }]
  })
  return Object.fromEntries(sections)
}
