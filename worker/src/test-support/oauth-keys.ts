import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { issuer } from './oauth.js'

/** A key that signs assertions, and its public half as an app or an issuer publishes it. */
export interface TestKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly jwk: Readonly<Record<string, unknown>>
}

export async function testKey(alg = 'ES256', kid: string = crypto.randomUUID()): Promise<TestKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** The claims of an assertion, without those that are undefined. */
export type Claims = Readonly<Record<string, unknown>>

/** Signs claims. A header may say anything. */
export function signed(key: TestKey, claims: Claims, header: Claims = {}): Promise<string> {
  const { alg, kid, privateKey } = key
  const known = Object.entries({ alg, kid, ...header }).filter(([, value]) => value !== undefined)
  return new SignJWT(defined(claims) as JWTPayload)
    .setProtectedHeader(Object.fromEntries(known) as { alg: string })
    .sign(privateKey)
}

/** Signs the text of claims as it stands, such as one with a member twice. */
export async function signedText(key: TestKey, payload: string, header?: string): Promise<string> {
  const encode = (text: string) => Buffer.from(text).toString('base64url')
  const head = header ?? JSON.stringify({ alg: key.alg, kid: key.kid })
  const input = `${encode(head)}.${encode(payload)}`
  const algorithm =
    key.alg === 'ES256'
      ? { name: 'ECDSA', hash: 'SHA-256' }
      : key.alg === 'EdDSA'
        ? 'Ed25519'
        : 'RSASSA-PKCS1-v1_5'
  const bytes = await crypto.subtle.sign(algorithm, key.privateKey, Buffer.from(input))
  return `${input}.${Buffer.from(bytes).toString('base64url')}`
}

/** What a client says about itself, by the clock of the tests. */
export function clientClaims(id: string, changes: Claims = {}): Claims {
  const now = Math.floor(Date.now() / 1000)
  return {
    ...{ iss: id, sub: id, aud: issuer, iat: now, exp: now + 60, jti: crypto.randomUUID() },
    ...changes,
  }
}

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The fields of a client that proves itself by an assertion. */
export async function assertionFields(
  key: TestKey,
  id: string,
  changes: Claims = {},
  header: Claims = {},
): Promise<Record<string, string>> {
  const claims = clientClaims(id, changes)
  return {
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: await signed(key, claims, { typ: 'client-authentication+jwt', ...header }),
  }
}

function defined(claims: Claims): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
}
