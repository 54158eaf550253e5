import { deriveBytes } from '@latchkey/session/issue'
import type { CryptoKey } from 'jose'
import { encode } from 'jose/base64url'

/**
 * The header by which an app that forwards to the service proves itself:
 * `<statement>.<id of a key>.<HMAC>`, with an id and an HMAC for each key that the app has.
 *
 * Its name has "auth" in it, so that Cloudflare's logs leave its value out.
 */
export const PROOF_HEADER = 'x-auth-proof'

/** An app's statement about one request. It counts for a minute, for one method and path. */
export interface Statement {
  /** The app's public origin, if the app knows it from its own configuration. */
  readonly origin?: string | undefined
  /** The address of the visitor, if there is one and the app knows it. */
  readonly client?: string | undefined
  /** Seconds since the epoch. */
  readonly time: number
  /** Random, so that no two statements are the same. */
  readonly nonce: string
}

/** A key that statements are signed with, and its public id, which reveals nothing about it. */
export interface ProofKey {
  readonly id: string
  readonly key: CryptoKey
}

/**
 * Derives the key with which an app signs its statements.
 *
 * @param secret the shared `AUTH_SECRET`, or an app's own `AUTH_APP_KEY`
 * @param purpose the statement that the key proves: a key of one purpose proves nothing else
 */
export async function proofKeyOf(
  secret: string,
  purpose: 'app-proof' | 'import' = 'app-proof',
): Promise<ProofKey> {
  const [bytes, id] = await Promise.all([
    deriveBytes(secret, `latchkey/${purpose}/hmac-sha256/v1`, 32),
    deriveBytes(secret, `latchkey/${purpose}/key-id/v1`, 6),
  ])
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes, hmac, false, ['sign', 'verify'])
  return { id: encode(id), key }
}

/**
 * The bytes that are signed: a statement belongs to one method and path. The query is left out,
 * since a proxy in between may spell it in another way.
 */
export function proofInput(
  method: string,
  path: string,
  statement: string,
): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify(['latchkey/app-proof/v1', method, path, statement])
  return new TextEncoder().encode(text)
}
