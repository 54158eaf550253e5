import { createHash } from 'node:crypto'
import { CompactSign, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { Connection } from '../../sign-in/oauth/connection.js'
import { verifyIdToken } from './id-token.js'

const now = Date.UTC(2026, 10, 1) / 1000
const issuer = 'https://issuer.example'
const clientId = 'the-client-id'
const clientSecret = 'the-client-secret-of-enough-length'
const expected = { nonce: 'the-nonce', accessToken: 'the-access-token' }
const good = {
  iss: issuer,
  aud: clientId,
  sub: 'ada',
  iat: now,
  exp: now + 300,
  nonce: 'the-nonce',
}

interface Changes {
  readonly alg?: string
  readonly header?: object
  readonly provider?: object
  readonly server?: object
  /** Members that the key is published with. */
  readonly published?: object
}

const pairs = new Map<string, ReturnType<typeof generateKeyPair>>()

/** The claims that are read of an ID token with these claims, or the refusal. */
async function read(
  claims: unknown,
  { alg = 'ES256', header, provider, server, published }: Changes = {},
) {
  const isShared = alg.startsWith('HS')
  const pair = isShared ? undefined : await (pairs.get(alg) ?? made(alg))
  const key = pair?.privateKey ?? new TextEncoder().encode(clientSecret)
  const keys = pair ? [{ ...(await exportJWK(pair.publicKey)), kid: 'key', alg, ...published }] : []
  const connection = {
    provider: { clientId, clientSecret, ...provider },
    server: {
      issuer,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: [alg],
      ...server,
    },
    fetch: async () => Response.json({ keys }),
    now: now * 1000,
  } as unknown as Connection
  // Another fetch, so that no other test’s keys are in its cache.
  Object.assign(connection.provider, { fetch: connection.fetch })
  const token = new SignJWT(claims as never).setProtectedHeader({ alg, kid: 'key', ...header })
  return verifyIdToken(connection, await token.sign(key), expected).catch((error: Error) => error)
}

function made(alg: string) {
  const pair = generateKeyPair(alg, { extractable: true })
  pairs.set(alg, pair)
  return pair
}

const faultOf = (member: string) =>
  expect.objectContaining({
    name: 'IdTokenError',
    message: `"${member}" of the ID token is not as it must be.`,
  })

describe('an ID token at the edge of the limits', () => {
  it.each<[string, Record<string, unknown>]>([
    ['that ended less than a minute ago', { exp: now - 59 }],
    ['that begins in a minute', { nbf: now + 60 }],
    ['that begins now', { nbf: now }],
    ['issued by a clock a minute ahead', { iat: now + 60 }],
    ['issued eleven minutes ago', { iat: now - 660 }],
    ['with a subject of 255 characters', { sub: 's'.repeat(255) }],
    ['for a list of us alone', { aud: [clientId] }],
    ['issued to us, for several', { aud: ['other', clientId], azp: clientId }],
    ['issued to us, for us', { azp: clientId }],
    ['without a hash of the access token', { at_hash: undefined }],
  ])('%s is accepted', async (_, changes) => {
    const claims = JSON.parse(JSON.stringify({ ...good, ...changes }))
    expect(await read(claims)).toEqual(claims)
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['that ended a minute ago', { exp: now - 60 }, 'exp'],
    ['that begins in more than a minute', { nbf: now + 61 }, 'nbf'],
    ['issued by a clock more than a minute ahead', { iat: now + 61 }, 'iat'],
    ['issued more than eleven minutes ago', { iat: now - 661 }, 'iat'],
    ['issued at a text', { iat: String(now) }, 'iat'],
    ['with a subject of 256 characters', { sub: 's'.repeat(256) }, 'sub'],
    ['for a text that contains us', { aud: `${clientId}s` }, 'aud'],
    ['for us and a number', { aud: [clientId, 7], azp: clientId }, 'aud'],
    ['issued to another client, for us alone', { aud: [clientId], azp: 'other' }, 'azp'],
    ['without azp, for several', { aud: [clientId, 'other'] }, 'azp'],
    ['with a hash of another access token', { at_hash: 'AAAAAAAAAAAAAAAAAAAAAA' }, 'at_hash'],
    ['with an empty hash', { at_hash: '' }, 'at_hash'],
  ])('%s is refused', async (_, changes, member) => {
    expect(await read({ ...good, ...changes })).toEqual(faultOf(member))
  })

  it.each(['JWT', 'jwt', 'application/jwt'])('with the type %s is accepted', async (typ) => {
    expect(await read(good, { header: { typ } })).toEqual(good)
  })

  it.each(['', 'xjwt', 'jwtx', 'at+jwt', 'text/jwt', 'application/at+jwt', 'xapplication/jwt'])(
    'with the type %j is refused',
    async (typ) => {
      expect(await read(good, { header: { typ } })).toEqual(faultOf('typ'))
    },
  )
})

describe('the hash of the access token', () => {
  it.each([
    ['RS256', 'sha256'],
    ['RS384', 'sha384'],
    ['PS256', 'sha256'],
    ['PS512', 'sha512'],
    ['ES256', 'sha256'],
    ['ES384', 'sha384'],
    ['ES512', 'sha512'],
    ['EdDSA', 'sha512'],
    ['Ed25519', 'sha512'],
    ['RS512', 'sha512'],
    ['PS384', 'sha384'],
  ])('is the left half of the one of its algorithm: %s', async (alg, hash) => {
    const digest = createHash(hash).update(expected.accessToken).digest()
    const at_hash = digest.subarray(0, digest.length / 2).toString('base64url')
    expect(await read({ ...good, at_hash }, { alg })).toEqual({ ...good, at_hash })
    const whole = digest.toString('base64url')
    expect(await read({ ...good, at_hash: whole }, { alg })).toEqual(faultOf('at_hash'))
  })
})

describe('an ID token whose provider is not as it must be', () => {
  it('a list of claims is refused', async () => {
    const [payload, signed] = ['[]', '7'].map((text) => new TextEncoder().encode(text))
    for (const bytes of [payload, signed] as Uint8Array[]) {
      const header = { alg: 'HS256' }
      const key = new TextEncoder().encode(clientSecret)
      const token = await new CompactSign(bytes).setProtectedHeader(header).sign(key)
      const provider = { clientId, clientSecret, idTokenAlg: 'HS256' }
      const connection = { provider, server: { issuer }, now: now * 1000 } as unknown as Connection
      await expect(verifyIdToken(connection, token, expected)).rejects.toMatchObject({
        name: 'IdTokenError',
        message: 'The ID token holds no claims.',
      })
    }
  })

  it('one that names no keys verifies nothing', async () => {
    expect(await read(good, { server: { jwks_uri: undefined } })).toMatchObject({
      name: 'IdTokenError',
      message: 'The provider names no keys.',
    })
  })

  it('without a list of algorithms it is RS256', async () => {
    const server = { id_token_signing_alg_values_supported: undefined }
    expect(await read(good, { alg: 'RS256', server })).toEqual(good)
    expect(await read(good, { server })).toEqual(faultOf('alg'))
  })

  it('a key that its issuer publishes for one audience signs for no other', async () => {
    const provider = { issuerOf: (_: unknown, of: string) => of }
    for (const own of [issuer, 7, undefined]) {
      expect(await read(good, { provider, published: { issuer: own } })).toEqual(good)
    }
    const foreign = { issuer: 'https://other.example' }
    expect(await read(good, { provider, published: foreign })).toEqual(faultOf('kid'))
  })

  it('a symmetric signature needs the client’s secret', async () => {
    const named = { alg: 'HS256', provider: { idTokenAlg: 'HS256' } }
    expect(await read(good, named)).toEqual(good)
    const without = { idTokenAlg: 'HS256', clientSecret: undefined }
    expect(await read(good, { alg: 'HS256', provider: without })).toEqual(faultOf('alg'))
  })

  it('the algorithm that the configuration names is the only one', async () => {
    expect(await read(good, { provider: { idTokenAlg: 'ES256' } })).toEqual(good)
    expect(await read(good, { provider: { idTokenAlg: 'RS256' } })).toEqual(faultOf('alg'))
    const connection = {
      provider: { clientId, idTokenAlg: 'none' },
      server: { issuer },
      now: now * 1000,
    } as unknown as Connection
    const unsigned = new UnsecuredJWT(good).encode()
    await expect(verifyIdToken(connection, unsigned, expected)).rejects.toEqual(faultOf('alg'))
  })
})

describe('the provider’s keys', () => {
  it('are read again for a key that is unknown, and not for a signature that is wrong', async () => {
    const [own, stranger] = await Promise.all([made('ES256'), generateKeyPair('ES256')])
    const keys = [{ ...(await exportJWK(own.publicKey)), kid: 'key', alg: 'ES256' }]
    let reads = 0
    const fetch = async () => {
      reads++
      return Response.json({ keys })
    }
    const verify = async (kid: string, key: CryptoKey, at: number) => {
      const connection = {
        provider: { clientId, fetch },
        server: {
          issuer,
          jwks_uri: `${issuer}/keys`,
          id_token_signing_alg_values_supported: ['ES256'],
        },
        fetch,
        now: at * 1000,
      } as unknown as Connection
      const claims = { ...good, iat: at, exp: at + 300 }
      const token = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(key)
      return verifyIdToken(connection, token, expected).then(
        () => 'good',
        ({ code }: { code?: string }) => code,
      )
    }
    // Read just now, so not once more.
    expect(await verify('unknown', own.privateKey, now)).toBe('ERR_JWKS_NO_MATCHING_KEY')
    expect(reads).toBe(1)
    expect(await verify('key', stranger.privateKey, now + 100)).toBe(
      'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
    )
    expect(await verify('key', own.privateKey, now + 100)).toBe('good')
    expect(reads).toBe(1)
    for (const _ of [1, 2]) {
      expect(await verify('unknown', own.privateKey, now + 200)).toBe('ERR_JWKS_NO_MATCHING_KEY')
      expect(reads).toBe(2)
    }
  })
})
