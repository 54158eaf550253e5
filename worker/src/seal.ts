import { deriveBytes } from '@latchkey/session'
import { isRecord } from './is-record.js'
import { decodeBase64Url, encodeBase64Url } from './random.js'

/** Encrypts small JSON values for one purpose, with an end. */
export interface Sealer {
  /** @param expires seconds since the epoch */
  seal(content: Record<string, unknown>, expires: number): Promise<string>
  /** `undefined` for anything that this purpose's keys did not seal, or that has ended. */
  open(sealed: string): Promise<Record<string, unknown> | undefined>
}

/** A fresh random nonce for every message (NIST SP 800-38D, section 8.2.2). Bytes. */
const NONCE_LENGTH = 12

/**
 * A sealer whose first key seals and whose every key opens, so that it survives a rotation.
 * AES-256-GCM by the platform, as base64url of nonce, ciphertext and tag. Each purpose has its own
 * key and is authenticated as well, so nothing sealed for one is ever opened for another.
 */
export async function createSealer(
  secrets: readonly string[],
  purpose: 'flow' | 'record',
  now: () => number,
): Promise<Sealer> {
  const keys = await Promise.all(secrets.map((secret) => sealingKey(secret, purpose)))
  const [first] = keys
  if (!first) throw new TypeError('A sealer needs at least one secret.')
  const additionalData = new TextEncoder().encode(purpose)
  const gcm = (iv: Uint8Array<ArrayBuffer>) => ({ name: 'AES-GCM', iv, additionalData })
  return {
    async seal(content, expires) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_LENGTH))
      const plain = new TextEncoder().encode(JSON.stringify({ expires, content }))
      const cipher = await crypto.subtle.encrypt(gcm(nonce), first, plain)
      return encodeBase64Url(new Uint8Array([...nonce, ...new Uint8Array(cipher)]))
    },
    async open(sealed) {
      const bytes = decodeBase64Url(sealed)
      if (!bytes) return undefined
      const nonce = bytes.slice(0, NONCE_LENGTH)
      for (const key of keys) {
        const plain = await crypto.subtle
          .decrypt(gcm(nonce), key, bytes.slice(NONCE_LENGTH))
          .catch(() => undefined)
        if (!plain) continue
        const { expires, content } = JSON.parse(new TextDecoder().decode(plain))
        return expires > now() / 1000 && isRecord(content) ? content : undefined
      }
      return undefined
    },
  }
}

async function sealingKey(secret: string, purpose: string): Promise<CryptoKey> {
  const bytes = await deriveBytes(secret, `latchkey/${purpose}/a256gcm/v1`, 32)
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
}
