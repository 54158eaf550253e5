import { digest } from '../../lib/base64url.js'
import { encodeBase32, inGroups } from './base32.js'

/** How many a person gets. */
const COUNT = 10
/**
 * Bytes of 120 bits. From 112 on an attacker cannot find a code by its plain hash, and less needs a salted password hash (NIST SP
 * 800-63B-4, 3.1.2.2; OWASP ASVS 5.0, 6.5.2). Versions up to 0.2 made codes of 80 bits, which still work.
 */
const LENGTH = 15
/** Crockford's: no I, L, O and U, so that nothing is read as anything else. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** The form of a possible code, also of an earlier version or another maker, without spaces and hyphens. */
const SHAPE = /^[0-9A-Z]{10,64}$/

/** Codes that were just made, and their kept hashes. */
export interface RecoveryCodes {
  /** As their owner sees them, once: `7K2M-9QXA-…`. */
  readonly codes: readonly string[]
  readonly hashes: readonly string[]
}

/** New codes for a person, each of which takes the place of a code of their app once. */
export async function makeRecoveryCodes(sub: string): Promise<RecoveryCodes> {
  const codes = Array.from({ length: COUNT }, () =>
    encodeBase32(crypto.getRandomValues(new Uint8Array(LENGTH)), ALPHABET),
  )
  const hashes = await Promise.all(codes.map((code) => hashOf(sub, code)))
  return { codes: codes.map((code) => inGroups(code, '-')), hashes }
}

/**
 * The hash of a typed code: case, spaces and hyphens do not count, and letters and digits that look
 * alike are the same.
 *
 * @param sub two people never have the same hash, and a code works for one person only
 * @returns `undefined`: no recovery code looks like it
 */
export async function hashOfRecoveryCode(sub: string, typed: string): Promise<string | undefined> {
  const code = typed.replace(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1')
  return SHAPE.test(code) ? hashOf(sub, code) : undefined
}

function hashOf(sub: string, code: string): Promise<string> {
  return digest(['latchkey/recovery/v1', sub, code])
}
