import { argon2Module } from '#argon2-module'
import { needs } from './needs.js'

/** The number of the variant in the reference implementation. */
const ARGON2ID = 2
const VERSION = 19

/** The cost of one hash. */
export interface Argon2Cost {
  /** KiB. */
  readonly memory: number
  readonly passes: number
  readonly lanes: number
}

/** The part of the module that we call: the reference implementation's own function in C. */
interface Argon2 {
  readonly memory: WebAssembly.Memory
  _initialize(): void
  malloc(length: number): number
  argon2_hash(
    passes: number,
    memory: number,
    lanes: number,
    password: number,
    passwordLength: number,
    salt: number,
    saltLength: number,
    key: number,
    keyLength: number,
    encoded: number,
    encodedLength: number,
    variant: number,
    version: number,
  ): number
}

/**
 * RFC 9106. The function of the module is called here and not by its package, which counts a password's letters
 * where the module wants its bytes: every "ü" would cut off the end.
 *
 * @param length of the key, in bytes
 * @throws {Error} the package is not installed; there is not memory enough
 */
export async function argon2id(
  password: Uint8Array,
  salt: Uint8Array,
  { memory, passes, lanes }: Argon2Cost,
  length: number,
): Promise<Uint8Array> {
  const compiled = await argon2Module().catch((error: unknown) => needs('@phi-ag/argon2', error))
  // Memory grows and never shrinks: an instance of its own goes with its memory.
  const argon2 = (await WebAssembly.instantiate(compiled, {})).exports as unknown as Argon2
  argon2._initialize()
  const put = (bytes: Uint8Array) => {
    const at = argon2.malloc(Math.max(bytes.length, 1))
    new Uint8Array(argon2.memory.buffer).set(bytes, at)
    return [at, bytes.length] as const
  }
  const [key] = put(new Uint8Array(length))
  const fault = argon2.argon2_hash(
    passes,
    memory,
    lanes,
    ...put(password),
    ...put(salt),
    key,
    length,
    0,
    0,
    ARGON2ID,
    VERSION,
  )
  if (fault !== 0) throw new Error(`argon2id failed with ${fault} (argon2.h).`)
  return new Uint8Array(argon2.memory.buffer).slice(key, key + length)
}
