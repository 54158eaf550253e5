import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { fails, faulty } from '../../test-support/faulty.js'
import {
  challenge,
  claimsOf,
  clientSecret,
  issuer,
  oauthIsolate,
  redirectUri,
  resource,
  serverWith,
  verifier,
} from '../../test-support/oauth.js'

const { pass } = clock()

const MORE = 'https://more.example/'
const anotherVerifier = `${verifier}-another`

describe('a code gives', () => {
  it('an access token with the claims of the contract, and no others', async () => {
    const one = oauthIsolate()
    const { status, body, accessToken } = await one.grant({ sid: 'the-session-of-ada-0123456789' })
    expect(status).toBe(200)
    expect(Object.keys(body).toSorted()).toEqual(
      ['access_token', 'expires_in', 'id_token', 'refresh_token', 'scope', 'token_type'].toSorted(),
    )
    expect(body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 300,
      scope: 'openid profile notes:read',
    })
    const now = Date.now() / 1000
    const { jti, grant, pid, ...claims } = claimsOf(accessToken)
    expect(claims).toEqual({
      iss: issuer,
      sub: 'ada',
      aud: resource,
      client_id: 'spa',
      iat: now,
      exp: now + 300,
      auth_time: now - 10,
      acr: '1',
      scope: 'openid profile notes:read',
      began: now - 10,
      sid: 'the-session-of-ada-0123456789',
    })
    expect(jti).toMatch(/^[\w-]{22}$/)
    expect(grant).toMatch(/^[\w-]{22,64}$/)
    expect(pid).toMatch(/^[\w-]{12}$/)
    const header = JSON.parse(Buffer.from(accessToken.split('.')[0] ?? '', 'base64url').toString())
    expect(header).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: expect.any(String) })
  })

  it('an ID token with the claims that its scopes allow', async () => {
    const one = oauthIsolate()
    const code = {
      session: 'the-session-of-ada-0123456789',
      nonce: 'the-nonce',
      amr: ['one', 'mfa'],
    }
    const now = Date.now() / 1000
    const expected = {
      iss: issuer,
      sub: 'ada',
      aud: 'spa',
      iat: now,
      exp: now + 300,
      auth_time: now - 10,
      acr: '2',
      amr: ['one', 'mfa'],
      nonce: 'the-nonce',
      sid: 'the-session-of-ada-0123456789',
    }
    const idTokenFor = async (scopes: readonly string[]) =>
      claimsOf(String((await one.grant({ ...code, scopes })).body.id_token))
    expect(await idTokenFor(['openid'])).toEqual(expected)
    expect(await idTokenFor(['openid', 'profile', 'email'])).toEqual({
      ...expected,
      name: 'Ada',
      email: 'ada@people.example',
      email_verified: true,
    })
  })

  it('no ID token without openid, and no scope where none was granted', async () => {
    const { body, accessToken } = await oauthIsolate().grant({ scopes: [] })
    expect(Object.keys(body)).not.toContain('id_token')
    expect(Object.keys(body)).not.toContain('scope')
    expect(Object.keys(claimsOf(accessToken))).not.toContain('scope')
  })

  it('with offline_access a grant without a session, and an ID token that names the session', async () => {
    const { accessToken, body } = await oauthIsolate().grant({
      scopes: ['openid', 'offline_access'],
    })
    expect(Object.keys(claimsOf(accessToken))).not.toContain('sid')
    expect(claimsOf(String(body.id_token)).sid).toMatch(/^[\w-]{22,64}$/)
  })

  it('tokens that the algorithm of the resource signs', async () => {
    const { accessToken } = await oauthIsolate().grant({ resource: MORE })
    const [header = ''] = accessToken.split('.')
    expect(JSON.parse(Buffer.from(header, 'base64url').toString()).alg).toBe('ES256')
  })

  it('no scope that the operator has taken out meanwhile', async () => {
    const one = oauthIsolate()
    const { body, accessToken } = await one.grant({ scopes: ['openid', 'gone', 'notes:read'] })
    expect(body.scope).toBe('openid notes:read')
    expect(claimsOf(accessToken).scope).toBe('openid notes:read')
  })
})

