import type { AuthBindings } from '../../ledger.js'
import {
  distinct,
  type Layout,
  type Place,
  placeOfName,
  placeOfPerson,
  placesOf,
} from '../../stores/ledger/placement.js'
import { objectAt } from '../../stores/object-at.js'
import type { AuditEntry, AuditHead, AuditRecord, DamagedRow } from '../../types.js'

/** One object's part of a query: names are digests, times are milliseconds since the epoch. */
export interface ObjectQuery {
  /** Records before this number of the chain. Left out: the newest too. */
  readonly before?: number
  /** `person`, `claimed` or `into` is one of them. */
  readonly persons?: readonly string[]
  readonly networks?: readonly string[]
  readonly event?: string
  readonly since?: number
  readonly until?: number
  readonly limit: number
}

/** An object's part of a page, the newest record first. */
export interface ObjectPage {
  readonly records: readonly (AuditRecord | DamagedRow)[]
  /** To go on before it, also if nothing was found yet; null: this was the end. */
  readonly next: number | null
}

/** The methods of the class `Ledger` of this feature. Names, parameters and answers never change: two versions may meet. */
export interface AuditObject {
  /** @param nonce 128 random bits: a call that is repeated with it writes nothing more */
  record(chain: string, entry: AuditEntry, nonce: string): Promise<void>
  records(query: ObjectQuery): Promise<ObjectPage>
  /** @returns null: it never had a record */
  auditHead(): Promise<{ readonly floor: AuditHead; readonly head: AuditHead } | null>
}

/** The people and the network of an event, by which its record has a place. */
export interface Whereabouts {
  readonly sub?: string | undefined
  readonly claimed?: string | undefined
  readonly network?: string | undefined
}

/** The objects of the ledger that keep the audit log. */
export class AuditPlaces {
  readonly #ledger: AuthBindings['LEDGER']
  readonly #layouts: readonly Layout[]

  /** @param layouts as `AUTH_LEDGER_SHARDS` lists them, the newest last */
  constructor(ledger: AuthBindings['LEDGER'], layouts: readonly Layout[]) {
    this.#ledger = ledger
    this.#layouts = layouts
  }

  /** Where the record of an event goes: to the object of its person. */
  placeOf({ sub, claimed, network }: Whereabouts): Place {
    const layout = this.#layouts.at(-1) ?? { count: 1, regions: [] }
    const person = sub ?? claimed
    if (person !== undefined) return placeOfPerson(layout, person)
    if (network !== undefined) return placeOfName(layout, network)
    const [first] = placesOf(layout)
    return first as Place
  }

  /** Where the records of a person are: they stay where they were when the number of objects changes. */
  placesOfPerson(sub: string): readonly Place[] {
    return distinct(this.#layouts.map((layout) => placeOfPerson(layout, sub)))
  }

  /** Every object that may have records. Those of a region have none: people are not in them. */
  all(): readonly Place[] {
    return distinct(this.#layouts.flatMap(({ count }) => placesOf({ count, regions: [] })))
  }

  at(place: Place): AuditObject {
    // Calls go over the wire: the other side has every method of the class.
    return objectAt(this.#ledger, place) as unknown as AuditObject
  }
}
