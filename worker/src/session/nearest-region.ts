import type { Region } from '../stores/ledger/placement.js'

/** By continent, from west to east: the longitude up to which a region is the nearest. Degrees. */
const BY_CONTINENT: readonly (readonly [string, number, Region])[] = [
  ['NA', -100, 'wnam'],
  ['NA', 180, 'enam'],
  ['SA', 180, 'sam'],
  ['EU', 15, 'weur'],
  ['EU', 180, 'eeur'],
  ['AF', 180, 'afr'],
  ['AS', 63, 'me'],
  ['AS', 180, 'apac'],
  ['OC', 180, 'oc'],
]

/**
 * The region nearest to where a request comes from, as far as Cloudflare says it. It decides how
 * long a call takes, and nothing else.
 */
export function nearestRegion(request: Request): Region | undefined {
  const { continent, longitude } =
    (request as { cf?: { continent?: unknown; longitude?: unknown } }).cf ?? {}
  const degrees = Number(longitude ?? 0)
  return BY_CONTINENT.find(([name, east]) => name === continent && !(degrees > east))?.[2]
}
