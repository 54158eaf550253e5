import { createHash, createPrivateKey, createPublicKey, hkdfSync, verify } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { claims, ISSUER, keys, SECRET, stateOf, verifierAt } from '../test-support/keys.js'
import {
  deriveBytes,
  deriveSessionKeys,
  exportJwks,
  importVerifyKeys,
  KeyError,
  type PublicJwk,
} from './keys.js'
import { signSessionToken } from './signed.js'

/** Calculated by hand-written HKDF and Ed25519 (RFC 5869, RFC 8032), not by this platform. */
const KNOWN = {
  secret: 'known-answer-secret-0123456789abcdef',
  seed: '8caa7013cce9a06a8222c8728ce49db70ff9d5733b8a267736a21a0282fe7fe7',
  x: 'SE-kHAA5JC1G5Z0xWTybeUO0W4e6UnJL-dGpnny1rrM',
  kid: 'oCQ8j4ij7xxxER2EVbE6JUYsLbsaeXbk3ItNELHqiBQ',
}

const jwk = exportJwks(keys.verify).keys[0] as PublicJwk

describe('derivation', () => {
  test('gives the known answer', async () => {
    const seed = await deriveBytes(KNOWN.secret, 'latchkey/session/ed25519/v1', 32)
    expect(Buffer.from(seed).toString('hex')).toBe(KNOWN.seed)
    const derived = await deriveSessionKeys([KNOWN.secret])
    expect(derived.signing.kid).toBe(KNOWN.kid)
    expect(exportJwks(derived.verify)).toEqual({
      keys: [{ kty: 'OKP', crv: 'Ed25519', x: KNOWN.x, kid: KNOWN.kid, alg: 'EdDSA', use: 'sig' }],
    })
  })

  test.each([SECRET, 'geheim-mit-ümläuten-und-🔑-0123456789', ` ${SECRET}\n`])(
    'agrees with node:crypto for %j',
    async (secret) => {
      const seed = hkdfSync('sha256', secret, '', 'latchkey/session/ed25519/v1', 32)
      const der = Buffer.concat([
        Buffer.from('302e020100300506032b657004220420', 'hex'),
        Buffer.from(seed),
      ])
      const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
      const publicKey = createPublicKey(privateKey)
      const { x } = publicKey.export({ format: 'jwk' })
      const canonical = `{"crv":"Ed25519","kty":"OKP","x":"${x}"}`
      const kid = createHash('sha256').update(canonical).digest('base64url')

      const derived = await deriveSessionKeys([secret])
      expect(derived.signing.kid).toBe(kid)
      expect(derived.verify.get(kid)?.jwk).toMatchObject({ x, kid })
      const token = await signSessionToken(claims, derived.signing)
      const at = token.lastIndexOf('.')
      const signature = Buffer.from(token.slice(at + 1), 'base64url')
      expect(verify(null, Buffer.from(token.slice(0, at)), publicKey, signature)).toBe(true)
    },
  )

  test('gives every purpose and every secret another key', async () => {
    const bytes = await Promise.all([
      deriveBytes(SECRET, 'latchkey/session/ed25519/v1', 32),
      deriveBytes(SECRET, 'latchkey/session/ed25519/v2', 32),
      deriveBytes(SECRET, '', 32),
      deriveBytes(`${SECRET} `, 'latchkey/session/ed25519/v1', 32),
    ])
    expect(new Set(bytes.map((each) => Buffer.from(each).toString('hex'))).size).toBe(4)
  })

  test('keeps the private key inside', async () => {
    const { privateKey } = keys.signing
    expect(privateKey).toMatchObject({ type: 'private', extractable: false, usages: ['sign'] })
    for (const format of ['jwk', 'pkcs8'] as const) {
      await expect(crypto.subtle.exportKey(format, privateKey)).rejects.toThrow()
    }
    expect(JSON.stringify([keys.signing, exportJwks(keys.verify)])).not.toContain('"d"')
  })

  test('needs a secret', async () => {
    await expect(deriveSessionKeys([])).rejects.toThrow(
      'At least one secret is needed to derive a session key.',
    )
    await expect(deriveSessionKeys([])).rejects.toMatchObject({ name: 'KeyError' })
  })
})

describe('rotation', () => {
  const [oldSecret, newSecret] = [SECRET, 'the-newer-secret-0123456789abcdef-01']

  test('the first signs, all verify, a secret that was removed does not', async () => {
    const rotating = await deriveSessionKeys([newSecret, oldSecret])
    const rotated = await deriveSessionKeys([newSecret])
    const oldToken = await signSessionToken(claims, keys.signing)
    const newToken = await signSessionToken(claims, rotating.signing)
    const state = async (token: string, { verify } = rotating) =>
      stateOf(await verifierAt(undefined, verify).verify(token, ISSUER))

    expect(rotating.signing.kid).toBe(rotated.signing.kid)
    expect(await state(oldToken)).toBe('live')
    expect(await state(newToken)).toBe('live')
    expect(await state(newToken, rotated)).toBe('live')
    expect(await state(oldToken, rotated)).toBe('unknown-key')
    expect(await state(newToken, keys)).toBe('unknown-key')
  })

  test('publishes every key once', async () => {
    const rotating = await deriveSessionKeys([newSecret, oldSecret, newSecret])
    const published = exportJwks(rotating.verify).keys.map(({ kid }) => kid)
    expect(published).toEqual([rotating.signing.kid, keys.signing.kid])
  })
})

