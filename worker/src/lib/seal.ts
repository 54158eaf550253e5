import { isRecord } from '@latchkey/session/internal'
import { deriveBytes } from '@latchkey/session/issue'
import { decodeBase64Url, encodeBase64Url } from './base64url.js'

/** Encrypts small JSON values for one purpose, with an expiry. */
export interface Sealer {
  /** @param expires seconds since the epoch */
  seal(content: Record<string, unknown>, expires: number): Promise<string>
  /** `undefined` for anything that this purpose's keys did not seal, or that has ended. */
  open(sealed: string): Promise<Record<string, unknown> | undefined>
  /** Is it well-formed, but sealed with a secret that is no longer in use? */
  isRetired(sealed: string): boolean
}

/** A fresh random nonce for every message (NIST SP 800-38D, section 8.2.2). Bytes. */
const NONCE_LENGTH = 12

/** The id of a key in 6 bytes, then more than a nonce and a tag. */
const SEALED = /^[A-Za-z0-9_-]{8}\.[A-Za-z0-9_-]{40,}$/

/**
 * A sealer whose first key seals and whose every key opens, so that it survives a rotation.
 * AES-256-GCM by the platform: the key's id, then base64url of nonce, ciphertext and tag. Each purpose has its own
 * key and is authenticated as well, so nothing sealed for one is ever opened for another.
 */
export async function createSealer(
  secrets: readonly string[],
  purpose: string,
  now: () => number,
): Promise<Sealer> {
  const keys = new Map(await Promise.all(secrets.map((secret) => sealingKey(secret, purpose))))
  const [first] = keys
  if (!first) throw new TypeError('A sealer needs at least one secret.')
  const [firstId, firstKey] = first
  const additionalData = new TextEncoder().encode(purpose)
  const gcm = (iv: Uint8Array<ArrayBuffer>) => ({ name: 'AES-GCM', iv, additionalData })
  return {
    async seal(content, expires) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_LENGTH))
      const plain = new TextEncoder().encode(JSON.stringify({ expires, content }))
      const cipher = await crypto.subtle.encrypt(gcm(nonce), firstKey, plain)
      const bytes = new Uint8Array(NONCE_LENGTH + cipher.byteLength)
      bytes.set(nonce)
      bytes.set(new Uint8Array(cipher), NONCE_LENGTH)
      return `${firstId}.${encodeBase64Url(bytes)}`
    },
    async open(sealed) {
      const [id = '', encoded = ''] = sealed.split('.')
      const key = keys.get(id)
      const bytes = decodeBase64Url(encoded)
      // Only one spelling of a text opens: base64url can have spare bits that a decoder ignores.
      if (!key || !bytes || sealed !== `${id}.${encodeBase64Url(bytes)}`) return undefined
      const plain = await crypto.subtle
        .decrypt(gcm(bytes.subarray(0, NONCE_LENGTH)), key, bytes.subarray(NONCE_LENGTH))
        .catch(() => undefined)
      if (!plain) return undefined
      const { expires, content } = JSON.parse(new TextDecoder().decode(plain))
      return expires > now() / 1000 && isRecord(content) ? content : undefined
    },
    isRetired: (sealed) => SEALED.test(sealed) && !keys.has(sealed.split('.', 1)[0] ?? ''),
  }
}

/** A key and its public id, which reveals nothing about the key. */
async function sealingKey(secret: string, purpose: string): Promise<[id: string, key: CryptoKey]> {
  const [bytes, id] = await Promise.all([
    deriveBytes(secret, `latchkey/${purpose}/a256gcm/v1`, 32),
    deriveBytes(secret, `latchkey/${purpose}/key-id/v1`, 6),
  ])
  const usages = ['encrypt', 'decrypt'] as const
  const key = await crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, [...usages])
  return [encodeBase64Url(id), key]
}
