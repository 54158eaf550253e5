import { encodeBase32 } from './base32.js'

/** So the whole fits a QR code that a phone reads from a screen. Characters, as encoded. */
const [MAX_ISSUER, MAX_ACCOUNT] = [72, 108]

/**
 * The address from which an authenticator app reads a key ("Key Uri Format" of Google
 * Authenticator). Algorithm, digits and period are the usual ones, so they are left out.
 *
 * @param issuer the site's name, as the app shows it
 * @param account the owner of the key, as the app shows it
 */
export function otpauthUri(key: Uint8Array, issuer: string, account: string): string {
  // A colon parts the two.
  const site = encoded(issuer.replaceAll(':', ' '), MAX_ISSUER)
  const person = encoded(account.replaceAll(':', ' '), MAX_ACCOUNT)
  return `otpauth://totp/${site}:${person}?secret=${encodeBase32(key)}&issuer=${site}`
}

/** As much of the text as fits, whole characters. */
function encoded(text: string, max: number): string {
  let fitting = ''
  for (const character of text.trim().replace(/\p{Cs}/gu, '')) {
    const next = fitting + encodeURIComponent(character)
    if (next.length > max) break
    fitting = next
  }
  return fitting
}
