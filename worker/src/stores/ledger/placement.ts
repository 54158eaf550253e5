import { randomToken } from '../../lib/base64url.js'

/**
 * Where a Durable Object may be made, in Cloudflare's words (location hints). Their order is part of
 * every session's id: a new one goes to the end.
 */
export const REGIONS = ['wnam', 'enam', 'sam', 'weur', 'eeur', 'apac', 'oc', 'afr', 'me'] as const
export type Region = (typeof REGIONS)[number]

/** A number of objects, in each of these regions as well if there are any. */
export interface Layout {
  readonly count: number
  readonly regions: readonly Region[]
}

export function layoutOf(layout: number | Layout): Layout {
  return typeof layout === 'number' ? { count: layout, regions: [] } : layout
}

/** One object of a ledger. */
export interface Place {
  readonly name: string
  /** Absent: wherever it is first asked for. */
  readonly region?: Region
}

/** The most objects of which every one has every cut-off, as in every version up to 0.2. */
export const MAX_NARROW = 64

const SUFFIX = 3
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** 128 random bits, the letters that place the session, and its region's. */
const REGIONAL_SID = /^[\w-]{22}[\w-]{3}[a-i]$/

/**
 * Draws the id of a new session, so that its rows are where its person's are, by the rule that every
 * isolate of every version knows: the object follows from the id alone. With one object any id does.
 *
 * @param shards of which the newest counts
 * @param near where the person is
 * @param random 22 characters of base64url. Default: drawn
 */
export function drawSid(
  shards: readonly (number | Layout)[],
  sub: string,
  near?: Region,
  random: string = randomToken(16),
): string {
  const { count, regions } = layoutOf(shards.at(-1) ?? 1)
  const region =
    near && regions.includes(near) ? String.fromCharCode(97 + REGIONS.indexOf(near)) : ''
  if (count === 1 && !region) return random
  const wanted = hash(sub) % count
  const begun = hash(random)
  for (let tries = 0; tries < LETTERS.length ** SUFFIX; tries++) {
    const suffix = suffixOf(tries)
    if (hash(suffix + region, begun) % count === wanted) return random + suffix + region
  }
  // As good as impossible: then the session's object is asked besides the person's.
  return `${random}${suffixOf(0)}${region}`
}

function suffixOf(number: number): string {
  return [number >> 12, (number >> 6) & 63, number & 63].map((at) => LETTERS[at]).join('')
}

/** The object of a name, such as that of a flow. */
export function placeOfName({ count }: Layout, name: string): Place {
  return placeAt(count, hash(name) % count)
}

/** The object with the rows of a session. */
export function placeOfSession({ count, regions }: Layout, sid: string): Place {
  const region = regionOf(sid)
  const index = hash(sid) % count
  return placeAt(count, index, region && regions.includes(region) ? region : undefined)
}

/** The object that decides on a person. */
export function placeOfPerson({ count }: Layout, sub: string): Place {
  return placeAt(count, hash(sub) % count)
}

/**
 * Does the object of a session lack the person's cut-offs? Older sessions may be elsewhere, and
 * where there are many objects a cut-off is in the person's own alone.
 */
export function isAstray(layout: Layout, sid: string, sub: string): boolean {
  return isWide(layout) && hash(sid) % layout.count !== hash(sub) % layout.count
}

/** The objects that follow what the person's own decides. */
export function followers(layout: Layout, sub: string): readonly Place[] {
  const { count, regions } = layout
  if (!isWide(layout)) return placesOf(layout)
  return regions.map((region) => placeAt(count, hash(sub) % count, region))
}

/** All objects. */
export function placesOf({ count, regions }: Layout): readonly Place[] {
  const indexes = Array.from({ length: count }, (_, index) => index)
  return [undefined, ...regions].flatMap((region) =>
    indexes.map((index) => placeAt(count, index, region)),
  )
}

export function distinct(places: readonly Place[]): readonly Place[] {
  return [...new Map(places.map((place) => [place.name, place])).values()]
}

function isWide({ count, regions }: Layout): boolean {
  return count > MAX_NARROW || regions.length > 0
}

/** A single object has the name that it has without the setting. */
function placeAt(count: number, index: number, region?: Region): Place {
  if (region) return { name: `ledger-${region}-${count}-${index}`, region }
  return { name: count === 1 ? 'ledger' : `ledger-${count}-${index}` }
}

function regionOf(sid: string): Region | undefined {
  return REGIONAL_SID.test(sid) ? REGIONS[sid.charCodeAt(sid.length - 1) - 97] : undefined
}

/**
 * FNV-1a, 32 bits: spreads evenly, and everywhere in the same way. @param begun the hash of the
 * text before
 */
function hash(text: string, begun = 0x811c9dc5): number {
  let value = begun
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  }
  return value >>> 0
}
