import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'

const issuer = 'https://example.com/auth'
const audience = 'https://api.example.com/'
const keys = createRemoteJWKSet(new URL(`${issuer}/oauth/jwks.json`))
const algorithms = ['EdDSA', 'ES256', 'RS256']
const requiredClaims = ['sub', 'client_id', 'iat', 'exp', 'jti', 'auth_time', 'acr', 'grant']

export async function readToken(authorization: string): Promise<JWTPayload> {
  const token = authorization.replace(/^Bearer +/i, '')
  const accepted = { issuer, audience, algorithms, typ: 'at+jwt', requiredClaims }
  const { payload, protectedHeader } = await jwtVerify(token, keys, accepted)
  if (Object.keys(protectedHeader).length !== 3) throw new Error('Unknown header')
  const { aud, exp = Number.NaN, iat = Number.NaN } = payload
  if (aud !== audience || !(exp - iat <= 300)) throw new Error('Not an access token')
  if (!(iat <= Date.now() / 1000 + 60)) throw new Error('Not an access token of now')
  return payload
}
