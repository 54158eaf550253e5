import { deriveAccessKeys, signAccessToken } from '@latchkey/session/issue'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { Browser, secret } from '../../test-support/browser.js'
import { fails, faulty } from '../../test-support/faulty.js'
import { claimsOf, issuer, oauthIsolate } from '../../test-support/oauth.js'

const { pass } = clock()

const INVALID =
  'Bearer error="invalid_token", error_description="The access token is not valid here"'

const person = {
  name: 'Ada',
  picture: 'https://people.example/ada.png',
  email: 'ada@people.example',
  email_verified: true,
}

describe('UserInfo answers', () => {
  it.each<[readonly string[], object]>([
    [['openid'], {}],
    [['openid', 'profile'], { name: person.name, picture: person.picture }],
    [['openid', 'email'], { email: person.email, email_verified: true }],
    [['openid', 'profile', 'email', 'offline_access'], person],
  ])('for %j', async (scopes, claims) => {
    const one = oauthIsolate()
    const { accessToken } = await one.grant({ scopes, profile: person })
    const answer = await one.userInfo(accessToken)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ sub: 'ada', ...claims })
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('the claims that a narrowed token allows', async () => {
    const one = oauthIsolate()
    const { refreshToken } = await one.grant({ scopes: ['openid', 'email'], profile: person })
    const { accessToken } = await one.refresh(refreshToken, { scope: 'openid' })
    expect((await one.userInfo(accessToken)).body).toEqual({ sub: 'ada' })
  })

  it('POST too, and a token in the body or the address does not count', async () => {
    const one = oauthIsolate()
    const { accessToken } = await one.grant()
    const authorization = `bearer ${accessToken}`
    expect((await one.post('/oauth/userinfo', {}, { authorization })).status).toBe(200)
    expect((await one.post('/oauth/userinfo', { access_token: accessToken })).status).toBe(401)
    expect((await one.send(`/oauth/userinfo?access_token=${accessToken}`, {})).status).toBe(401)
  })
})

describe('UserInfo refuses', () => {
  it.each([
    ['no token', {}],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['an empty token', { authorization: 'Bearer ' }],
  ])('%s, and asks for one', async (_, headers) => {
    const answer = await oauthIsolate().send('/oauth/userinfo', { headers })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
  })

  it('a token without openid', async () => {
    const one = oauthIsolate()
    const { accessToken } = await one.grant({ scopes: ['notes:read', 'profile'] })
    const answer = await one.userInfo(accessToken)
    expect([answer.status, answer.error]).toEqual([403, 'insufficient_scope'])
    expect(answer.headers.get('www-authenticate')).toContain('scope="openid"')
  })

  it('an expired token', async () => {
    const one = oauthIsolate()
    const { accessToken } = await one.grant()
    pass(299)
    expect((await one.userInfo(accessToken)).status).toBe(200)
    pass(1)
    const answer = await one.userInfo(accessToken)
    expect([answer.status, answer.error]).toEqual([401, 'invalid_token'])
    expect(answer.headers.get('www-authenticate')).toBe(INVALID)
  })

  it('a token whose grant or session is over, at once and in every isolate', async () => {
    const one = oauthIsolate()
    const other = oauthIsolate({ store: one.store })
    const sid = 'the-session-of-ada-0123456789'
    const grants = await Promise.all([one.grant(), one.grant({ sid })])
    for (const { accessToken } of grants)
      expect((await other.userInfo(accessToken)).status).toBe(200)
    await one.revoke(grants[0]?.refreshToken ?? '')
    await one.store.ledger.revoke(sid, Date.now() / 1000 + 3600)
    for (const { accessToken } of grants)
      expect((await other.userInfo(accessToken)).status).toBe(401)
  })

  it('tokens across uses: the feed of endings', async () => {
    const one = oauthIsolate()
    const feed = await (await one.answer(new Request(`${issuer}/revocations`))).text()
    expect(feed.split('.')).toHaveLength(3)
    expect((await one.userInfo(feed)).status).toBe(401)
  })

  it('tokens across uses: refresh tokens, ID tokens, codes and sessions', async () => {
    const one = oauthIsolate()
    const { refreshToken, body } = await one.grant()
    const ada = new Browser(one.config, { answer: one.answer })
    await ada.signIn('one', 'ada')
    const session = ada.jar.get('auth.session-token') ?? ''
    expect(session).not.toBe('')
    for (const token of [refreshToken, String(body.id_token), await one.code(), session]) {
      expect((await one.userInfo(token)).status).toBe(401)
    }
  })

  it('no session by an access, ID or refresh token', async () => {
    const one = oauthIsolate()
    const { refreshToken, accessToken, body } = await one.grant()
    for (const token of [refreshToken, accessToken, String(body.id_token)]) {
      const answer = await one.answer(
        new Request(`${issuer}/session`, { headers: { cookie: `auth.session-token=${token}` } }),
      )
      expect(await answer.json()).toBeNull()
    }
  })

  it('tokens across issuers, of another secret, and of a grant that never was', async () => {
    const one = oauthIsolate()
    const { accessToken } = await one.grant()
    const claims = claimsOf(accessToken)
    const [own] = await deriveAccessKeys([secret], 'EdDSA')
    const [foreign] = await deriveAccessKeys(['another-secret-0123456789-0123456789'], 'EdDSA')
    const signed = (changes: object, key = own) =>
      signAccessToken({ ...claims, ...changes } as never, key)
    expect((await one.userInfo(await signed({}))).status).toBe(200)
    const tokens = await Promise.all([
      signed({ iss: 'https://another.example/auth' }),
      signed({}, foreign),
      signed({ grant: 'a'.repeat(22) }),
      signed({ sub: 'grace' }),
      signed({ client_id: 'nobody' }),
      signed({ aud: 'https://unknown.example/' }),
    ])
    for (const token of tokens) expect((await one.userInfo(token)).status).toBe(401)
  })
})

it('a hostile resource server gets no claims by a token without openid, and no new tokens by any', async () => {
  const one = oauthIsolate()
  const [plain, open] = [await one.grant({ scopes: ['notes:read'] }), await one.grant()]
  expect((await one.userInfo(plain.accessToken)).status).toBe(403)
  for (const { accessToken } of [plain, open]) {
    expect((await one.refresh(accessToken)).error).toBe('invalid_grant')
    expect((await one.exchange(accessToken)).error).toBe('invalid_grant')
  }
})

it.each([
  ['letters of all the world', 'Ünï çødé|🔑 \u202e'],
  ['255 letters of four bytes', '🔑'.repeat(127)],
  ['spaces and quotes', ' "ada" \\ '],
])('the grants of a person whose id has %s are theirs alone', async (_, sub) => {
  const one = oauthIsolate()
  const [own, other] = [await one.grant({ sub }), await one.grant({ sub: 'ada' })]
  const second = await one.refresh(own.refreshToken)
  expect((await one.userInfo(second.accessToken)).body.sub).toBe(sub)
  await one.revoke(own.accessToken)
  expect((await one.refresh(second.refreshToken)).error).toBe('invalid_grant')
  expect((await one.refresh(other.refreshToken)).status).toBe(200)
})

it('UserInfo asks the ledger once, and lets the app ask again while it fails', async () => {
  const { store, calls, faults } = faulty()
  const one = oauthIsolate({ store })
  const { accessToken } = await one.grant()
  const before = calls.length
  await one.userInfo(accessToken)
  expect(calls.slice(before).map(({ name }) => name)).toEqual(['liveDocument'])
  faults.set('liveDocument', fails)
  const failed = await one.userInfo(accessToken)
  expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '2'])
})
