import { createHash, randomBytes } from 'node:crypto'

/** A new key of the operator API, and what `AUTH_OPERATOR_KEYS` has of it. */
export function newOperatorKey(name: string, scope: 'read' | 'manage') {
  const key = `lkop_${randomBytes(32).toString('base64url')}`
  const hash = createHash('sha256').update(key).digest('hex')
  return { key, hash, entry: `${name}:${scope}:${hash}` }
}
