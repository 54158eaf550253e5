import { english } from './english.js'

/** The forms that a text has by number; a language has those that `Intl.PluralRules` knows of it. */
export type Plural = { readonly other: string } & {
  readonly [Category in Exclude<Intl.LDMLPluralRule, 'other'>]?: string
}

/** The table of a language: every text of the English one. */
export type Texts = {
  readonly [Section in keyof English]: {
    readonly [Name in keyof English[Section]]: English[Section][Name] extends string
      ? string
      : Plural
  }
}

type English = ReturnType<typeof english>

/** The language of an answer, and its texts. */
export interface Words {
  /** A tag (BCP 47), such as `pt-BR`. */
  readonly language: string
  /** Where lines begin: on the right in Arabic and Hebrew. */
  readonly direction: 'ltr' | 'rtl'
  readonly texts: Texts
}

export const inEnglish: Words = {
  language: 'en',
  direction: 'ltr',
  get texts() {
    return english()
  },
}

/** The name of a provider, or of a way: in the person's language where it is one of ours, otherwise as it is. */
export function nameIn({ texts }: Words, name: string): string {
  const ours = UNNAMED.get(name)
  return ours === undefined ? name : texts.names[ours]
}

/** What configurations call providers whose name nobody gave. */
const UNNAMED = new Map<string, keyof Texts['names']>([
  ['E-mail', 'email'],
  ['Passkey', 'passkey'],
  ['Credentials', 'credentials'],
])
