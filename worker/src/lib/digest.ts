import { encode } from 'jose/base64url'

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
