import { argon2id } from './argon2id.js'
import { pbkdf2, scrypt } from './derive.js'
import { needs } from './needs.js'
import { hashPassword } from './new-hash.js'
import { type ReadHash, readHash } from './read-hash.js'

/** The hash for users without one, if the package for new hashes is not installed. */
const NOBODY = {
  kind: 'pbkdf2',
  digest: 'SHA-256',
  iterations: 100_000,
  salt: new Uint8Array(16),
  key: new Uint8Array(32),
} as const

/** No user types more. A longer password is wrong, and is not hashed. Bytes. */
const MAX_PASSWORD = 4_096

/**
 * Is this the password of a hash that another system has made? Formats are told apart by themselves: argon2id and
 * scrypt as PHC strings, bcrypt, PBKDF2 (PHC, passlib, Django), and better-auth's. argon2id needs the package
 * `@phi-ag/argon2`, bcrypt `bcryptjs`, scrypt in a Worker the flag `nodejs_compat` or `@noble/hashes`.
 *
 * @param hash absent, for a user who is unknown or has no password: the answer is `false`, and
 * takes as long as one of {@link hashPassword} (without its package: as 100,000 iterations of
 * PBKDF2), so that the time does not reveal which accounts exist (OWASP ASVS 5.0, 6.3.8)
 * @throws {TypeError} the hash is in no format that is known; the message does not contain it
 * @throws {Error} the package that the format needs is not installed
 * @example
 * const user = await findUser(email)
 * if (!(await verifyPassword(user?.hash, password))) return null
 */
export async function verifyPassword(
  hash: string | null | undefined,
  password: string,
): Promise<boolean> {
  if (typeof password !== 'string') return false
  const bytes = new Uint8Array(new TextEncoder().encode(password))
  if (bytes.length > MAX_PASSWORD) return false
  if (hash === null || hash === undefined || hash === '') {
    await hashPassword(password).catch(() => pbkdf2(bytes, NOBODY))
    return false
  }
  const read = typeof hash === 'string' ? readHash(hash) : undefined
  if (!read) throw new TypeError('The hash of a password is in no format that is known.')
  if (read.kind === 'bcrypt') return verifyBcrypt(password, read.text)
  return isSame(await keyOf(read, password, bytes), read.key)
}

function keyOf(
  read: Exclude<ReadHash, { kind: 'bcrypt' }>,
  password: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array> {
  if (read.kind === 'argon2id') return argon2id(bytes, read.salt, read, read.key.length)
  if (read.kind === 'pbkdf2') return pbkdf2(bytes, read)
  const normal = read.form ? new TextEncoder().encode(password.normalize(read.form)) : bytes
  return scrypt(normal, read)
}

async function verifyBcrypt(password: string, hash: string): Promise<boolean> {
  const { default: bcrypt } = await import('bcryptjs').catch((error) => needs('bcryptjs', error))
  return bcrypt.compare(password, hash)
}

/** Compares in a time that does not reveal where they differ. */
function isSame(made: Uint8Array, stored: Uint8Array): boolean {
  let differences = made.length ^ stored.length
  for (let at = 0; at < stored.length; at++) differences |= (made[at] ?? 0) ^ (stored[at] ?? 0)
  return differences === 0
}
