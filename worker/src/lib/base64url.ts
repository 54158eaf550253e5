import { decode, encode } from 'jose/base64url'

/**
 * SHA-256 of several texts, in base64url. They are joined as JSON, so that boundaries count: `ab,
 * c` is not `a, bc`.
 *
 * @param parts the first names the purpose, so that no two purposes share a digest
 * @param bytes how many of the 32 to keep
 */
export async function digest(parts: readonly string[], bytes = 32): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(parts))
  return encode(new Uint8Array(await crypto.subtle.digest('SHA-256', text), 0, bytes))
}

/** Random bytes in base64url. @param bytes 16 for a handle, 32 for a secret */
export function randomToken(bytes: number): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(bytes)))
}

export function encodeBase64Url(bytes: Uint8Array): string {
  return encode(bytes)
}

/** `undefined` for text that is not base64url. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return undefined
  try {
    return decode(text) as Uint8Array<ArrayBuffer>
  } catch {
    return undefined
  }
}
