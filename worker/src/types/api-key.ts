/** An API key as its person and the operator see it. Times are ISO 8601. */
export interface ListedKey {
  /** By which it is ended. Not a credential. */
  readonly id: string
  readonly name: string
  /** The prefix and four characters. */
  readonly start: string
  readonly resource: string
  readonly scopes: readonly string[]
  readonly created: string
  readonly expires: string
  /** To the day; `null`: never. */
  readonly lastUsed: string | null
}

/** What an API key is to be. */
export interface WantedKey {
  /** What its person calls it, 1 to 64 printable characters. */
  readonly name: string
  /** The URI of a configured resource. Left out: the only one that there is. */
  readonly resource?: string
  /** Scopes of the resource, at least one. */
  readonly scopes: readonly string[]
  /** How long it lasts, 1 to 365. Default 90. */
  readonly days?: number
}

/** A key that was just made. Nothing shows it a second time. */
export interface MadeKey {
  readonly id: string
  readonly key: string
}
