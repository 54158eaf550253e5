import { decode, encode } from 'jose/base64url'

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
    return new Uint8Array(decode(text))
  } catch {
    return undefined
  }
}