describe('a mistake in an exchange uses no code up and ends nothing', () => {
  it.each([
    ['code injection: another app', { client_id: 'other' }, 'invalid_grant'],
    [
      'another, confidential app',
      { client_id: 'web', client_secret: clientSecret },
      'invalid_grant',
    ],
    ['a redirect URI that is another one', { redirect_uri: `${redirectUri}/` }, 'invalid_grant'],
    [
      'code substitution: the verifier of another browser',
      { code_verifier: anotherVerifier },
      'invalid_grant',
    ],
    ['PKCE downgrade: no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['PKCE downgrade: the challenge itself', { code_verifier: challenge }, 'invalid_grant'],
    ['a verifier that is too short', { code_verifier: verifier.slice(0, 42) }, 'invalid_request'],
    ['a verifier of other letters', { code_verifier: `${verifier} ` }, 'invalid_request'],
    ['another resource', { resource: MORE }, 'invalid_target'],
    ['an unknown resource', { resource: 'https://unknown.example/' }, 'invalid_target'],
  ])('%s', async (_, fields, error) => {
    const one = oauthIsolate()
    const code = await one.code()
    const wrong = await one.exchange(code, fields as Record<string, string>)
    expect([wrong.status, wrong.error]).toEqual([400, error])
    const { status, refreshToken } = await one.exchange(code)
    expect(status).toBe(200)
    pass(31)
    // It ends no grant afterwards either.
    await one.exchange(code, fields as Record<string, string>)
    expect((await one.refresh(refreshToken)).status).toBe(200)
    expect(one.warnings).toEqual([])
  })

  it('the redirect URI may be left out, and the resource repeated', async () => {
    const one = oauthIsolate()
    const answer = await one.exchange(await one.code(), { redirect_uri: '', resource })
    expect(answer.status).toBe(200)
  })

  it('a resource that is no longer configured gives no tokens', async () => {
    const one = oauthIsolate()
    const code = await one.code()
    const without = oauthIsolate({ store: one.store, server: serverWith({ resources: new Map() }) })
    expect((await without.exchange(code)).error).toBe('invalid_target')
    expect((await one.exchange(code)).status).toBe(200)
  })

  it('a code of another issuer', async () => {
    const one = oauthIsolate()
    const elsewhere = oauthIsolate({ store: one.store, config: { basePath: '/api/auth' } })
    const code = await one.code()
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: 'spa',
      code_verifier: verifier,
      code,
    })
    const address = issuer.replace('/auth', '/api/auth/oauth/token')
    const answer = await elsewhere.answer(new Request(address, { method: 'POST', body }))
    expect(((await answer.json()) as { error: string }).error).toBe('invalid_grant')
    expect((await one.exchange(code)).status).toBe(200)
  })
})

