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
import type { AuditMethods } from './log/record.js'
import type { WebhookMethods } from './webhooks/operations.js'

/** The people and the network of an event, by which its record has a place. */
export interface Whereabouts {
  readonly sub?: string | undefined
  readonly claimed?: string | undefined
  readonly network?: string | undefined
}

/** Where the audit log is. */
export interface AuditPlaces {
  /** Where the record of an event goes. */
  placeOf(whereabouts: Whereabouts): Place
  /** Where the records of a person are: they stay where they were when the number of objects changes. */
  placesOfPerson(sub: string): readonly Place[]
  /** Every place that may have records. */
  all(): readonly Place[]
  at(place: Place): AuditMethods & WebhookMethods
}

/** The objects of the ledger that keep the audit log. */
export class LedgerPlaces implements AuditPlaces {
  readonly #ledger: AuthBindings['LEDGER']
  readonly #layouts: readonly Layout[]

  /** @param layouts as `AUTH_LEDGER_SHARDS` lists them, the newest last */
  constructor(ledger: AuthBindings['LEDGER'], layouts: readonly Layout[]) {
    this.#ledger = ledger
    this.#layouts = layouts
  }

  /** To the object of its person. */
  placeOf({ sub, claimed, network }: Whereabouts): Place {
    const layout = this.#layouts.at(-1) ?? { count: 1, regions: [] }
    const person = sub ?? claimed
    if (person !== undefined) return placeOfPerson(layout, person)
    if (network !== undefined) return placeOfName(layout, network)
    const [first] = placesOf(layout)
    return first as Place
  }

  placesOfPerson(sub: string): readonly Place[] {
    return distinct(this.#layouts.map((layout) => placeOfPerson(layout, sub)))
  }

  /** Objects of a region have no records, because no person belongs to them. */
  all(): readonly Place[] {
    return distinct(this.#layouts.flatMap(({ count }) => placesOf({ count, regions: [] })))
  }

  at(place: Place): AuditMethods & WebhookMethods {
    // Calls go over the wire: the other side has every method of the class.
    return objectAt(this.#ledger, place) as unknown as AuditMethods & WebhookMethods
  }
}
