import { digest } from './base64url.js'

/**
 * A `sub` as a part of a key: an id from `subject` may have any letters, of which 255 are a
 * thousand bytes. One of base64url stays as it is; any other is a digest, which never begins as
 * those do.
 */
export function keyOfSub(sub: string): string | Promise<string> {
  return /^[\w-]{1,255}$/.test(sub) ? sub : digestOf(sub)
}

async function digestOf(sub: string): Promise<string> {
  return `~${await digest(['latchkey/key/v1', sub])}`
}
