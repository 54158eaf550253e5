/** What an API key carries beside its prefix and its checksum. */
export interface ApiKey {
  /** 2 to 12 of `a–z 0–9`, a letter first. */
  readonly prefix: string
  /** 28 bytes: 16 are random, 8 a MAC by the service's secret, 4 say where the key is kept. */
  readonly bytes: Uint8Array
}

/** The bytes of a key. */
export const API_KEY_BYTES = 28

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = BigInt(DIGITS.length)

/** The digits that 28 bytes have at most. */
const BODY = 38
/** The digits that 32 bits have at most. */
const CHECKSUM = 6

const FORM = /^([a-z][a-z0-9]{1,11})_[0-9A-Za-z]{44}$/

/**
 * Writes an API key: the prefix, `_`, the bytes as 38 digits of base 62, and the CRC-32 of all that stands before
 * as 6. The digits are `0–9 A–Z a–z` in this order, padded with `0`.
 *
 * @throws {TypeError} for another number of bytes, or an invalid prefix
 * @example formatApiKey({ prefix: 'acme', bytes }) // 'acme_…'
 */
export function formatApiKey({ prefix, bytes }: ApiKey): string {
  if (bytes.length !== API_KEY_BYTES) throw new TypeError('An API key has 28 bytes.')
  let number = 0n
  for (const byte of bytes) number = number * 256n + BigInt(byte)
  const start = `${prefix}_${inDigits(number, BODY)}`
  const key = start + inDigits(BigInt(crc32(start)), CHECKSUM)
  if (!FORM.test(key)) throw new TypeError('The prefix of an API key is invalid.')
  return key
}

/**
 * Reads an API key. Its form and its checksum alone are compared: only the service knows if the key is
 * genuine. Pure, and bounded by the length of a key.
 *
 * @returns `undefined` for any other text, a key with a mistyped character too
 * @example parseApiKey(text)?.bytes
 */
export function parseApiKey(text: string): ApiKey | undefined {
  const prefix = FORM.exec(text)?.[1]
  if (prefix === undefined) return undefined
  const start = text.slice(0, -CHECKSUM)
  if (text.slice(-CHECKSUM) !== inDigits(BigInt(crc32(start)), CHECKSUM)) return undefined
  let number = 0n
  for (const digit of start.slice(-BODY)) number = number * BASE + BigInt(DIGITS.indexOf(digit))
  const bytes = new Uint8Array(API_KEY_BYTES)
  for (let at = bytes.length - 1; at >= 0; at--) {
    bytes[at] = Number(number & 255n)
    number >>= 8n
  }
  // 38 digits can be more than 28 bytes: another spelling of the same key would be another cache entry.
  return number === 0n ? { prefix, bytes } : undefined
}

function inDigits(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; text.length < length; rest /= BASE)
    text = DIGITS[Number(rest % BASE)] + text
  return text
}

/** CRC-32 of ISO 3309, as in Ethernet, PNG and gzip (RFC 1952, section 8). The text is ASCII. */
function crc32(text: string): number {
  let value = 0xffffffff
  for (let at = 0; at < text.length; at++) {
    value ^= text.charCodeAt(at)
    for (let bit = 0; bit < 8; bit++) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0)
  }
  return ~value >>> 0
}
