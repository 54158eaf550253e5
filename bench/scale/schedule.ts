import type { Layout } from '@latchkey/worker/stores/ledger/placement'

/** A fault and its time. Times are seconds from the beginning. */
export interface Fault {
  readonly kind:
    | 'a message is lost'
    | 'messages overtake each other'
    | 'collectors restart'
    | 'an isolate restarts'
    | 'an app restarts'
    | 'a location is cut off'
    | 'an object fails'
  readonly at: number
  /** The index of the location, object, isolate or app. */
  readonly which: number
  readonly lasts: number
}

export interface Schedule {
  readonly seed: number
  /** `AUTH_LEDGER_SHARDS`, at first, in the course of a change, and after it. */
  readonly shards: readonly [readonly Layout[], ...(readonly Layout[])[]]
  readonly faults: readonly Fault[]
  /** Is the feed so long that apps ask about their own sessions? */
  readonly isLong: boolean
}

/** What a schedule broke. */
export interface Broken {
  readonly violations: readonly string[]
  /** How much the run observed, so that a run that tests nothing is noticed. */
  readonly seen: Seen
}

export interface Seen {
  ends: number
  reads: number
  onceWon: number
  renewed: number
}
