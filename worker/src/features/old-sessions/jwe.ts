import { isRecord } from '@latchkey/session/internal'
import { calculateJwkThumbprint, compactDecrypt } from 'jose'
import { decodeBase64Url, encodeBase64Url } from '../../lib/base64url.js'

/** The lengths of the keys of the two content encryptions (RFC 7518, section 5.1). Bytes. */
const KEY_LENGTHS = new Map([
  ['A256CBC-HS512', 64],
  ['A256GCM', 32],
])

/** How a library makes its keys of a secret, by HKDF with SHA-256. */
export interface KeyMaking {
  readonly salt: string
  readonly info: string
  /** The digest of a key's thumbprint (RFC 7638), which is its `kid`. */
  thumbprint(length: number): 'sha256' | 'sha512'
}

interface Key {
  readonly kid: string
  readonly bytes: Uint8Array
}

/** Opens tokens that a library has encrypted with one of its secrets. The keys are derived once. */
export class JweOpener {
  readonly #secrets: readonly string[]
  readonly #making: KeyMaking
  readonly #keys = new Map<string, readonly Key[]>()

  constructor(secrets: readonly string[], making: KeyMaking) {
    this.#secrets = secrets
    this.#making = making
  }

  /**
   * The claims of a compact JWE. Its header may choose between two encryptions and the keys, and nothing
   * else (RFC 8725, sections 3.1 and 3.2): no other key management, no compression, no extension.
   *
   * @returns `undefined` for everything else
   */
  async open(token: string): Promise<Record<string, unknown> | undefined> {
    const [first = ''] = token.split('.', 1)
    const header = parsed(decodeBase64Url(first))
    const length = KEY_LENGTHS.get(String(header?.enc))
    if (!header || length === undefined) return undefined
    const keys = await this.#keysFor(String(header.enc), length)
    // A header without `kid` is that of an older version.
    const fitting = header.kid === undefined ? keys : keys.filter(({ kid }) => kid === header.kid)
    for (const { bytes } of fitting) {
      const plain = await decrypted(token, bytes)
      if (plain) return parsed(plain)
    }
    return undefined
  }

  async #keysFor(enc: string, length: number): Promise<readonly Key[]> {
    const keys = this.#keys.get(enc)
    if (keys) return keys
    const made = await Promise.all(this.#secrets.map((secret) => this.#make(secret, length)))
    this.#keys.set(enc, made)
    return made
  }

  async #make(secret: string, length: number): Promise<Key> {
    const { salt, info, thumbprint } = this.#making
    const text = new TextEncoder()
    const material = await crypto.subtle.importKey('raw', text.encode(secret), 'HKDF', false, [
      'deriveBits',
    ])
    const how = { name: 'HKDF', hash: 'SHA-256', salt: text.encode(salt), info: text.encode(info) }
    const bytes = new Uint8Array(await crypto.subtle.deriveBits(how, material, length * 8))
    const jwk = { kty: 'oct', k: encodeBase64Url(bytes) } as const
    return { bytes, kid: await calculateJwkThumbprint(jwk, thumbprint(length)) }
  }
}

async function decrypted(token: string, key: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    const options = {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: [...KEY_LENGTHS.keys()],
      maxDecompressedLength: 0,
    }
    return (await compactDecrypt(token, key, options)).plaintext
  } catch {
    return undefined
  }
}

/** JSON of an object, or nothing. */
export function parsed(bytes: Uint8Array | undefined): Record<string, unknown> | undefined {
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isRecord(claims) ? claims : undefined
  } catch {
    return undefined
  }
}
