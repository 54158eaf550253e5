import { InvalidConfiguration } from '../../errors.js'
import type { OwnStore } from '../ports.js'

/** A store of a Node process, which others may share. */
export interface NodeStore extends OwnStore {
  readonly claim: NonNullable<OwnStore['claim']>
  /**
   * Opens the store, which its first call does otherwise.
   *
   * @throws {Error} without the address of the store: it cannot be opened now, and a later call tries again
   */
  ready(): Promise<void>
  /** Ends its connections. Answered calls are kept. */
  close(): Promise<void>
}

/** Rows that are over are deleted in parts, by the writes that come next. Seconds between two parts. */
export const SWEEP_INTERVAL = 60
/** The rows of one part. */
export const SWEEP_ROWS = 500
/**
 * Processes have clocks of their own: if the database has another one, rows that are over stay for
 * this long. Seconds.
 */
export const SWEEP_GRACE = 600

export interface StoreOptions {
  /**
   * The beginning of the names of tables or keys, so that two services can share one database: a
   * lower-case letter, and up to 30 letters, digits and `_`. Default `latchkey`.
   */
  readonly prefix?: string | undefined
  /** Milliseconds since the epoch, for tests. Default: the clock of the database, which all processes share. */
  readonly now?: (() => number) | undefined
}

/** The options of a store. A function is the clock. @throws {InvalidConfiguration} */
export function storeOptions(options: StoreOptions | (() => number) = {}) {
  const { prefix = 'latchkey', now }: StoreOptions =
    typeof options === 'function' ? { now: options } : options
  if (!/^[a-z][a-z0-9_]{0,30}$/.test(prefix)) {
    throw new InvalidConfiguration(
      'The prefix of a store is a lower-case letter, and up to 30 letters, digits and underscores.',
    )
  }
  return { prefix, now }
}
