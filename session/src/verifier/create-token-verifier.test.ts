import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest'
import {
  AUDIENCE,
  accessClaims,
  accessJwks,
  bearer,
  closeVerifiers,
  es256,
  rs256,
  tokenFate,
  tokenVerifier,
} from '../test-support/access.js'
import { ISSUER, keys, SECRET } from '../test-support/keys.js'
import { settle, silence, useWorker, worker } from '../test-support/worker.js'
import { mintAccessToken } from '../testing.js'
import { signSessionToken } from '../token/signed.js'
import { createTokenVerifier, type ReadTokenOptions } from './create-token-verifier.js'

useWorker()
beforeEach(() => {
  worker.accessJwks = accessJwks
})
afterEach(closeVerifiers)

const alone = { worker: undefined, secret: SECRET, issuer: ISSUER }

/** The refusal of a read. */
async function refusalOf(authorization: string | null | undefined, needs?: ReadTokenOptions) {
  return (await tokenVerifier(alone).read(authorization, needs)).refusal
}

describe('a good token', () => {
  test('is the AuthInfo of the MCP SDK as it stands', async () => {
    const authorization = await bearer()
    const { token, refusal } = await tokenVerifier().read(authorization)
    expect(refusal).toBeNull()
    expect(token).toEqual({
      token: authorization.slice('Bearer '.length),
      sub: 'user-1',
      clientId: 'notes-app',
      scopes: ['notes:read', 'notes:write'],
      expiresAt: worker.clock.now + 299,
      resource: new URL(AUDIENCE),
      machine: false,
      claims: expect.objectContaining({ grant: accessClaims.grant, acr: '1' }),
      extra: { sub: 'user-1' },
    })
    if (token) expectTypeOf(token).toExtend<AuthInfo>()
  })

  test('is frozen, and no request changes the URL of another one', async () => {
    const verifier = tokenVerifier()
    const authorization = await bearer()
    const reading = await verifier.read(authorization)
    const { token } = reading
    if (!token) throw new Error('It is refused.')
    const parts = [reading, token, token.scopes, token.extra, token.claims]
    expect(parts.every((part) => Object.isFrozen(part))).toBe(true)
    token.resource.pathname = '/changed'
    expect((await verifier.read(authorization)).token?.resource.href).toBe(AUDIENCE)
  })

  test('has no scopes if none was granted', async () => {
    const { authorization } = await mintAccessToken({
      secret: SECRET,
      issuer: ISSUER,
      audience: AUDIENCE,
      now: () => worker.clock.now * 1000,
    })
    expect((await tokenVerifier(alone).read(authorization)).token?.scopes).toEqual([])
  })

  test.each(['bearer', 'BEARER', 'Bearer  '])('is read behind the scheme %j', async (scheme) => {
    const token = (await bearer()).slice('Bearer '.length)
    expect(await tokenFate(tokenVerifier(alone), `${scheme} ${token}`)).toBe('live')
  })
})

/** As `@modelcontextprotocol/server` 2 declares it. */
interface AuthInfo {
  token: string
  clientId: string
  scopes: string[]
  expiresAt?: number
  resource?: URL
  resourceMetadataUrl?: string
  extra?: Record<string, unknown>
}

describe('a token that was seen before', () => {
  test('is answered without a promise and without a call', async () => {
    const verifier = tokenVerifier()
    const authorization = await bearer()
    const first = await verifier.read(authorization)
    expect(worker.requests.map(({ path }) => path)).toEqual([
      'oauth/jwks.json',
      'revocations?pages=1',
      'jwks.json',
    ])
    const verify = vi.spyOn(crypto.subtle, 'verify')
    for (let count = 0; count < 100; count++) expect(verifier.read(authorization)).toBe(first)
    expect(verify).not.toHaveBeenCalled()
    expect(worker.requests).toHaveLength(3)
    verify.mockRestore()
  })

  test('ends in time', async () => {
    const verifier = tokenVerifier()
    const authorization = await bearer()
    expect(await tokenFate(verifier, authorization)).toBe('live')
    worker.clock.now += 298
    expect(await tokenFate(verifier, authorization)).toBe('live')
    worker.clock.now += 1
    expect(await tokenFate(verifier, authorization)).toBe('expired')
  })

  test('is refused when the clock is set back before it', async () => {
    const verifier = tokenVerifier(alone)
    const authorization = await bearer()
    await verifier.read(authorization)
    worker.clock.now -= 62
    expect(await tokenFate(verifier, authorization)).toBe('issued-in-the-future')
  })

  test('meets the needs of each read on its own', async () => {
    const verifier = tokenVerifier(alone)
    const authorization = await bearer()
    expect(await tokenFate(verifier, authorization)).toBe('live')
    expect(await tokenFate(verifier, authorization, { scope: 'notes:delete' })).toBe('scope')
    expect(await tokenFate(verifier, authorization, { scope: 'notes:read' })).toBe('live')
    expect(await tokenFate(verifier, authorization, { acr: '2' })).toBe('acr')
  })
})

