/** Bytes as hexadecimal digits, in lower case. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** The bytes of hexadecimal digits, of which there is an even number. */
export function fromHex(digits: string): Uint8Array {
  return new Uint8Array(digits.length / 2).map((_, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  )
}
