import type { texts as core } from './english.js'
import type { FeatureTexts } from './feature-texts.js'

/** The forms that a text has by number; a language has those that `Intl.PluralRules` knows of it. */
export type Plural = { readonly other: string } & {
  readonly [Category in Exclude<Intl.LDMLPluralRule, 'other'>]?: string
}

/** The table of a language: every text of the English ones. */
export type Texts = {
  readonly [Section in keyof AllTexts]: {
    readonly [Name in keyof AllTexts[Section]]: AllTexts[Section][Name] extends string
      ? string
      : Plural
  }
}

/** Of the core and of every feature. A page of a feature has its own, and those that the core and what it needs have. */
type AllTexts = ReturnType<typeof core> & FeatureTexts

/** Texts by section and name, as the core and features have them. */
export type Table = Readonly<Record<string, Readonly<Record<string, string | Plural>>>>

/** The language of an answer, and its texts. */
export interface Words {
  /** A tag (BCP 47), such as `pt-BR`. */
  readonly language: string
  /** Where lines begin: on the right in Arabic and Hebrew. */
  readonly direction: 'ltr' | 'rtl'
  readonly texts: Texts
  readonly codes: Codes
}

/**
 * The names of what features say of the codes of their errors, by the public word and the code: a text of `errors`, or one
 * of `errorPages` with a title.
 */
type Codes = ReadonlyMap<string, CodeText>

export type CodeText = keyof Texts['errors'] | keyof Texts['errorPages']

/** Tables as one: several may have texts of a section. */
export function together(tables: readonly Table[]): Table {
  const sections: Record<string, Table[string]> = {}
  for (const table of tables) {
    for (const [name, texts] of Object.entries(table)) {
      sections[name] = { ...sections[name], ...texts }
    }
  }
  return sections
}