describe('code replay', () => {
  it('a second click within 30 seconds ends nothing', async () => {
    const one = oauthIsolate()
    const code = await one.code()
    const { refreshToken } = await one.exchange(code)
    pass(30)
    expect((await one.exchange(code)).error).toBe('invalid_grant')
    expect((await one.refresh(refreshToken)).status).toBe(200)
    expect(one.warnings).toEqual([])
  })

  it.each([31, 59, 61, 900])('after %i seconds ends the grant, and is logged', async (seconds) => {
    const one = oauthIsolate()
    const code = await one.code()
    const { refreshToken, accessToken } = await one.exchange(code)
    pass(seconds)
    expect((await one.exchange(code)).error).toBe('invalid_grant')
    expect((await one.refresh(refreshToken)).error).toBe('invalid_grant')
    expect((await one.userInfo(accessToken)).status).toBe(401)
    expect(one.warnings).toEqual([['code-replayed', 'spa']])
    // Once: then there is nothing left to end.
    await one.exchange(code)
    expect(one.warnings).toHaveLength(1)
  })

  it('is remembered for 15 minutes', async () => {
    const one = oauthIsolate()
    const code = await one.code()
    const { refreshToken } = await one.exchange(code)
    pass(16 * 60 + 1)
    expect((await one.exchange(code)).error).toBe('invalid_grant')
    expect((await one.refresh(refreshToken)).status).toBe(200)
  })

  it('an older grant that was refreshed since ends as well', async () => {
    const one = oauthIsolate()
    const code = await one.code()
    const { refreshToken } = await one.exchange(code)
    pass(31)
    const second = await one.refresh(refreshToken)
    await one.exchange(code)
    expect((await one.refresh(second.refreshToken)).error).toBe('invalid_grant')
  })
})

describe('a code ends', () => {
  it('after 60 seconds', async () => {
    const one = oauthIsolate()
    const [early, late] = [await one.code(), await one.code()]
    pass(59)
    expect((await one.exchange(early)).status).toBe(200)
    pass(1)
    expect((await one.exchange(late)).error).toBe('invalid_grant')
  })

  it('with the session that gave it', async () => {
    const one = oauthIsolate()
    const sid = 'the-session-of-ada-0123456789'
    const code = await one.code({ sid })
    await one.store.ledger.revoke(sid, Date.now() / 1000 + 3600)
    expect((await one.exchange(code)).error).toBe('invalid_grant')
  })

  it('with its grant: it begins no second one', async () => {
    const one = oauthIsolate()
    const code = await one.code()
    const { refreshToken } = await one.exchange(code)
    await one.revoke(refreshToken)
    expect((await one.exchange(code)).error).toBe('invalid_grant')
  })

  it('with the secret that it was made under: a retired secret makes no code good', async () => {
    const [older, newer] = [
      'an-older-secret-0123456789-0123456789',
      'a-newer-secret-0123456789-0123456789',
    ]
    const before = oauthIsolate({ config: { secret: older } })
    const codes = [await before.code(), await before.code()]
    const { store } = before
    const during = oauthIsolate({ store, config: { secret: [newer, older] } })
    expect((await during.exchange(codes[0] ?? '')).status).toBe(200)
    const after = oauthIsolate({ store, config: { secret: newer } })
    expect((await after.exchange(codes[1] ?? '')).error).toBe('invalid_grant')
  })
})

describe('a store that fails', () => {
  it('uses no code up', async () => {
    const { store, faults } = faulty()
    const one = oauthIsolate({ store })
    const code = await one.code()
    faults.set('liveDocument', fails)
    const failed = await one.exchange(code)
    expect([failed.status, failed.error]).toEqual([503, 'temporarily_unavailable'])
    expect(failed.headers.get('retry-after')).toBe('2')
    expect(failed.headers.get('cache-control')).toBe('no-store')
    faults.clear()
    expect((await one.exchange(code)).status).toBe(200)
  })

  it('after it has begun the grant, and whose answer was lost once, loses nothing', async () => {
    const { store, inner, faults } = faulty()
    const one = oauthIsolate({ store })
    const code = await one.code()
    faults.set('liveDocument', async (...args) => {
      faults.delete('liveDocument')
      await inner.ledger.liveDocument(...(args as never as [string, never]))
      throw new Error('The answer was lost.')
    })
    const { status, refreshToken } = await one.exchange(code)
    expect(status).toBe(200)
    expect((await one.refresh(refreshToken)).status).toBe(200)
  })

  it('while the bound of grants is kept costs nobody their tokens', async () => {
    const { store, faults } = faulty()
    const one = oauthIsolate({ store })
    faults.set('documentsOf', fails)
    expect((await one.grant()).status).toBe(200)
    expect(one.errors).toHaveLength(1)
  })
})
