import { createECDH, createHash, createPrivateKey, createPublicKey, hkdfSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { keys, SECRET } from '../test-support/keys.js'
import {
  deriveAccessKeys,
  exportTokenJwks,
  importTokenKey,
  publishTokenKey,
  type TokenAlg,
} from './access-keys.js'
import { KeyError } from './keys.js'

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

function thumbprint(members: string): string {
  return createHash('sha256').update(members).digest('base64url')
}

describe.each([SECRET, 'geheim-mit-ümläuten-und-🔑-0123456789'])('with the secret %j', (secret) => {
  test('the Ed25519 key is that of RFC 5869 and RFC 8032, as node:crypto has it', async () => {
    const seed = hkdfSync('sha256', secret, '', 'latchkey/access/ed25519/v1', 32)
    const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
    const der = Buffer.concat([prefix, Buffer.from(seed)])
    const { x } = createPublicKey(
      createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }),
    ).export({ format: 'jwk' })
    const kid = thumbprint(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`)
    const [key] = await deriveAccessKeys([secret], 'EdDSA')
    expect(key.jwk).toEqual({ kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' })
    expect(key.kid).toBe(kid)
  })

  test('the P-256 key is the number of the contract, as node:crypto multiplies it', async () => {
    const bytes = hkdfSync('sha256', secret, '', 'latchkey/oauth/p256/v1', 48)
    const number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
    const d = ((number % (ORDER - 1n)) + 1n).toString(16).padStart(64, '0')
    const curve = createECDH('prime256v1')
    curve.setPrivateKey(Buffer.from(d, 'hex'))
    const point = curve.getPublicKey()
    const x = point.subarray(1, 33).toString('base64url')
    const y = point.subarray(33).toString('base64url')
    const kid = thumbprint(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`)
    const [key] = await deriveAccessKeys([secret], 'ES256')
    expect(key.jwk).toEqual({ kty: 'EC', crv: 'P-256', x, y, kid, alg: 'ES256', use: 'sig' })
  })
})

test('a published RSA key has its thumbprint and public members alone', async () => {
  const pair = (await crypto.subtle.generateKey(
    {
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
    true,
    ['sign', 'verify'],
  )) as CryptoKeyPair
  const key = await publishTokenKey('RS256', pair.publicKey)
  const { n } = (await crypto.subtle.exportKey('jwk', pair.privateKey)) as { n: string }
  const kid = thumbprint(`{"e":"AQAB","kty":"RSA","n":"${n}"}`)
  expect(key.jwk).toEqual({ kty: 'RSA', e: 'AQAB', n, kid, alg: 'RS256', use: 'sig' })
  expect(exportTokenJwks([key])).toEqual({ keys: [key.jwk] })
  expect((await importTokenKey('RS256', { kty: 'RSA', n, e: 'AQAB' })).kid).toBe(kid)
})

test('the first secret signs, and every secret and purpose has another key', async () => {
  const secrets = [SECRET, `${SECRET}-older`]
  const derived = await Promise.all([
    deriveAccessKeys(secrets, 'EdDSA'),
    deriveAccessKeys(secrets, 'ES256'),
  ])
  const kids = derived.flat().map(({ kid }) => kid)
  expect(new Set([...kids, keys.signing.kid]).size).toBe(5)
  expect((await deriveAccessKeys([SECRET], 'EdDSA'))[0].kid).toBe(kids[0])
})

test.each<Exclude<TokenAlg, 'RS256'>>(['EdDSA', 'ES256'])(
  'the private key of %s stays inside',
  async (alg) => {
    const pair = await deriveAccessKeys([SECRET], alg)
    const { privateKey } = pair[0]
    expect(privateKey).toMatchObject({ type: 'private', extractable: false, usages: ['sign'] })
    expect(JSON.stringify([pair, exportTokenJwks(pair)])).not.toContain('"d"')
  },
)

test('it takes a secret', async () => {
  await expect(deriveAccessKeys([], 'ES256')).rejects.toThrow(KeyError)
})
