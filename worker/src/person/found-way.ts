import type { Entrance } from '../stores/ledger/types.js'
import type { Person } from './person.js'

/** A person as they were read. */
export interface ReadPerson {
  readonly version: number
  readonly person: Person | undefined
}

/** The owner of a `sub`: the first way that had it. Most people have no such document. */
export interface Claim {
  /** The version of the document as it was read; 0: there is none. */
  readonly version: number
  /** The own name of that way; `undefined`: it has no owner. */
  readonly way?: string
  /** It has signed no user in yet. */
  readonly unseen?: true
}

/** A person's current id, and their own document. */
export interface PresentPerson {
  readonly sub: string
  readonly document: ReadPerson
}

/** The ledger's documents about a way, as they were when its proof was used up. */
export interface FoundWay extends Pick<Entrance, 'document' | 'person'> {
  /** The person of the way, if the kind of sign-in has already looked them up. */
  readonly present?: PresentPerson
}