describe('JWKS', () => {
  test.each([
    ['an object', exportJwks(keys.verify)],
    ['text', JSON.stringify(exportJwks(keys.verify))],
    ['only what RFC 8037 requires', { keys: [{ kty: 'OKP', crv: 'Ed25519', x: jwk.x }] }],
    ['the newer name of the algorithm', { keys: [{ ...jwk, alg: 'Ed25519' }] }],
    ['a kid that is not the thumbprint', { keys: [{ ...jwk, kid: 'mine' }] }],
  ])('is imported as it was exported: %s', async (_, jwks) => {
    expect(exportJwks(await importVerifyKeys(jwks))).toEqual({ keys: [jwk] })
  })

  test('skips keys of unknown or unusable kinds (RFC 7517, 5)', async () => {
    const junk = [
      null,
      'key',
      7,
      [],
      {},
      { kty: 'RSA', n: 'AQAB', e: 'AQAB' },
      { kty: 'EC', crv: 'P-256', x: jwk.x, y: jwk.x },
      { ...jwk, kty: 'EC' },
      { ...jwk, crv: 'X25519' },
      { ...jwk, use: 'enc' },
      { ...jwk, alg: 'ES256' },
      { ...jwk, x: undefined },
      { ...jwk, x: 7 },
      { ...jwk, x: [jwk.x] },
      { ...jwk, x: '' },
      { ...jwk, x: jwk.x.slice(1) },
      { ...jwk, x: `${jwk.x}A` },
      { ...jwk, x: `${jwk.x}=` },
      { ...jwk, x: ` ${jwk.x}` },
      { ...jwk, x: `${jwk.x.slice(0, -1)}B` },
    ]
    expect(exportJwks(await importVerifyKeys({ keys: [...junk, jwk, ...junk] }))).toEqual({
      keys: [jwk],
    })
    await expect(importVerifyKeys({ keys: junk })).rejects.toThrow('holds no Ed25519')
  })

  test('skips a key that the platform refuses', async () => {
    const real = crypto.subtle.importKey.bind(crypto.subtle) as (...given: unknown[]) => unknown
    const refused = 'A'.repeat(43)
    const importing = vi.spyOn(crypto.subtle, 'importKey') as ReturnType<typeof vi.fn>
    onTestFinished(() => importing.mockRestore())
    importing.mockImplementation(
      async (format: string, given: { x?: string }, ...more: unknown[]) => {
        if (given.x === refused) throw new DOMException('No such point.', 'DataError')
        return real(format, given, ...more)
      },
    )
    const found = await importVerifyKeys({ keys: [{ ...jwk, x: refused }, jwk] })
    expect(exportJwks(found)).toEqual({ keys: [jwk] })
  })

  test.each([
    ['Ed25519', { ...jwk, d: 'c2VjcmV0' }],
    ['for another use', { ...jwk, use: 'enc', d: 'c2VjcmV0' }],
    ['RSA', { kty: 'RSA', n: 'AQAB', e: 'AQAB', d: 'c2VjcmV0' }],
    ['symmetric', { kty: 'oct', k: 'c2VjcmV0' }],
  ])('refuses a private key: %s', async (_, secretKey) => {
    const error = await importVerifyKeys({ keys: [jwk, secretKey] }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(KeyError)
    expect(error.message).toContain('private key')
    expect(error.message).not.toContain('c2VjcmV0')
  })

  test.each([
    ['text that is not JSON', '{', 'is not valid JSON'],
    ['nothing', '', 'is not valid JSON'],
    ['undefined', undefined, 'must be an object with a "keys" array'],
    ['null', null, 'must be an object with a "keys" array'],
    ['a bare key', jwk, 'must be an object with a "keys" array'],
    ['an array of keys', [jwk], 'must be an object with a "keys" array'],
    ['keys that are not an array', { keys: { 0: jwk } }, 'must be an object with a "keys" array'],
    ['no keys', { keys: [] }, 'holds no Ed25519 signature key'],
  ])('refuses %s, and says why', async (_, jwks, reason) => {
    const refusal = importVerifyKeys(jwks)
    await expect(refusal).rejects.toThrow(KeyError)
    await expect(refusal).rejects.toThrow(reason)
  })
})
