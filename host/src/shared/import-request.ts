import { encode } from 'jose/base64url'
import type { ProofKey } from './app-proof.js'

/**
 * The header of a request that imports accounts: `<time>.<nonce>.<SHA-256 of the body>.<host>.<id
 * of a key>.<HMAC>`, the time in seconds since the epoch, the host with its port in base64url.
 *
 * Its name has "auth" in it, so that Cloudflare's logs leave its value out.
 */
export const IMPORT_HEADER = 'x-auth-import'

/** The most accounts of one request. */
export const MAX_IMPORT = 250

/**
 * An account: its owner, the id of its provider, its own id there, and its issuer if that is known. An address may have the hash of
 * its owner's password: then its issuer is empty.
 */
export type ImportRow =
  | readonly [sub: string, provider: string, account: string]
  | readonly [sub: string, provider: string, account: string, issuer: string]
  | readonly [sub: string, provider: string, account: string, issuer: '', hash: string]

/** The bytes that are signed. @param statement of the header, before the key's id */
export function importInput(path: string, statement: string): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify(['latchkey/import/v2', 'POST', path, statement])
  return new TextEncoder().encode(text)
}

/**
 * Signs a request that brings accounts.
 *
 * @param url of the route
 * @param now seconds since the epoch
 * @returns the value of {@link IMPORT_HEADER}
 */
export async function signImport(
  { id, key }: ProofKey,
  url: URL,
  body: Uint8Array<ArrayBuffer>,
  now: number,
): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body))
  const nonce = encode(crypto.getRandomValues(new Uint8Array(16)))
  // Several services may share a secret, so a signature names the service that it is for.
  const host = encode(new TextEncoder().encode(url.host))
  const statement = `${Math.floor(now)}.${nonce}.${encode(digest)}.${host}`
  const mac = await crypto.subtle.sign('HMAC', key, importInput(url.pathname, statement))
  return `${statement}.${id}.${encode(new Uint8Array(mac))}`
}
