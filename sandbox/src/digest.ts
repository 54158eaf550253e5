import type { ChallengeEncoding } from './clients.js'

const sha256 = async (text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

export const toBase64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** The S256 challenge of a verifier (RFC 7636 §4.2), in the encoding the client registered. */
export const challengeOf = async (
  verifier: string,
  encoding: ChallengeEncoding,
): Promise<string> => {
  const digest = await sha256(verifier)
  return encoding === 'hex' ? toHex(digest) : toBase64url(digest)
}

/** An id of some parts: the same parts always give the same id, and the id does not reveal them. */
export const derivedId = async (...parts: readonly string[]): Promise<string> => {
  const hex = toHex(await sha256(JSON.stringify(parts)))
  return [8, 12, 16, 20, 32]
    .map((end, index, ends) => hex.slice(ends[index - 1] ?? 0, end))
    .join('-')
}
