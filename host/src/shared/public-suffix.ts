import { PACKED_SUFFIXES, SUFFIX_PLACES } from './packed-suffixes.js'
import { COMMON_SUFFIXES, NOT_LISTED, suffixHash } from './suffix-hash.js'
import { unpackPlaces } from './unpack-places.js'

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
  places ??= unpackPlaces(PACKED_SUFFIXES, LOW_BITS)
  return places.has(suffixHash(rule, SUFFIX_PLACES))
}

/** The low bits of each distance, as they are in the packed list. */
const LOW_BITS = 11
