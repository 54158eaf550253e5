import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'

const issuer = 'https://example.com/auth'
const keys = createRemoteJWKSet(new URL(`${issuer}/jwks.json`))
const requiredClaims = ['sub', 'sid', 'iat', 'exp', 'auth_time', 'sexp', 'amr', 'session']
const canonical = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]$/

export async function readSession(token: string): Promise<JWTPayload> {
  if (!canonical.test(token)) throw new Error('Not a session token')
  const accepted = { issuer, algorithms: ['EdDSA'], typ: 'session+jwt', requiredClaims }
  const { payload, protectedHeader } = await jwtVerify(token, keys, accepted)
  if (Object.keys(protectedHeader).length !== 3) throw new Error('Unknown header')
  const { aud, exp = Number.NaN, iat = Number.NaN, sexp } = payload
  if (aud !== undefined || !(exp - iat <= 86_400)) throw new Error('Not a session token')
  const now = Date.now() / 1000
  if (!(iat <= now + 60) || !(Number(sexp) > now)) throw new Error('Not a session of now')
  return payload
}
