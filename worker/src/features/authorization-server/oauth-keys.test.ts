import { compactVerify, createLocalJWKSet, importJWK } from 'jose'
import { describe, expect, it } from 'vitest'
import { AuthRequest } from '../../http/request.js'
import { composeService } from '../../service/compose-service.js'
import { memoryStore } from '../../stores/memory.js'
import type { OwnStore } from '../../stores/ports.js'
import { configWith, origin, secret } from '../../test-support/browser.js'
import { authorizationServer } from './index.js'
import { publicJwks, signingKey, verifyKeys } from './oauth-keys.js'
import type { AuthorizationServerOptions } from './options.js'

const spa = { redirectUris: ['https://spa.example.com/cb'] }
const RSA: AuthorizationServerOptions = { apps: { spa: { ...spa, alg: 'RS256' } } }

/** A request to a new isolate. */
async function isolate(
  options: AuthorizationServerOptions = RSA,
  store: OwnStore = memoryStore(),
  secrets: string | readonly string[] = secret,
  now: () => number = Date.now,
) {
  const config = configWith({ features: [authorizationServer(options)], store, secret: secrets })
  const parts = await composeService(config, { env: {}, now })
  const url = `${origin}/auth/oauth/jwks.json`
  return new AuthRequest(new Request(url), url, parts, origin, () => {})
}

/** A store that counts the calls of its ledger. */
function counting(store = memoryStore()) {
  const calls: string[] = []
  const ledger = new Proxy(store.ledger, {
    get(target, name) {
      const method = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        calls.push(String(name))
        return method.apply(target, args)
      }
    },
  })
  return { store: { ...store, ledger }, calls }
}

interface Jwks {
  readonly keys: readonly Readonly<Record<string, string>>[]
}

async function jwksOf(request: AuthRequest): Promise<Jwks> {
  return (await publicJwks(request)) as Jwks
}

const data = new TextEncoder().encode('signed')

describe('the keys', () => {
  it('are published with their public members alone, one of Ed25519 and of P-256 for each secret', async () => {
    const { store, calls } = counting()
    const secrets = ['another-secret-of-the-tests-0123456789', secret]
    const { keys } = await jwksOf(await isolate({ apps: { spa } }, store, secrets))
    expect(keys.map(({ alg, crv, kty, use }) => [alg, crv, kty, use])).toEqual([
      ['EdDSA', 'Ed25519', 'OKP', 'sig'],
      ['EdDSA', 'Ed25519', 'OKP', 'sig'],
      ['ES256', 'P-256', 'EC', 'sig'],
      ['ES256', 'P-256', 'EC', 'sig'],
    ])
    for (const key of keys) expect(key).not.toHaveProperty('d')
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(4)
    expect(calls).toEqual([])
  })

  it.each(['EdDSA', 'ES256', 'RS256'] as const)('JOSE verifies signatures by %s', async (alg) => {
    const request = await isolate()
    const { kid, privateKey } = await signingKey(request, alg)
    const { CompactSign } = await import('jose')
    const token = await new CompactSign(data).setProtectedHeader({ alg, kid }).sign(privateKey)
    const jwks = createLocalJWKSet((await jwksOf(request)) as never)
    await expect(compactVerify(token, jwks)).resolves.toMatchObject({ payload: data })
    expect((await verifyKeys(request)).get(kid)?.alg).toBe(alg)
  })

  it('none of them is a key of sessions', async () => {
    const request = await isolate()
    const kids = new Set(request.keys.session.verify.keys())
    for (const { kid } of (await jwksOf(request)).keys) expect(kids.has(kid ?? '')).toBe(false)
  })
})

