/** The texts of pages and mails in a language: the default export of `@latchkey/worker/languages/<tag>`. */
export interface Language {
  /** A tag (BCP 47), such as `pt-BR`. */
  readonly tag: string
  /** Loads the packed texts when a request first needs them. */
  readonly load: () => Promise<{ readonly packed: string }>
}
