import { createHash, randomBytes } from 'node:crypto'

/** A secret of the service: 64 hexadecimal digits, 256 random bits. */
export function newSecret(): string {
  return randomBytes(32).toString('hex')
}

/**
 * A key of the operator API, and its entry for `AUTH_OPERATOR_KEYS`, which has the SHA-256 of the
 * key's text and not the key.
 */
export function newOperatorKey(
  name: string,
  scope: 'read' | 'manage',
): { readonly key: string; readonly entry: string } {
  const key = `lkop_${randomBytes(32).toString('base64url')}`
  const hash = createHash('sha256').update(key).digest('hex')
  return { key, entry: `${name}:${scope}:${hash}` }
}
