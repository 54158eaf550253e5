import { calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose'
import { describe, expect, it } from 'vitest'
import { algOf, confirmationOf, keyIn, packedKey, unpackedKey } from './browser-key.js'

/** 256 bits. */
const [x, y] = ['A'.repeat(42).concat('E'), 'B'.repeat(42).concat('I')]
const ec = { kty: 'EC', crv: 'P-256', x, y }
const rsa = { kty: 'RSA', n: Buffer.alloc(256, 255).toString('base64url'), e: 'AQAB' }

describe('the key of a browser', () => {
  it.each([ec, rsa])('is read, and nothing else of what stands beside it: %o', (jwk) => {
    expect(keyIn({ ...jwk, kid: 'k', use: 'sig', p: 'AAAA', alg: 'none' })).toEqual(jwk)
  })

  it.each<[string, unknown]>([
    ['no object', 'key'],
    ['a list', [ec]],
    ['nothing', undefined],
    ['with its private part', { ...ec, d: x }],
    ['with an empty private part', { ...rsa, d: undefined }],
    ['of no kind', { ...ec, kty: undefined }],
    ['of another kind', { ...ec, kty: 'OKP' }],
    ['an RSA key by its members alone', { ...rsa, kty: 'EC' }],
    ['an EC key by its members alone', { ...ec, kty: 'RSA' }],
    ['a secret', { kty: 'oct', k: x }],
    ['of another curve', { ...ec, crv: 'P-384' }],
    ['of no curve', { ...ec, crv: undefined }],
    ['without x', { ...ec, x: undefined }],
    ['without y', { ...ec, y: undefined }],
    ['x a number', { ...ec, x: 7 }],
    ['y a list', { ...ec, y: [y] }],
    ['x shorter', { ...ec, x: x.slice(1) }],
    ['y longer', { ...ec, y: `${y}A` }],
    ['y not base64url', { ...ec, y: `${y.slice(1)}!` }],
    ['x padded', { ...ec, x: `${x.slice(2)}==` }],
    ['another exponent', { ...rsa, e: 'Aw' }],
    ['no exponent', { ...rsa, e: undefined }],
    ['no modulus', { ...rsa, n: undefined }],
    ['of 1,024 bits', { ...rsa, n: Buffer.alloc(128, 255).toString('base64url') }],
    ['of 4,104 bits', { ...rsa, n: Buffer.alloc(513, 255).toString('base64url') }],
  ])('attack: is none: %s', (_, jwk) => {
    expect(keyIn(jwk)).toBeUndefined()
  })

  it.each(['ES256', 'RS256'] as const)('of %s comes back from its short form', async (alg) => {
    const { publicKey } = await generateKeyPair(alg)
    const jwk = await exportJWK(publicKey)
    const key = keyIn(jwk)
    if (!key) throw new Error('No key.')
    expect(algOf(key)).toBe(alg)
    expect(packedKey(key).length).toBeLessThan(400)
    expect(unpackedKey(packedKey(key))).toEqual(key)
    expect(await confirmationOf(key)).toEqual({ jkt: await calculateJwkThumbprint(jwk) })
  })
})