describe('a verifier for another', () => {
  test('audience does not take the token', async () => {
    const authorization = await bearer()
    const other = tokenVerifier({ ...alone, audience: 'https://api.example.com' })
    expect(await tokenFate(other, authorization)).toBe('audience')
    const mine = await bearer({ aud: 'https://api.example.com' })
    expect(await tokenFate(other, mine)).toBe('live')
    expect(await tokenFate(tokenVerifier(alone), mine)).toBe('audience')
  })

  test('issuer does not take the token', async () => {
    const other = tokenVerifier({ ...alone, issuer: 'https://other.example/auth' })
    expect(await tokenFate(other, await bearer())).toBe('issuer')
  })

  test('secret does not take the token', async () => {
    const other = tokenVerifier({ ...alone, secret: 'another-secret-0123456789abcdef-0123' })
    expect(await tokenFate(other, await bearer())).toBe('unknown-key')
  })
})

describe('the keys', () => {
  test.each([
    ['ES256', es256],
    ['RS256', rs256],
  ])('that the service publishes verify %s', async (_, key) => {
    expect(await tokenFate(tokenVerifier(), await bearer({}, key))).toBe('live')
  })

  test('that are given verify each, and no service is asked', async () => {
    const verifier = tokenVerifier({ worker: undefined, issuer: ISSUER, publicKeys: accessJwks })
    for (const key of [es256, rs256]) {
      expect(await tokenFate(verifier, await bearer({}, key))).toBe('live')
    }
    const text = JSON.stringify(accessJwks)
    const other = tokenVerifier({ worker: undefined, issuer: ISSUER, publicKeys: text })
    expect(await tokenFate(other, await bearer())).toBe('live')
    expect(worker.requests).toEqual([])
  })

  test('that the secret gives verify all but RS256, whose key the service publishes', async () => {
    const verifier = tokenVerifier(alone)
    expect(await tokenFate(verifier, await bearer({}, es256))).toBe('live')
    expect(await tokenFate(verifier, await bearer())).toBe('live')
    expect(await tokenFate(verifier, await bearer({}, rs256))).toBe('unknown-key')
    const both = tokenVerifier({ secret: SECRET })
    expect(await tokenFate(both, await bearer())).toBe('live')
    expect(worker.count('oauth/jwks.json')).toBe(0)
    expect(await tokenFate(both, await bearer({}, rs256))).toBe('live')
    expect(worker.count('oauth/jwks.json')).toBe(1)
    expect(worker.count('jwks.json')).toBe(0)
  })
})

describe('a request without a token', () => {
  test.each([
    undefined,
    null,
    '',
    'Bearer',
    'Bearer ',
    'Basic dXNlcjpwYXNz',
    'token x',
    'BearerX x',
  ])('is refused to the letter: %j', async (authorization) => {
    expect(await refusalOf(authorization)).toEqual({
      status: 401,
      error: 'token_required',
      reason: 'no-token',
      challenge: 'Bearer',
    })
  })

  test('learns the scopes that are asked for', async () => {
    const scope = 'notes:read notes:write'
    expect((await refusalOf(null, { scope: [] }))?.challenge).toBe('Bearer')
    const twice = ['notes:read', 'notes:write', 'notes:read']
    expect((await refusalOf(null, { scope: twice }))?.challenge).toBe(`Bearer scope="${scope}"`)
    expect((await refusalOf(null, { scope }))?.challenge).toBe(`Bearer scope="${scope}"`)
    const list = ['notes:read', 'notes:write']
    expect((await refusalOf(null, { scope: list }))?.challenge).toBe(`Bearer scope="${scope}"`)
  })

  test('is answered while nothing is known of the service', async () => {
    worker.replaced.set('oauth/jwks.json', silence)
    expect(await tokenFate(tokenVerifier(), 'Basic x')).toBe('no-token')
    expect(await tokenFate(tokenVerifier(), 'Bearer x')).toBe('not-a-jws')
    expect(worker.requests).toEqual([])
  })
})

