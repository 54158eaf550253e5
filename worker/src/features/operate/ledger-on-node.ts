import type { Place } from '../../stores/ledger/placement.js'
import { lastingRowsOf } from '../../stores/node/lasting.js'
import type { LogSettings } from './log/log-settings.js'
import { STORE_CHAIN } from './log/record.js'
import { storeLogOf } from './on-node/store-log.js'
import type { AuditPlaces } from './places.js'

/** In the place of the Durable Object, which is there in a Worker alone. The feature itself loads everywhere. */
export class Ledger {
  constructor() {
    throw new TypeError(
      'The ledger of the binding LEDGER is a Durable Object, which Node does not have.',
    )
  }
}

const PLACE: Place = { name: STORE_CHAIN }

/**
 * The log of a store in a file, in Postgres or in Redis. It has one chain.
 *
 * @param now milliseconds since the epoch
 * @returns `undefined`: the store keeps no log
 */
export function logOfStore(
  store: object,
  settings: LogSettings,
  now: () => number,
): AuditPlaces | undefined {
  const rows = lastingRowsOf(store)
  if (!rows) return undefined
  const log = storeLogOf(rows, settings, now)
  return { placeOf: () => PLACE, placesOfPerson: () => [PLACE], all: () => [PLACE], at: () => log }
}
