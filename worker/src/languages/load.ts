import { directionOf, findLanguage } from './choose.js'
import type { Copy, OwnTexts } from './copy.js'
import { inEnglish, type Texts, type Words } from './words.js'

/** Each is loaded by the first request that needs it. */
const TABLES: Readonly<Record<string, () => Promise<{ readonly texts: OwnTexts }>>> = {
  de: () => import('./de.js'),
  es: () => import('./es.js'),
  fr: () => import('./fr.js'),
  id: () => import('./id.js'),
  it: () => import('./it.js'),
  ja: () => import('./ja.js'),
  ko: () => import('./ko.js'),
  nl: () => import('./nl.js'),
  pl: () => import('./pl.js'),
  'pt-BR': () => import('./pt-BR.js'),
  tr: () => import('./tr.js'),
  uk: () => import('./uk.js'),
  'zh-Hans': () => import('./zh-Hans.js'),
  'zh-Hant': () => import('./zh-Hant.js'),
}

/** The languages that there are without an app's own. */
export const LANGUAGES: ReadonlySet<string> = new Set(['en', ...Object.keys(TABLES)])

/** @param language one of {@link LANGUAGES}, or of the app's own: what those lack is as in the language nearest to them */
export async function loadWords(language: string, copy: Copy | undefined): Promise<Words> {
  const own = copy?.get(language)
  const base = LANGUAGES.has(language) ? language : findLanguage([language], LANGUAGES)
  const table = await TABLES[base ?? 'en']?.()
  if (!own && !table) return inEnglish
  const texts = withOwn(withOwn(inEnglish.texts, table?.texts), own)
  return { language, direction: directionOf(language), texts }
}

function withOwn(texts: Texts, own: OwnTexts = {}): Texts {
  const sections = Object.entries(texts).map(([name, section]) => {
    return [name, { ...section, ...own[name as keyof Texts] }]
  })
  return Object.fromEntries(sections)
}
