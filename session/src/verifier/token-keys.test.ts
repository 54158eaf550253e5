import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  accessHeader,
  accessJwks,
  bearer,
  closeVerifiers,
  eddsa,
  es256,
  forgeAccess,
  rs256,
  tokenFate,
  tokenVerifier,
} from '../test-support/access.js'
import { keys, SECRET } from '../test-support/keys.js'
import { settle, useWorker, worker } from '../test-support/worker.js'
import { deriveAccessKeys, exportTokenJwks } from '../token/access-keys.js'
import { exportJwks } from '../token/keys.js'
import { importTokenKeys } from './token-keys.js'

useWorker()
beforeEach(() => {
  worker.accessJwks = accessJwks
})
afterEach(closeVerifiers)

const [newKey] = await deriveAccessKeys(['another-secret-0123456789abcdef-0123'], 'EdDSA')

/** A well-formed token with a kid that the attacker has made up. */
const forged = async (n: number) =>
  `Bearer ${await forgeAccess({ header: { ...accessHeader, kid: String(n).padStart(43, 'A') } })}`

describe('an unknown key', () => {
  test('is fetched at once, and its token is read', async () => {
    const verifier = tokenVerifier()
    await verifier.read(await bearer())
    worker.clock.now += 60
    worker.accessJwks = exportTokenJwks([newKey, eddsa])
    const tokens = await Promise.all([1, 2, 3].map((n) => bearer({ sub: `user-${n}` }, newKey)))
    const fates = await Promise.all(tokens.map((token) => tokenFate(verifier, token)))
    expect(fates).toEqual(['live', 'live', 'live'])
    expect(worker.count('oauth/jwks.json')).toBe(2)
  })

  test('that an attacker makes up causes one fetch in half a minute, however many tokens come', async () => {
    const verifier = tokenVerifier()
    const good = await bearer()
    await verifier.read(good)
    worker.clock.now += 60
    for (let second = 0; second < 60; second++) {
      const flood = Array.from({ length: 10 }, async (_, n) =>
        tokenFate(verifier, await forged(100 * second + n)),
      )
      expect(new Set(await Promise.all(flood))).toEqual(new Set(['unknown-key']))
      worker.clock.now++
    }
    expect(worker.count('oauth/jwks.json')).toBe(3)
    expect(await tokenFate(verifier, good)).toBe('live')
  })

  test('causes no fetch at a verifier with the secret', async () => {
    const verifier = tokenVerifier({ secret: SECRET })
    for (let n = 0; n < 10; n++)
      expect(await tokenFate(verifier, await forged(n))).toBe('unknown-key')
    expect(worker.count('oauth/jwks.json')).toBe(0)
  })

  test('that cannot be looked up makes it unknown', async () => {
    const verifier = tokenVerifier()
    await verifier.read(await bearer())
    worker.clock.now += 60
    worker.replaced.set('oauth/jwks.json', () => new Response('', { status: 500 }))
    expect(await tokenFate(verifier, await bearer({}, newKey))).toBe('503')
  })
})

describe('a withdrawn key', () => {
  test('is dropped within minutes, and with it every token that it signed', async () => {
    const verifier = tokenVerifier()
    const stolen = await bearer({ iat: worker.clock.now + 30, exp: worker.clock.now + 330 })
    expect(await tokenFate(verifier, stolen)).toBe('live')
    worker.accessJwks = exportTokenJwks([newKey])
    worker.clock.now += 301
    verifier.read(stolen)
    await settle()
    expect(await tokenFate(verifier, stolen)).toBe('unknown-key')
  })
})

describe('a JWKS that is poisoned', () => {
  const poisons: [string, () => Response][] = [
    ['is empty', () => Response.json({ keys: [] })],
    ['is not JSON', () => new Response('<html>')],
    ['is too long', () => Response.json({ keys: [{ ...eddsa.jwk, pad: 'x'.repeat(70_000) }] })],
    ['has a private key', () => Response.json({ keys: [{ ...newKey.jwk, d: 'x' }] })],
    ['has a symmetric key', () => Response.json({ keys: [{ kty: 'oct', k: 'x', alg: 'HS256' }] })],
    ['is a redirect', () => Response.redirect('https://attacker.example/jwks.json')],
  ]

  test.each(poisons)('and %s does not take the place of the keys', async (_, answer) => {
    const verifier = tokenVerifier()
    const good = await bearer()
    expect(await tokenFate(verifier, good)).toBe('live')
    worker.replaced.set('oauth/jwks.json', answer)
    worker.clock.now += 60
    await tokenFate(verifier, await forged(1))
    await settle()
    expect(await tokenFate(verifier, good)).toBe('live')
    expect(worker.count('oauth/jwks.json')).toBe(2)
  })

  test('cannot give a known kid another key', async () => {
    worker.accessJwks = { keys: [{ ...newKey.jwk, kid: eddsa.kid }] }
    const verifier = tokenVerifier()
    expect(await tokenFate(verifier, await bearer())).toBe('unknown-key')
    const token = await bearer({}, { ...newKey, kid: eddsa.kid } as typeof eddsa)
    expect(await tokenFate(verifier, token)).toBe('unknown-key')
  })

  test.each([
    ['another use', { ...eddsa.jwk, use: 'enc' }],
    ['no alg', { ...eddsa.jwk, alg: undefined }],
    ['the alg of another kind', { ...eddsa.jwk, alg: 'ES256' }],
    ['the alg of an HMAC', { ...eddsa.jwk, alg: 'HS256' }],
    ['a name of every object as its alg', { ...eddsa.jwk, alg: 'constructor' }],
    ['another spelling of its point', { ...eddsa.jwk, x: `${eddsa.jwk.x}=` }],
    ['another curve', { ...es256.jwk, crv: 'P-384' }],
    ['a point that is not on the curve', { ...es256.jwk, y: 'A'.repeat(43) }],
    ['a short modulus', { ...rs256.jwk, n: 'A'.repeat(171) }],
    ['another exponent', { ...rs256.jwk, e: 'Aw' }],
  ])('loses an entry with %s, and keeps the others', async (_, entry) => {
    const found = await importTokenKeys({ keys: [entry, newKey.jwk] })
    expect([...found.keys()]).toEqual([newKey.kid])
  })

  test('is read up to 64 keys', async () => {
    const found = await importTokenKeys({ keys: [...Array(64).fill(es256.jwk), eddsa.jwk] })
    expect([...found.keys()]).toEqual([es256.kid])
  })
})

test('a token that a key of sessions has signed does not count, whatever it says', async () => {
  const [session] = exportJwks(keys.verify).keys
  const verifier = tokenVerifier()
  const header = { ...accessHeader, kid: session?.kid }
  expect(await tokenFate(verifier, `Bearer ${await forgeAccess({ header })}`)).toBe('unknown-key')
})
