import { decodeBase64Url } from './base64url.js'

/** 4,096 bits are 683 characters: longer texts are not decoded. */
const MAX_LENGTH = 700

/** Is it the modulus of an RSA key (RFC 7518, 6.3.1.1) of 2,048 to 4,096 bits? */
export function isModulus(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return false
  const [first = 0, ...rest] = decodeBase64Url(value) ?? []
  const bits = rest.length * 8 + (32 - Math.clz32(first))
  return first > 0 && bits >= 2048 && bits <= 4096
}
