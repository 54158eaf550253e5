declare const brand: unique symbol

/** What reads the cookies of all entries together: the feature alone knows it. */
export interface OldSessionsReader {
  readonly [brand]?: never
}

/**
 * Sessions of a library that the app has used before, for `migrateFrom` of the configuration: made by
 * `authjs()` and `betterAuth()` of `@latchkey/worker/migrate`, so that a Worker bundles only what it uses.
 */
export interface Migration {
  /** What `amr` and the callbacks call where a session comes from. */
  readonly id: 'authjs' | 'better-auth'
  /** After this time no part of it is read. Milliseconds since the epoch. */
  readonly until: number
  /** The names of its cookies, in full. */
  readonly cookies: readonly string[]
  readonly reader: OldSessionsReader
}