describe('an RSA key', () => {
  it('is made if an app or a resource has RS256, and otherwise never', async () => {
    const uri = 'https://api.example.com/'
    const open = { [uri]: { open: true, alg: 'RS256' } } as const
    for (const [options, count] of [
      [{ apps: { spa } }, 0],
      [RSA, 1],
      [{ resources: open }, 1],
    ] as const) {
      const { keys } = await jwksOf(await isolate(options))
      const rsa = keys.filter(({ kty }) => kty === 'RSA')
      expect(rsa).toHaveLength(count)
      for (const key of rsa) {
        expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
        // 2,048 bits.
        expect(key.n).toHaveLength(342)
      }
    }
  })

  it('is one, however many isolates make it at once', async () => {
    const store = memoryStore()
    const isolates = await Promise.all(Array.from({ length: 8 }, () => isolate(RSA, store)))
    const kids = await Promise.all(
      isolates.map(async (request) => (await signingKey(request, 'RS256')).kid),
    )
    expect(new Set(kids).size).toBe(1)
    const { keys } = await jwksOf(await isolate(RSA, store))
    expect(keys.filter(({ kty }) => kty === 'RSA').map(({ kid }) => kid)).toEqual([kids[0]])
  })

  it('is read once by an isolate, and then costs no call', async () => {
    const store = memoryStore()
    await signingKey(await isolate(RSA, store), 'RS256')
    const counted = counting(store)
    const request = await isolate(RSA, counted.store)
    await signingKey(request, 'RS256')
    const before = counted.calls.length
    await Promise.all([signingKey(request, 'RS256'), verifyKeys(request), jwksOf(request)])
    expect([before, counted.calls.length]).toEqual([1, 1])
  })

  it('is kept sealed: the ledger has no member of it', async () => {
    const store = memoryStore()
    const written: string[] = []
    const { ledger } = store
    const changeDocument: typeof ledger.changeDocument = (...args) => {
      written.push(String(args[2]))
      return ledger.changeDocument(...args) ?? Promise.resolve(false)
    }
    const spied = new Proxy(ledger, {
      get: (target, name) =>
        name === 'changeDocument' ? changeDocument : Reflect.get(target, name).bind(target),
    })
    await signingKey(await isolate(RSA, { ...store, ledger: spied }), 'RS256')
    expect(written).toHaveLength(1)
    expect(written[0]).toMatch(/^\{"sealed":"[\w.-]+"\}$/)
    expect(written[0]).not.toMatch(/"(?:d|n|p|q|kty)"/)
  })

  it('verifies while its secret is in use, and is gone afterwards', async () => {
    const store = memoryStore()
    const old = 'the-earlier-secret-of-the-tests-01234'
    const before = await signingKey(await isolate(RSA, store, old), 'RS256')
    const rotated = await isolate(RSA, store, [secret, old])
    const after = await signingKey(rotated, 'RS256')
    expect(after.kid).not.toBe(before.kid)
    expect([...(await verifyKeys(rotated)).keys()]).toEqual(
      expect.arrayContaining([before.kid, after.kid]),
    )
    const later = await isolate(RSA, store, secret)
    const kids = (await jwksOf(later)).keys.map(({ kid }) => kid)
    expect(kids).toContain(after.kid)
    expect(kids).not.toContain(before.kid)
  })

  it('is found within a minute if another isolate signs with its secret', async () => {
    const { store, calls } = counting()
    const next = 'the-next-secret-of-the-tests-0123456789'
    let now = Date.now()
    const behind = await isolate(RSA, store, [secret, next], () => now)
    await verifyKeys(behind)
    const { kid } = await signingKey(await isolate(RSA, store, [next, secret]), 'RS256')
    calls.length = 0
    expect((await verifyKeys(behind)).has(kid)).toBe(false)
    expect(calls).toEqual([])
    now += 60_001
    expect((await verifyKeys(behind)).has(kid)).toBe(true)
    expect(calls).toEqual(['document'])
  })

  it('is not signed with while the ledger fails, and is afterwards', async () => {
    const store = memoryStore()
    let isBroken = true
    const ledger = new Proxy(store.ledger, {
      get(target, name) {
        const method = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return (...args: unknown[]) => {
          if (isBroken) throw new Error('out of reach')
          return method.apply(target, args)
        }
      },
    })
    const request = await isolate(RSA, { ...store, ledger })
    await expect(signingKey(request, 'RS256')).rejects.toMatchObject({ type: 'StoreUnavailable' })
    await expect(signingKey(request, 'EdDSA')).resolves.toBeDefined()
    isBroken = false
    await expect(signingKey(request, 'RS256')).resolves.toBeDefined()
  })

  it('attack: another one in the ledger, which our secret has not sealed, is never signed with', async () => {
    const store = memoryStore()
    const request = await isolate(RSA, store)
    const keys: string[] = []
    const ledger = new Proxy(store.ledger, {
      get: (target, name) => {
        if (name !== 'document') return Reflect.get(target, name)
        return async (key: string) => {
          keys.push(key)
          return { version: 1, content: JSON.stringify({ sealed: `AAAAAAAA.${'A'.repeat(60)}` }) }
        }
      },
    })
    const forged = await isolate(RSA, { ...store, ledger })
    await expect(signingKey(forged, 'RS256')).rejects.toMatchObject({ type: 'DamagedRecord' })
    expect(keys[0]).toMatch(/^rsa\n[\w-]{22}$/)
    await expect(signingKey(request, 'RS256')).resolves.toBeDefined()
  })
})

it('published keys are imported as public keys', async () => {
  for (const key of (await jwksOf(await isolate())).keys) {
    expect(await importJWK(key, key.alg ?? '')).toMatchObject({ type: 'public' })
  }
})
