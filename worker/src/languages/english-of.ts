import { texts as core } from './english.js'
import { type CodeText, type Table, type Texts, together, type Words } from './texts.js'

/** What says something, such as a feature. */
interface Speaker {
  readonly name: string
  readonly pages?: {
    readonly texts?: () => Table
    readonly codes?: Readonly<Record<string, CodeText>>
  }
}

/** The English texts of a service, made when they are first asked for: most isolates start without showing a page. */
export interface English {
  /** By the features that show them alone; those of the core by an empty name. */
  readonly parts: ReadonlyMap<string, () => Table>
  readonly words: Words
}

/** @param features with texts of their own */
export function englishOf(features: readonly Speaker[]): English {
  const known = english.get(features)
  if (known) return known
  const of = features.flatMap(({ name, pages }) =>
    pages?.texts ? [[name, pages.texts] as const] : [],
  )
  const parts = new Map<string, () => Table>([['', core], ...of])
  let made: Texts | undefined
  const words: Words = {
    language: 'en',
    direction: 'ltr',
    codes: new Map([
      ['AccessDenied blocked', 'blocked'],
      ...features.flatMap(({ pages }) => Object.entries(pages?.codes ?? {})),
    ]),
    get texts() {
      made ??= together([...parts.values()].map((part) => part())) as Texts
      return made
    },
  }
  const found = { parts, words }
  english.set(features, found)
  return found
}

/** The texts of lists of features, so that a configuration that is made anew makes none anew. */
const english = new WeakMap<object, English>()
