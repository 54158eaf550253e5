/** A hash of a password as a database has it, read. Its parameters are within bounds. */
export type ReadHash =
  | {
      readonly kind: 'argon2id'
      /** In KiB. */
      readonly memory: number
      readonly passes: number
      readonly lanes: number
      readonly salt: Uint8Array<ArrayBuffer>
      readonly key: Uint8Array<ArrayBuffer>
    }
  | {
      readonly kind: 'scrypt'
      readonly cost: number
      readonly blockSize: number
      readonly parallelization: number
      readonly salt: Uint8Array<ArrayBuffer>
      readonly key: Uint8Array<ArrayBuffer>
      /** The password is normalized to this form before it is hashed. */
      readonly form?: 'NFKC'
    }
  | {
      readonly kind: 'pbkdf2'
      readonly digest: 'SHA-1' | 'SHA-256' | 'SHA-512'
      readonly iterations: number
      readonly salt: Uint8Array<ArrayBuffer>
      readonly key: Uint8Array<ArrayBuffer>
    }
  | { readonly kind: 'bcrypt'; readonly text: string }

/** More memory than this is asked for by no setting that is recommended. Bytes. */
const MAX_MEMORY = 256 * 2 ** 20
/**
 * The bounds of work. Parameters multiply, so their product counts: a hash at a bound takes a few seconds of a
 * processor, and every setting that is recommended anywhere is below it.
 */
const MAX_PASSES = 64
const MAX_LANES = 64
/** KiB of argon2id, in all passes together. */
const MAX_ARGON2_WORK = 2 ** 20
/** Blocks of scrypt, in all lanes together. */
const MAX_SCRYPT_WORK = 2 ** 23
/** A lane of scrypt has a memory of its own, which grows with the size of a block alone. Every setting that is recommended has 8. */
const MAX_BLOCK_SIZE = 64
const MAX_BCRYPT_COST = 14
/** The limit of PBKDF2, for all parts of the key together: each part takes as long as the first. */
const MAX_ITERATIONS = 3_000_000
const DIGEST_BYTES = { 'SHA-1': 20, 'SHA-256': 32, 'SHA-512': 64 } as const
/** Bytes of a salt or a key. A shorter key would be guessed. */
const MAX_BYTES = 128
const MIN_KEY = 16

/** Characters of a whole hash. */
const MAX_LENGTH = 512

type Reader = (hash: string) => ReadHash | undefined

/**
 * Tells formats apart by the text before the first parameter: the PHC string format (argon2id,
 * scrypt, PBKDF2), modular crypt (bcrypt), Django's PBKDF2, and better-auth's two hexadecimal
 * numbers.
 *
 * @returns `undefined` for a format that is not known, and for parameters out of bounds
 * @see https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md
 */
export function readHash(hash: string): ReadHash | undefined {
  if (hash.length > MAX_LENGTH) return undefined
  const [, scheme = ''] = /^\$?([a-z0-9_-]+)\$/.exec(hash) ?? []
  const read = READERS.get(scheme) ?? (scheme === '' ? betterAuth : undefined)
  return read?.(hash)
}

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['argon2id', argon2id],
  ['scrypt', scrypt],
  ['2a', bcrypt],
  ['2b', bcrypt],
  ['2y', bcrypt],
  ['pbkdf2', (hash) => pbkdf2(hash, 'SHA-1')],
  ['pbkdf2-sha1', (hash) => pbkdf2(hash, 'SHA-1')],
  ['pbkdf2-sha256', (hash) => pbkdf2(hash, 'SHA-256')],
  ['pbkdf2-sha512', (hash) => pbkdf2(hash, 'SHA-512')],
  ['pbkdf2_sha256', django],
])

/** RFC 9106, version 19 alone: the one before it is weaker. */
function argon2id(hash: string): ReadHash | undefined {
  const match = /^\$argon2id\$v=19\$([^$]+)\$([^$]+)\$([^$]+)$/.exec(hash)
  const [memory, passes, lanes] = numbers(match?.[1], ['m', 't', 'p'])
  const bytes = saltAndKey(match?.[2], match?.[3])
  if (!bytes || !memory || !passes || !lanes) return undefined
  const fits = memory * 1024 <= MAX_MEMORY && passes <= MAX_PASSES && lanes <= MAX_LANES
  if (!fits || memory * passes > MAX_ARGON2_WORK) return undefined
  if (memory < 8 * lanes || bytes.salt.length < 8) return undefined
  return { kind: 'argon2id', memory, passes, lanes, ...bytes }
}

/** RFC 7914. `ln` is the logarithm of the cost. */
function scrypt(hash: string): ReadHash | undefined {
  const match = /^\$scrypt\$([^$]+)\$([^$]+)\$([^$]+)$/.exec(hash)
  const [ln, r, p] = numbers(match?.[1], ['ln', 'r', 'p'])
  const bytes = saltAndKey(match?.[2], match?.[3])
  if (!bytes || !ln || !r || !p) return undefined
  return scryptWithin(2 ** ln, r, p, bytes)
}