describe('a token that is not valid here is refused to the letter', () => {
  const session = () =>
    signSessionToken(
      {
        iss: ISSUER,
        sub: 'user-1',
        sid: 'AAECAwQFBgcICQoLDA0ODw',
        iat: worker.clock.now,
        exp: worker.clock.now + 300,
        auth_time: worker.clock.now,
        sexp: worker.clock.now + 300,
        amr: ['github'],
        session: {},
      },
      keys.signing,
    )

  test.each<[string, () => string | Promise<string>]>([
    ['a word', () => 'Bearer x'],
    ['two tokens', async () => `${await bearer()} ${await bearer()}`],
    ['two headers in one', async () => `${await bearer()}, ${await bearer()}`],
    ['a very long text', () => `Bearer ${'x'.repeat(100_000)}`],
    ['many spaces', () => `Bearer ${' '.repeat(7_000)}x`],
    ['a session token', async () => `Bearer ${await session()}`],
    [
      'a token that has ended',
      () => bearer({ iat: worker.clock.now - 300, exp: worker.clock.now }),
    ],
    ['a token of another issuer', () => bearer({ iss: 'https://other.example/auth' })],
    ['a token for another audience', () => bearer({ aud: 'https://other.example/' })],
  ])('%s', async (_, make) => {
    const refusal = await refusalOf(await make(), { scope: 'notes:read' })
    expect(refusal).toMatchObject({ status: 401, error: 'invalid_token' })
    expect(refusal?.challenge).toBe(
      'Bearer error="invalid_token", error_description="The access token is not valid here", scope="notes:read"',
    )
  })

  test('without a scope if none is asked for', async () => {
    expect((await refusalOf('Bearer x'))?.challenge).toBe(
      'Bearer error="invalid_token", error_description="The access token is not valid here"',
    )
  })
})

describe('a token suffices', () => {
  test.each<ReadTokenOptions>([
    { scope: 'notes:read' },
    { scope: 'notes:write notes:read' },
    { scope: ' notes:read  notes:write ' },
    { scope: ['notes:write'] },
    { scope: ['notes:read', 'notes:write', 'notes:read'] },
    { scope: undefined },
    { maxAge: 1, acr: '1' },
  ])('for %j', async (needs) => {
    expect(await refusalOf(await bearer(), needs)).toBeNull()
  })
})

describe('a token that does not suffice is refused to the letter', () => {
  test('without all of the scopes', async () => {
    const refusal = await refusalOf(await bearer(), { scope: 'notes:read notes:delete', maxAge: 0 })
    expect(refusal).toEqual({
      status: 403,
      error: 'insufficient_scope',
      reason: 'scope',
      challenge:
        'Bearer error="insufficient_scope", error_description="The access token has not all of the scopes", scope="notes:read notes:delete"',
    })
  })

  test('if the sign-in is too old', async () => {
    const authorization = await bearer({ auth_time: worker.clock.now - 301 })
    expect(await refusalOf(authorization, { maxAge: 300, scope: 'notes:read' })).toEqual({
      status: 401,
      error: 'insufficient_user_authentication',
      reason: 'max-age',
      challenge:
        'Bearer error="insufficient_user_authentication", error_description="More recent authentication is required", max_age="300"',
    })
    const fresh = await bearer({ auth_time: worker.clock.now - 300 })
    expect(await refusalOf(fresh, { maxAge: 300 })).toBeNull()
  })

  test('if the sign-in is too weak', async () => {
    expect(await refusalOf(await bearer(), { maxAge: 300, acr: '2' })).toEqual({
      status: 401,
      error: 'insufficient_user_authentication',
      reason: 'acr',
      challenge:
        'Bearer error="insufficient_user_authentication", error_description="A different authentication level is required", max_age="300", acr_values="2"',
    })
    expect((await refusalOf(await bearer(), { acr: '2' }))?.challenge).toBe(
      'Bearer error="insufficient_user_authentication", error_description="A different authentication level is required", acr_values="2"',
    )
    expect(await refusalOf(await bearer({ acr: '2' }), { acr: '2' })).toBeNull()
    expect(await refusalOf(await bearer(), { acr: '1' })).toBeNull()
  })

  test.each([
    { maxAge: Number.NaN },
    { maxAge: '300x' as unknown as number },
    { acr: 'mfa' as '2' },
    { scope: 1 as unknown as string },
    { scope: '' },
    { scope: ' ' },
    { scope: [] },
    { scope: [''] },
    // Misspelled, and of other types: nothing is asked by them.
    { scopes: 'notes:read' } as object,
    { acr: '' as never },
    { acr: null as never },
    { acr: [] as never },
    { maxAge: '300' as never },
    { maxAge: null as never },
    { scope: ['notes:read', 'x" injected="'] },
    { scope: 'notes:read\r\nSet-Cookie: x' },
  ])('if the needs are invalid: %j', async (needs) => {
    const refusal = await refusalOf(await bearer(), needs)
    expect(refusal?.challenge).toMatch(/^Bearer [\x20-\x7e]+$/)
    expect(refusal?.challenge).not.toMatch(/injected|Cookie/)
  })
})

