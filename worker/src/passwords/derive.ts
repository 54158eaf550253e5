import { isWorkerd } from '@latchkey/session/internal'
import { builtIn } from './built-in.js'
import { needs } from './needs.js'
import type { ReadHash } from './read-hash.js'

type Scrypt = Extract<ReadHash, { kind: 'scrypt' }>
type Pbkdf2 = Extract<ReadHash, { kind: 'pbkdf2' }>

/**
 * RFC 7914. Without `node:crypto`, as in a Worker without `nodejs_compat`, it is computed by `@noble/hashes`, several times as slow.
 *
 * @throws {Error} that package is not installed either
 */
export async function scrypt(
  password: Uint8Array,
  { salt, key, cost, blockSize, parallelization }: Scrypt,
): Promise<Uint8Array> {
  const node = builtIn('node:crypto')
  if (!node) {
    const noble = await import('@noble/hashes/scrypt.js').catch(missingNoble)
    return noble.scrypt(password, salt, {
      N: cost,
      r: blockSize,
      p: parallelization,
      dkLen: key.length,
    })
  }
  const maxmem = 128 * blockSize * (cost + parallelization + 2)
  const options = { N: cost, r: blockSize, p: parallelization, maxmem }
  return new Promise((resolve, reject) => {
    node.scrypt(password, salt, key.length, options, (error, derived) =>
      error ? reject(error) : resolve(derived),
    )
  })
}

/** Deployed Workers refuse more by their own function, while `wrangler dev` accepts it. */
const MAX_ON_WORKERS = 100_000

/**
 * RFC 8018, section 5.2. In a Worker more than 100,000 iterations are computed by `@noble/hashes`, four times as slow.
 *
 * @param isLimited is this a Worker?
 * @throws {Error} that package is not installed
 * @see https://github.com/cloudflare/workerd/issues/1346
 */
export async function pbkdf2(
  password: Uint8Array<ArrayBuffer>,
  { digest, salt, key, iterations }: Pbkdf2,
  isLimited = isWorkerd,
): Promise<Uint8Array> {
  if (isLimited && iterations > MAX_ON_WORKERS) {
    const noble = await nobleHashes()
    return noble.pbkdf2(noble[digest], password, salt, { c: iterations, dkLen: key.length })
  }
  const imported = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits'])
  const algorithm = { name: 'PBKDF2', hash: digest, salt, iterations }
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, imported, key.length * 8))
}

const missingNoble = (error: unknown) => needs('@noble/hashes', error)

/** Each `import()` has a `catch` of its own: otherwise bundlers refuse a Worker without the package. */
async function nobleHashes() {
  const [{ pbkdf2 }, { sha1 }, { sha256, sha512 }] = await Promise.all([
    import('@noble/hashes/pbkdf2.js').catch(missingNoble),
    import('@noble/hashes/legacy.js').catch(missingNoble),
    import('@noble/hashes/sha2.js').catch(missingNoble),
  ])
  return { pbkdf2, 'SHA-1': sha1, 'SHA-256': sha256, 'SHA-512': sha512 }
}
