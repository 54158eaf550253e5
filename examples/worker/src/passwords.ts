/** As many rounds as a deployed Worker allows. */
const ITERATIONS = 100_000

/** A stored password: never the password itself. */
export interface StoredPassword {
  readonly salt: string
  /** PBKDF2-SHA256, 32 bytes in hex. */
  readonly hash: string
}

/**
 * Does the password match? Call it for unknown users as well, with {@link NOBODY}, so that both
 * answers take the same time.
 */
export async function matches(password: string, stored: StoredPassword): Promise<boolean> {
  const text = new TextEncoder()
  const key = await crypto.subtle.importKey('raw', text.encode(password), 'PBKDF2', false, [
    'deriveBits',
  ])
  const salt = text.encode(stored.salt)
  const params = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: ITERATIONS }
  const hash = new Uint8Array(await crypto.subtle.deriveBits(params, key, 256))
  return crypto.subtle.timingSafeEqual(hash, fromHex(stored.hash))
}

/** The password of unknown users: no input has this hash. */
export const NOBODY: StoredPassword = { salt: 'nobody', hash: '00'.repeat(32) }

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}
