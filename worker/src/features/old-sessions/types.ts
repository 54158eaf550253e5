import type { Migration } from '../../types/old-sessions.js'

/** Members of the configuration. */
export interface ConfigOfOldSessions {
  /**
   * Sessions of a library that the app has used before: each continues once, as a session of
   * Latchkey for the same user, until the date of the entry. Entries are made by `authjs()` and
   * `betterAuth()` of `@latchkey/worker/migrate` (docs/move-in.md). Default: none.
   */
  readonly migrateFrom?: readonly Migration[]
}
