import { builtIn } from './built-in.js'
import type { ReadHash } from './read-hash.js'

type Scrypt = Extract<ReadHash, { kind: 'scrypt' }>
type Pbkdf2 = Extract<ReadHash, { kind: 'pbkdf2' }>

/** RFC 7914. @throws {Error} there is no implementation */
export function scrypt(
  password: Uint8Array,
  { salt, key, cost, blockSize, parallelization }: Scrypt,
): Promise<Uint8Array> {
  const node = builtIn('node:crypto')
  if (!node) {
    throw new Error(
      'scrypt needs node:crypto: add compatibility_flags = ["nodejs_compat"] to wrangler.toml',
    )
  }
  const maxmem = 128 * blockSize * (cost + parallelization + 2)
  const options = { N: cost, r: blockSize, p: parallelization, maxmem }
  return new Promise((resolve, reject) => {
    node.scrypt(password, salt, key.length, options, (error, derived) =>
      error ? reject(error) : resolve(derived),
    )
  })
}

/**
 * RFC 8018, section 5.2. Workers refuse more than 100,000 iterations.
 *
 * @throws {Error} the platform does not compute as many
 */
export async function pbkdf2(
  password: Uint8Array<ArrayBuffer>,
  { digest, salt, key, iterations }: Pbkdf2,
): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits'])
  const algorithm = { name: 'PBKDF2', hash: digest, salt, iterations }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, imported, key.length * 8))
}