describe('while the service does not answer', () => {
  test('it is unknown at first, and known afterwards', async () => {
    worker.replaced.set('oauth/jwks.json', () => new Response('', { status: 500 }))
    const verifier = tokenVerifier()
    const authorization = await bearer()
    expect(await tokenFate(verifier, authorization)).toBe('503')
    worker.clock.now += 3
    worker.replaced.clear()
    expect(await tokenFate(verifier, authorization)).toBe('live')
    worker.clock.now += 30
    for (const path of ['oauth/jwks.json', 'jwks.json', 'revocations']) {
      worker.replaced.set(path, () => new Response('', { status: 500 }))
    }
    await settle()
    expect(await tokenFate(verifier, authorization)).toBe('live')
    expect(await tokenFate(verifier, await bearer({ sub: 'user-2' }))).toBe('live')
  })

  test('errors quote no token', async () => {
    worker.replaced.set('oauth/jwks.json', () => Promise.reject(new Error('no network')))
    const authorization = await bearer()
    await tokenFate(tokenVerifier(), authorization)
    const told = JSON.stringify(worker.errors.map(({ message, stack }) => [message, stack]))
    expect(told).not.toContain(authorization.slice(10, 40))
  })
})

describe('a verifier is not made', () => {
  const whole = { worker: ISSUER, audience: AUDIENCE }

  test.each([
    ['without an audience', { ...whole, audience: undefined as unknown as string }],
    ['with an empty audience', { ...whole, audience: '' }],
    ['with an audience that is not a URI', { ...whole, audience: 'notes' }],
    ['with a fragment in the audience', { ...whole, audience: `${AUDIENCE}#x` }],
    ['without keys', { audience: AUDIENCE, issuer: ISSUER }],
    ['without the issuer', { audience: AUDIENCE, secret: SECRET }],
    ['with a binding and no issuer', { ...whole, worker: { fetch } as never }],
    ['with a secret and public keys', { ...whole, secret: SECRET, publicKeys: accessJwks }],
    ['with too long a delay', { ...whole, revocation: { maxDelay: 1e9 } }],
  ])('%s', (_, options) => {
    expect(() => createTokenVerifier(options)).toThrow(TypeError)
  })

  test('with a short secret', () => {
    expect(() => createTokenVerifier({ ...whole, secret: 'short' })).toThrow('32 characters')
  })

  test.each([
    { keys: [] },
    { keys: [{ ...es256.jwk, d: 'x' }] },
    { keys: [{ ...es256.jwk, alg: undefined }] },
    'no JSON',
  ])('with the public keys %j', (publicKeys) => {
    expect(() => createTokenVerifier({ ...whole, publicKeys })).toThrow(/JWKS/)
  })
})

test('a minted token lives as long as it says', async () => {
  const options = {
    secret: SECRET,
    issuer: ISSUER,
    audience: AUDIENCE,
    now: () => worker.clock.now * 1000,
  }
  const verifier = tokenVerifier(alone)
  const ended = await mintAccessToken({ ...options, tokenMaxAge: -1 })
  expect(await tokenFate(verifier, ended.authorization)).toBe('expired')
  const short = await mintAccessToken({ ...options, tokenMaxAge: 10, scope: 'a b', acr: '2' })
  expect(await tokenFate(verifier, short.authorization, { scope: 'b', acr: '2' })).toBe('live')
  const old = await mintAccessToken({ ...options, authTime: worker.clock.now - 301 })
  expect(await tokenFate(verifier, old.authorization, { maxAge: 300 })).toBe('max-age')
  await expect(mintAccessToken({ ...options, tokenMaxAge: 301 })).rejects.toThrow(TypeError)
})
