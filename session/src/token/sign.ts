import type { SessionClaims } from './claims.js'
import type { SigningKey } from './keys.js'
import { signJson } from './signed.js'
import { SESSION_TYP } from './verify.js'

/**
 * Signs a session token: JWS compact, `EdDSA`, `typ: session+jwt`, `kid` the key's thumbprint.
 *
 * @example await signSessionToken(claims, keys.signing)
 */
export async function signSessionToken(claims: SessionClaims, key: SigningKey): Promise<string> {
  return signJson(claims, SESSION_TYP, key)
}
