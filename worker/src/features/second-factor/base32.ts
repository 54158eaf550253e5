/** The alphabet in which authenticator apps take a key (RFC 4648, section 6). */
const RFC_4648 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/**
 * Base32 without padding: five bits a character.
 *
 * @param bytes a multiple of five bytes, so that no bits are left over
 * @param alphabet 32 characters
 */
export function encodeBase32(bytes: Uint8Array, alphabet = RFC_4648): string {
  let [text, bits, held] = ['', 0, 0]
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += alphabet[(held >> bits) & 31]
    }
  }
  return text
}

/** Text in groups of four characters, so that people can read and type it. */
export function inGroups(text: string, between: string): string {
  return text.replace(/.{4}(?=.)/g, `$&${between}`)
}
