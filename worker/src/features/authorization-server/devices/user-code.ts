import type { AuthRequest } from '../../../http/request.js'
import { digest } from '../../../lib/base64url.js'

/** Letters that no two fonts confuse, and that spell no words (RFC 8628, 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

/** Draws the code that a person types: 34 random bits. The modulus of 20 in a byte would favor some letters, so those bytes are drawn again. */
export function drawUserCode(): string {
  const letters: string[] = []
  while (letters.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(2 * LENGTH))) {
      if (byte < 240) letters.push(LETTERS[byte % LETTERS.length] ?? '')
    }
  }
  return letters.slice(0, LENGTH).join('')
}

/** As a device shows it. */
export function spaced(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/**
 * What a person has typed: case, spaces and hyphens do not count.
 *
 * @returns `undefined`: it cannot be a code
 */
export function readUserCode(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > 64) return undefined
  const code = text.replace(/[\s\p{Pd}]/gu, '').toUpperCase()
  const isCode = code.length === LENGTH && [...code].every((letter) => LETTERS.includes(letter))
  return isCode ? code : undefined
}

/**
 * The place in the ledger of a device that waits for a code: a digest of the code, so that a reader of the storage has no code.
 * Each issuer has codes of its own.
 */
export function homeOfCode({ issuer }: Pick<AuthRequest, 'issuer'>, code: string): Promise<string> {
  return digest(['latchkey/device/v1', issuer, code], 18)
}