function scryptWithin(
  cost: number,
  blockSize: number,
  parallelization: number,
  bytes: Bytes,
): Extract<ReadHash, { kind: 'scrypt' }> | undefined {
  const memory = 128 * cost * blockSize
  // Each lane takes as long as the first.
  if (memory > MAX_MEMORY || parallelization > MAX_LANES) return undefined
  if (blockSize > MAX_BLOCK_SIZE) return undefined
  if (cost * blockSize * parallelization > MAX_SCRYPT_WORK) return undefined
  return { kind: 'scrypt', cost, blockSize, parallelization, ...bytes }
}

function bcrypt(text: string): ReadHash | undefined {
  const [, cost] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(text) ?? []
  const isWithin = Number(cost) >= 4 && Number(cost) <= MAX_BCRYPT_COST
  return isWithin ? { kind: 'bcrypt', text } : undefined
}

/** As PHC strings have it (`i=100000`), and passlib (the bare number, `.` for `+`). */
function pbkdf2(hash: string, digest: 'SHA-1' | 'SHA-256' | 'SHA-512'): ReadHash | undefined {
  const [, , parameters = '', salt, key] = hash.split('$')
  const text = /^\d+$/.test(parameters) ? `i=${parameters}` : parameters.replace(/,l=\d+$/, '')
  const [iterations] = numbers(text, ['i'])
  const bytes = saltAndKey(salt?.replaceAll('.', '+'), key?.replaceAll('.', '+'))
  if (!bytes || !iterations || hash.split('$').length !== 5) return undefined
  return pbkdf2Within({ kind: 'pbkdf2', digest, iterations, ...bytes })
}

function pbkdf2Within(read: Extract<ReadHash, { kind: 'pbkdf2' }>): ReadHash | undefined {
  const parts = Math.ceil(read.key.length / DIGEST_BYTES[read.digest])
  // SHA-512 takes twice as long.
  const weight = read.digest === 'SHA-512' ? 2 : 1
  return read.iterations * parts * weight <= MAX_ITERATIONS ? read : undefined
}

/** Django's own: the salt is text. */
function django(hash: string): ReadHash | undefined {
  const [, rounds, salt, text] = /^pbkdf2_sha256\$(\d+)\$([^$]{1,128})\$([^$]+)$/.exec(hash) ?? []
  const [iterations] = numbers(`i=${rounds}`, ['i'])
  const key = fromBase64(text)
  if (!iterations || salt === undefined || !isKey(key)) return undefined
  const bytes = { salt: encode(salt), key }
  return pbkdf2Within({ kind: 'pbkdf2', digest: 'SHA-256', iterations, ...bytes })
}

/** `<salt>:<key>`, both hexadecimal; the salt counts as the text that it is. */
function betterAuth(hash: string): ReadHash | undefined {
  const [, salt = '', hex = ''] = /^([0-9a-f]{32}):([0-9a-f]{128})$/.exec(hash) ?? []
  if (salt === '') return undefined
  const key = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
  const read = scryptWithin(16_384, 16, 1, { salt: encode(salt), key })
  return read && ({ ...read, form: 'NFKC' } as ReadHash)
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text))
}

interface Bytes {
  readonly salt: Uint8Array<ArrayBuffer>
  readonly key: Uint8Array<ArrayBuffer>
}

/** Whole positive numbers under these names, in this order and no others. */
function numbers(text: string | undefined, names: readonly string[]): (number | undefined)[] {
  const parts = text?.split(',') ?? []
  if (parts.length !== names.length) return []
  return parts.map((part, index) => {
    const [, name, digits] = /^([a-z]+)=([1-9]\d{0,8})$/.exec(part) ?? []
    return name === names[index] ? Number(digits) : undefined
  })
}

function saltAndKey(salt: string | undefined, key: string | undefined): Bytes | undefined {
  const bytes = { salt: fromBase64(salt), key: fromBase64(key) }
  const isWhole = bytes.salt && bytes.salt.length <= MAX_BYTES
  return isWhole && isKey(bytes.key) ? (bytes as Bytes) : undefined
}

function isKey(key: Uint8Array<ArrayBuffer> | undefined): key is Uint8Array<ArrayBuffer> {
  return key !== undefined && key.length >= MIN_KEY && key.length <= MAX_BYTES
}

/** RFC 4648, section 4, with and without padding. */
function fromBase64(text: string | undefined): Uint8Array<ArrayBuffer> | undefined {
  if (text === undefined || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined
  try {
    return Uint8Array.from(atob(text.replace(/=+$/, '')), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
