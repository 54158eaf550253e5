/** How much of a size is simulated in full; the rest is load on the objects and nothing more. */
export interface Extent {
  readonly seed: number
  /** Measured after the warm-up. */
  readonly seconds: number
  readonly isolates: number
  readonly apps: number
  /** Sessions in use at each app, read one by one: as many as in truth. */
  readonly readers: number
  /** The part of messages that are lost. */
  readonly loss: number
  /**
   * An object's time for a call that writes nothing, in milliseconds: 1 for the thousand a second that it
   * carries, 0 to see the load without that limit.
   */
  readonly callTime: number
}

export const wholeExtent: Extent = {
  seed: 1,
  seconds: 60,
  isolates: 12,
  apps: 4,
  readers: 1_000,
  loss: 1e-5,
  callTime: 1,
}

/**
 * What a call costs an object, as a multiple of one that writes nothing, and what a megabyte of its answer
 * costs: processor time of workerd, by `npm run bench -- objects`.
 */
export const WRITES = 3.8
export const SENDS_A_MEGABYTE = 37
