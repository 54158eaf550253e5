import { PACKED_SUFFIXES, SUFFIX_PLACES } from './packed-suffixes.js'
import { COMMON_SUFFIXES, NOT_LISTED, suffixHash } from './suffix-hash.js'

/**
 * May strangers have a site below this host? Then a wildcard there is an invitation. The answer comes from the
 * packed Public Suffix List: docs/decisions/features.md has the format and its cost.
 *
 * @param host as a URL has it: in lower case, and in ASCII
 */
export function isPublicSuffix(host: string): boolean {
  const name = host.replace(/\.$/, '')
  if (COMMON_SUFFIXES.test(name) || NOT_LISTED.test(name) || isListed(name)) return true
  // A rule such as `*.ck`, of which `!www.ck` is an exception.
  return isListed(name.replace(/^[^.]+/, '*')) && !isListed(`!${name}`)
}

/** The sorted places of all rules, unpacked for the first wildcard. */
let places: Set<number> | undefined

function isListed(rule: string): boolean {
  places ??= unpacked()
  return places.has(suffixHash(rule, SUFFIX_PLACES))
}

/** The low bits of each distance, as they are in the packed list. */
const LOW_BITS = 11

/** Distances between places, each as Rice's code: a run of ones and a zero, then the low bits. */
function unpacked(): Set<number> {
  const bytes = atob(PACKED_SUFFIXES)
  const hashes = new Set<number>()
  let at = 0
  const bit = () => (bytes.charCodeAt(at >> 3) >> (7 - (at++ & 7))) & 1
  const end = bytes.length * 8
  for (let place = -1; ; ) {
    let high = 0
    while (at < end && bit()) high += 1
    if (at + LOW_BITS > end) return hashes
    let low = 0
    for (let count = 0; count < LOW_BITS; count++) low = low * 2 + bit()
    place += high * 2 ** LOW_BITS + low + 1
    hashes.add(place)
  }
}
