import type { Unconfirmed } from '../../person/person.js'

/** A second factor of a person: the key of an authenticator app, and recovery codes. Times are seconds. */
export interface PersonFactor {
  /** The key, bound to the person; unreadable once its secret is retired. */
  readonly sealed: string
  /** The step of the last code that was used. */
  readonly step: number
  /** The hashes of the recovery codes that are left. */
  readonly recovery: readonly string[]
  readonly added: number
  /** Random: if a writer has lost the answer, the mark shows whether the last write was its own. */
  readonly mark: string
  /** Random, of its recovery codes as they were made. Left out by versions up to 0.2: then `mark` stands for it. */
  readonly codes?: string
  /** Left out: it counts. */
  readonly unconfirmed?: Unconfirmed
}

declare module '../../person/person.js' {
  interface Person {
    /**
     * With a factor, every way that signs in as them has a document of its own: without one a
     * sign-in reads no person, and would ask for no factor.
     */
    readonly factor?: PersonFactor
  }
}
