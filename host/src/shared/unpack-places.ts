/**
 * The places of a packed list: distances between sorted places, each as Rice's code, a run of ones and a zero, then the
 * low bits.
 *
 * @param packed in base64
 * @param lowBits of each distance
 */
export function unpackPlaces(packed: string, lowBits: number): Set<number> {
  const bytes = atob(packed)
  const found = new Set<number>()
  let at = 0
  const bit = () => (bytes.charCodeAt(at >> 3) >> (7 - (at++ & 7))) & 1
  const end = bytes.length * 8
  for (let place = -1; ; ) {
    let high = 0
    while (at < end && bit()) high += 1
    if (at + lowBits > end) return found
    let low = 0
    for (let count = 0; count < lowBits; count++) low = low * 2 + bit()
    place += high * 2 ** lowBits + low + 1
    found.add(place)
  }
}
