import type { Texts } from './texts.js'

/** Texts of the app's own: some of a table, or all. */
export type OwnTexts = {
  readonly [Section in keyof Texts]?: Partial<Texts[Section]>
}

/** The app's own texts by language: of a language that is there they change some, any other they add. */
export type Copy = ReadonlyMap<string, OwnTexts>
