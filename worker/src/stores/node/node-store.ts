import type { Stores } from '../ports.js'

/** A store of a Node process, which others may share. */
export interface NodeStore extends Stores {
  /**
   * Opens the store, which its first call does otherwise.
   *
   * @throws {Error} without the address of the store: it cannot be opened now, and a later call tries again
   */
  ready(): Promise<void>
  /** Ends its connections. What was answered is kept. */
  close(): Promise<void>
}

/** Rows that are over are deleted in parts, by the writes that come next. Seconds between two parts. */
export const SWEEP_INTERVAL = 60
/** The rows of one part. */
export const SWEEP_ROWS = 500
/**
 * Processes have clocks of their own: where the database has another one, what is over stays for so long.
 * Seconds.
 */
export const SWEEP_GRACE = 600
