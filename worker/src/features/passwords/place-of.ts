/**
 * The place of a password among `size` places: the packed list of common passwords stores it instead of the password. FNV-1a,
 * with its bits mixed.
 */
export function placeOf(password: string, size: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < password.length; at++) {
    hash = Math.imul(hash ^ password.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return Math.floor((((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32) * size)
}
