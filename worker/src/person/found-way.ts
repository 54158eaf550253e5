import type { Entrance } from '../stores/ledger/types.js'
import type { ReadPerson } from './documents.js'

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
