import { deriveBytes } from '@latchkey/session'
import { EncryptJWT, jwtDecrypt } from 'jose'

/** Encrypts small JSON values for one purpose: JWE compact, `dir`, `A256GCM` (RFC 7516). */
export interface Sealer {
  /** @param expires seconds since the epoch */
  seal(content: Record<string, unknown>, expires: number): Promise<string>
  /** `undefined` for anything that this purpose's keys did not seal, or that has ended. */
  open(sealed: string): Promise<Record<string, unknown> | undefined>
}

/** A sealer whose first key seals and whose every key opens, so that it survives a rotation. */
export async function createSealer(
  secrets: readonly string[],
  purpose: 'flow' | 'record',
  now: () => number,
): Promise<Sealer> {
  const typ = `${purpose}+jwe`
  const keys = await Promise.all(secrets.map((secret) => sealingKey(secret, purpose)))
  const [first] = keys
  if (!first) throw new TypeError('A sealer needs at least one secret.')
  return {
    async seal(content, expires) {
      return new EncryptJWT({ content })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ })
        .setExpirationTime(expires)
        .encrypt(first)
    },
    async open(sealed) {
      for (const key of keys) {
        const opened = await jwtDecrypt(sealed, key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          typ,
          requiredClaims: ['exp'],
          currentDate: new Date(now()),
        }).catch(() => undefined)
        if (opened) return opened.payload.content as Record<string, unknown>
      }
      return undefined
    },
  }
}

async function sealingKey(secret: string, purpose: string): Promise<CryptoKey> {
  const bytes = await deriveBytes(secret, `latchkey/${purpose}/a256gcm/v1`, 32)
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
}
