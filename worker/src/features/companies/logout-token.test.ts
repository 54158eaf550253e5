import { generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../../errors.js'
import type { Connection } from '../../sign-in/oauth/connection.js'
import { type TestIssuer, testIssuer } from '../../test-support/issuer.js'
import { LogoutTokenFault, verifyLogoutToken } from './logout-token.js'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const issuer = 'https://acme.idp.example'
const now = Math.floor(Date.UTC(2026, 10, 1) / 1000)

let idp: TestIssuer
beforeAll(async () => {
  idp = await testIssuer(issuer, { alg: 'ES256' })
})
beforeEach(() => {
  idp.answers = {}
})

/** A connection to the provider. Each has a fetch of its own, so that no copy of the keys is shared. */
function connection(server: object = {}, of = idp): Connection {
  const fetch: typeof globalThis.fetch = (input, init) => of.fetch(input as never, init as never)
  return {
    provider: { clientId: 'client', fetch },
    server: {
      ...{ issuer, jwks_uri: `${issuer}/keys`, id_token_signing_alg_values_supported: ['ES256'] },
      ...server,
    },
    fetch,
    now: now * 1000,
  } as unknown as Connection
}

async function tokenWith(claims: object = {}, header: object = {}, by = idp): Promise<string> {
  const [key] = by.jwks().keys as { kid: string }[]
  const all = {
    ...{ iss: issuer, aud: 'client', iat: now, exp: now + 120, jti: 'jti' },
    ...{ events: { [EVENT]: {} }, sub: 'ada', ...claims },
  }
  const there = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  return new SignJWT(there)
    .setProtectedHeader({
      ...{ alg: 'ES256', typ: 'logout+jwt', kid: key?.kid ?? '', ...header },
    } as JWTHeaderParameters)
    .sign(by.privateKey())
}

const read = async (claims: object = {}, server: object = {}) =>
  verifyLogoutToken(connection(server), await tokenWith(claims))

/** The member that is wrong, as the log names it. */
async function wrongIn(reading: Promise<unknown>): Promise<string> {
  try {
    await reading
    return 'nothing'
  } catch (error) {
    if (!(error instanceof LogoutTokenFault)) throw error
    expect([error.name, error.message]).toEqual([
      'LogoutTokenFault',
      expect.stringMatching(/^"\w+" is not as it must be\.$/),
    ])
    return error.message.split('"')[1] ?? ''
  }
}

describe('a logout token', () => {
  it('says whose sessions end, and for how long it has to be known', async () => {
    const until = now + 120 + 61
    expect(await read()).toEqual({ jti: 'jti', sub: 'ada', sid: undefined, until })
    expect(await read({ sub: undefined, sid: 's' })).toEqual({
      ...{ jti: 'jti', sub: undefined, sid: 's', until },
    })
    expect(await read({ sid: 's' })).toMatchObject({ sub: 'ada', sid: 's' })
    // It counts for ten minutes, whatever it says of its end.
    expect(await read({ exp: now + 9_000 })).toMatchObject({ until: now + 600 + 61 })
    expect(await read({ exp: now + 9.5 })).toMatchObject({ until: now + 10 + 61 })
  })

  it.each<[string, object]>([
    ['at the limits of its times', { iat: now + 60, exp: now - 59.5, nbf: now + 60 }],
    ['that is ten minutes old', { iat: now - 660, exp: now + 1 }],
    ['with a list of audiences', { aud: ['other', 'client'] }],
    ['with names of 255 characters', { sub: 's'.repeat(255), sid: 's'.repeat(255) }],
    ['with other events beside', { events: { [EVENT]: { x: 1 }, other: 1 } }],
  ])('counts %s', async (_, claims) => {
    expect(await wrongIn(read(claims))).toBe('nothing')
  })

  it.each<[string, object]>([
    ['iss', { iss: `${issuer}/` }],
    ['iss', { iss: [issuer] }],
    ['aud', { aud: 'other' }],
    ['aud', { aud: undefined }],
    ['aud', { aud: ['other'] }],
    ['aud', { aud: [] }],
    ['aud', { aud: ['client', 7] }],
    ['aud', { aud: { 0: 'client' } }],
    ['iat', { iat: now + 62 }],
    ['iat', { iat: now - 661 }],
    ['iat', { iat: undefined }],
    ['iat', { iat: String(now) }],
    ['iat', { iat: null }],
    ['exp', { exp: now - 60 }],
    ['exp', { exp: undefined }],
    ['exp', { exp: String(now + 120) }],
    ['nbf', { nbf: now + 62 }],
    ['nbf', { nbf: String(now) }],
    ['nbf', { nbf: null }],
    ['events', { events: undefined }],
    ['events', { events: null }],
    ['events', { events: EVENT }],
    ['events', { events: [EVENT] }],
    ['events', { events: {} }],
    ['events', { events: { [EVENT]: null } }],
    ['events', { events: { [EVENT]: true } }],
    ['nonce', { nonce: 'x' }],
    ['nonce', { nonce: null }],
    ['sub', { sub: '' }],
    ['sub', { sub: 7 }],
    ['sub', { sub: null, sid: 's' }],
    ['sub', { sub: 's'.repeat(256) }],
    ['sub', { sub: undefined }],
    ['sid', { sid: '' }],
    ['sid', { sid: ['s'] }],
    ['sid', { sid: null }],
    ['sid', { sid: 's'.repeat(256) }],
    ['jti', { jti: undefined }],
    ['jti', { jti: '' }],
    ['jti', { jti: 7 }],
  ])('attack: is refused because of %s: %j', async (member, claims) => {
    expect(await wrongIn(read(claims))).toBe(member)
  })

  it.each(['logout+jwt', 'LOGOUT+JWT', 'application/logout+jwt', 'JWT', undefined])(
    'may have the type %s',
    async (typ) => {
      const token = await tokenWith({}, { typ })
      expect(await wrongIn(verifyLogoutToken(connection(), token))).toBe('nothing')
    },
  )

  it('attack: is another kind of token, or no token', async () => {
    for (const typ of ['at+jwt', 'oauth-id-jag+jwt', 'secevent+jwt', '']) {
      const token = await tokenWith({}, { typ })
      expect([typ, await wrongIn(verifyLogoutToken(connection(), token))]).toEqual([typ, 'typ'])
    }
    for (const text of ['', 'a.b.c', 'token']) {
      expect(await wrongIn(verifyLogoutToken(connection(), text))).toBe('logout_token')
    }
  })

  it('attack: is signed by another key, by an algorithm that is not listed, or by none', async () => {
    const { privateKey } = await generateKeyPair('ES256')
    const [head = '', body = ''] = (await tokenWith()).split('.')
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string }
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, string>
    const forged = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', typ: 'logout+jwt', kid })
      .sign(privateKey)
    expect(await wrongIn(verifyLogoutToken(connection(), forged))).toBe('signature')
    expect(await wrongIn(read({}, { id_token_signing_alg_values_supported: ['RS256'] }))).toBe(
      'alg',
    )
    expect(await wrongIn(read({}, { id_token_signing_alg_values_supported: undefined }))).toBe(
      'alg',
    )
    const listed = { id_token_signing_alg_values_supported: ['none', 'HS256', 'ES256', undefined] }
    for (const alg of ['none', 'HS256', undefined, ['ES256'], null]) {
      const other = Buffer.from(JSON.stringify({ alg, typ: 'logout+jwt', kid })).toString(
        'base64url',
      )
      const reading = verifyLogoutToken(connection(listed), `${other}.${body}.AAAA`)
      expect([alg, await wrongIn(reading)]).toEqual([alg, Array.isArray(alg) ? 'signature' : 'alg'])
    }
  })

  it('is signed with RS256 if the provider lists no algorithm', async () => {
    const old = await testIssuer(issuer, { alg: 'RS256' })
    const none = { id_token_signing_alg_values_supported: undefined }
    const token = await tokenWith({}, { alg: 'RS256' }, old)
    expect(await verifyLogoutToken(connection(none, old), token)).toMatchObject({ sub: 'ada' })
  })

  it('nothing is asked of the provider for claims that are wrong', async () => {
    const before = idp.requests.length
    await wrongIn(read({ aud: 'other' }))
    await wrongIn(read({ jti: undefined }))
    expect(idp.requests.length).toBe(before)
  })

  it('may be good if the keys cannot be read', async () => {
    await expect(read({}, { jwks_uri: undefined })).rejects.toThrow(StoreUnavailable)
    idp.answers = { keys: () => new Response('', { status: 500 }) }
    const reading = read()
    await expect(reading).rejects.toThrow(StoreUnavailable)
    await expect(reading).rejects.toMatchObject({
      message: 'The keys of a company’s provider cannot be read now.',
      cause: { err: expect.objectContaining({ name: 'ProviderAnswerError' }) },
    })
    idp.answers = {}
    expect(await wrongIn(read())).toBe('nothing')
  })
})
