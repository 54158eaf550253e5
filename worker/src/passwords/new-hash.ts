import { argon2id } from './argon2id.js'
import { readHash } from './read-hash.js'

/** OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, two passes and one lane. */
const COST = { memory: 19_456, passes: 2, lanes: 1 }
/** Bytes (RFC 9106, section 4). */
const SALT = 16
const KEY = 32

/**
 * A new hash of a password, to be stored: argon2id in the PHC string format, about 40 ms of a processor's time and
 * 19 MiB. It needs the package `@phi-ag/argon2`, in Workers and in Node.
 *
 * @throws {Error} the package is not installed
 * @see https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html
 * @example user.hash = await hashPassword(password)
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT))
  const key = await argon2id(new TextEncoder().encode(password), salt, COST, KEY)
  const { memory, passes, lanes } = COST
  return `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${base64(salt)}$${base64(key)}`
}

/**
 * Should a hash be replaced at the next sign-in? Everything but an argon2id hash that costs at least what
 * {@link hashPassword} asks for.
 *
 * @example if (needsRehash(user.hash)) user.hash = await hashPassword(password)
 */
export function needsRehash(hash: string): boolean {
  const read = readHash(hash)
  if (read?.kind !== 'argon2id') return true
  return read.memory * read.passes < COST.memory * COST.passes || read.key.length < KEY
}

/** Without padding, as PHC strings have it. */
function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/=+$/, '')
}
