import { isWorkerd } from '@latchkey/session/internal'
import { builtIn } from './built-in.js'
import { needs } from './needs.js'
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

/** Each `import()` has a `catch` of its own: otherwise bundlers refuse a Worker without the package. */
async function nobleHashes() {
  const missing = (error: unknown) => needs('@noble/hashes', error)
  const [{ pbkdf2 }, { sha1 }, { sha256, sha512 }] = await Promise.all([
    import('@noble/hashes/pbkdf2.js').catch(missing),
    import('@noble/hashes/legacy.js').catch(missing),
    import('@noble/hashes/sha2.js').catch(missing),
  ])
  return { pbkdf2, 'SHA-1': sha1, 'SHA-256': sha256, 'SHA-512': sha512 }
}
