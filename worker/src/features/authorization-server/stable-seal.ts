import { deriveBytes } from '@latchkey/session/issue'
import { decodeBase64Url, encodeBase64Url } from '../../lib/base64url.js'
import { isSameBytes } from '../../lib/is-same-bytes.js'

/**
 * Encrypts short texts for one purpose, each to the same letters whenever and wherever it is sealed, so that requests that
 * race agree without asking each other. It has no expiry.
 */
export interface StableSealer {
  /** The public ids of the keys, in the order of the secrets; the first seals. */
  readonly ids: readonly [string, ...string[]]
  /**
   * @param bound what the text belongs to, without which it does not open; it is not in the result
   * @param id of the key; `undefined` is returned if no secret in use has it
   */
  seal(text: string, bound: readonly string[], id?: string): Promise<string | undefined>
  /** `undefined` for anything that these keys did not seal for this purpose and these bounds. */
  open(sealed: string, bound: readonly string[]): Promise<OpenedText | undefined>
}

interface OpenedText {
  readonly text: string
  /** The id of the key that sealed it. */
  readonly id: string
}

/** The initial counter, which is the authentication code as well. Bytes. */
const CODE_LENGTH = 16

/**
 * Deterministic authenticated encryption: a code of all that is sealed is the initial counter of the cipher, and is computed
 * again from the deciphered text (the construction of RFC 5297, with HMAC-SHA-256 for its S2V and AES-256-CTR by the
 * platform, which has no SIV mode). Equal texts give equal results, and reveal nothing else. With 128 bits for
 * the counter a key may seal far more texts than AES-GCM with random nonces, which matters for a token that changes every
 * five minutes.
 *
 * @param secrets the first seals, all open
 * @example const sealer = await createStableSealer(secrets, 'refresh')
 */
export async function createStableSealer(
  secrets: readonly string[],
  purpose: string,
): Promise<StableSealer> {
  const derived = await Promise.all(secrets.map((secret) => keysOf(secret, purpose)))
  const keys = new Map(derived)
  const [first, ...others] = derived.map(([id]) => id)
  if (first === undefined) throw new TypeError('A sealer needs at least one secret.')
  return {
    ids: [first, ...others],
    async seal(text, bound, id = first) {
      const own = keys.get(id)
      if (!own) return undefined
      const code = await codeOf(own, text, bound)
      const plain = new TextEncoder().encode(text)
      const cipher = await crypto.subtle.encrypt(ctr(code), own.cipher, plain)
      return `${id}.${encodeBase64Url(new Uint8Array([...code, ...new Uint8Array(cipher)]))}`
    },
    async open(sealed, bound) {
      const [id = '', encoded = ''] = sealed.split('.', 2)
      const own = keys.get(id)
      const bytes = decodeBase64Url(encoded)
      // Only one spelling opens: base64url can have spare bits that a decoder ignores.
      if (!own || !bytes || sealed !== `${id}.${encodeBase64Url(bytes)}`) return undefined
      if (bytes.length <= CODE_LENGTH) return undefined
      const code = bytes.slice(0, CODE_LENGTH)
      const plain = await crypto.subtle.decrypt(ctr(code), own.cipher, bytes.slice(CODE_LENGTH))
      const text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(plain)
      return isSameBytes(code, await codeOf(own, text, bound)) ? { text, id } : undefined
    },
  }
}

interface Keys {
  readonly mac: CryptoKey
  readonly cipher: CryptoKey
}

/** The low half counts; no text is anywhere near 2^64 blocks. */
function ctr(counter: Uint8Array<ArrayBuffer>) {
  return { name: 'AES-CTR', counter, length: 64 }
}

async function codeOf(
  { mac }: Keys,
  text: string,
  bound: readonly string[],
): Promise<Uint8Array<ArrayBuffer>> {
  // As JSON, so that boundaries count.
  const input = new TextEncoder().encode(JSON.stringify([bound, text]))
  return new Uint8Array(await crypto.subtle.sign('HMAC', mac, input)).slice(0, CODE_LENGTH)
}

/** Each purpose has its own keys, so nothing sealed for one opens for another. */
async function keysOf(secret: string, purpose: string): Promise<[id: string, keys: Keys]> {
  const [macBytes, cipherBytes, id] = await Promise.all([
    deriveBytes(secret, `latchkey/${purpose}/siv-hmac-sha256/v1`, 32),
    deriveBytes(secret, `latchkey/${purpose}/siv-a256ctr/v1`, 32),
    deriveBytes(secret, `latchkey/${purpose}/siv-key-id/v1`, 6),
  ])
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const [mac, cipher] = await Promise.all([
    crypto.subtle.importKey('raw', macBytes, hmac, false, ['sign']),
    crypto.subtle.importKey('raw', cipherBytes, 'AES-CTR', false, ['encrypt', 'decrypt']),
  ])
  return [encodeBase64Url(id), { mac, cipher }]
}
