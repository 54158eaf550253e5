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
  free(at: number): void
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
  const argon2 = await instance()
  const taken: (readonly [at: number, length: number])[] = []
  const put = (bytes: Uint8Array) => {
    const at = argon2.malloc(Math.max(bytes.length, 1))
    if (at === 0) throw new Error('argon2id has no memory left.')
    new Uint8Array(argon2.memory.buffer).set(bytes, at)
    taken.push([at, bytes.length])
    return [at, bytes.length] as const
  }
  let isSound = false
  // From here on nothing else runs in this thread, so hashes may share one memory.
  try {
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
    isSound = true
    return new Uint8Array(argon2.memory.buffer).slice(key, key + length)
  } finally {
    for (const [at, size] of taken) {
      new Uint8Array(argon2.memory.buffer).fill(0, at, at + size)
      // After a fault it might fail too, and hide the fault.
      if (isSound) argon2.free(at)
    }
    const isLarge = argon2.memory.buffer.byteLength > MAX_KEPT
    if (kept === argon2 && (isLarge || !isSound)) kept = undefined
  }
}

/** An instance with more memory is not shared: that of a costly hash. Bytes. */
const MAX_KEPT = 32 * 2 ** 20

/** Shared by the hashes of {@link shareMemory}. */
let kept: Argon2 | undefined

/**
 * Has all hashes use one memory until {@link releaseMemory}: for a caller that counts its hashes.
 *
 * @throws {Error} the package is not installed
 */
export async function shareMemory(): Promise<void> {
  const own = await instance()
  kept ??= own
}

/** Frees that memory. */
export function releaseMemory(): void {
  kept = undefined
}

async function instance(): Promise<Argon2> {
  if (kept) return kept
  const compiled = await argon2Module().catch((error: unknown) => needs('@phi-ag/argon2', error))
  // Memory grows and never shrinks: an instance of its own goes with its memory.
  const argon2 = (await WebAssembly.instantiate(compiled, {})).exports as unknown as Argon2
  argon2._initialize()
  return argon2
}
