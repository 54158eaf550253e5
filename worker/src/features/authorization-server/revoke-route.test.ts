import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { fails, faulty } from '../../test-support/faulty.js'
import { claimsOf, clientSecret, oauthIsolate } from '../../test-support/oauth.js'

const { pass } = clock()

it.each([
  ['a refresh token', 'refreshToken', {}],
  ['an access token', 'accessToken', {}],
  ['a token with a wrong hint', 'accessToken', { token_type_hint: 'refresh_token' }],
  ['a token with an unknown hint', 'refreshToken', { token_type_hint: 'x' }],
] as const)('%s ends its grant, and no other', async (_, which, fields) => {
  const one = oauthIsolate()
  const [ended, kept] = await Promise.all([one.grant(), one.grant()])
  const answer = await one.revoke(ended[which], fields)
  expect([answer.status, answer.body]).toEqual([200, {}])
  expect((await one.refresh(ended.refreshToken)).error).toBe('invalid_grant')
  expect((await one.userInfo(ended.accessToken)).status).toBe(401)
  expect((await one.refresh(kept.refreshToken)).status).toBe(200)
  const { sessions } = await one.store.ledger.revokedSince(0)
  expect(sessions.map(({ sid }) => sid)).toEqual([claimsOf(ended.accessToken).grant])
})

it('a used refresh token ends the grant as well', async () => {
  const one = oauthIsolate()
  const { refreshToken } = await one.grant()
  pass(100)
  const second = await one.refresh(refreshToken)
  await one.revoke(refreshToken)
  expect((await one.refresh(second.refreshToken)).error).toBe('invalid_grant')
})

it('an unknown token, or another app’s, gets the same answer and changes nothing', async () => {
  const { store, calls } = faulty()
  const one = oauthIsolate({ store })
  const { refreshToken, accessToken, body } = await one.grant()
  const before = calls.length
  const others = [
    { client_id: 'other' },
    { client_id: 'web', client_secret: clientSecret },
  ] as Record<string, string>[]
  for (const fields of others) {
    for (const token of [refreshToken, accessToken]) {
      expect((await one.revoke(token, fields)).status).toBe(200)
    }
  }
  for (const token of ['made-up', String(body.id_token), await one.code()]) {
    expect((await one.revoke(token)).status).toBe(200)
  }
  pass(300)
  expect((await one.revoke(accessToken)).status).toBe(200)
  expect(calls.slice(before)).toEqual([])
  expect((await one.refresh(refreshToken)).status).toBe(200)
})

it('it costs two calls, and one if the grant is over', async () => {
  const { store, calls } = faulty()
  const one = oauthIsolate({ store })
  const { refreshToken } = await one.grant()
  const before = calls.length
  await one.revoke(refreshToken)
  expect(calls.slice(before).map(({ name }) => name)).toEqual(['document', 'endAll'])
  await one.revoke(refreshToken)
  expect(calls.slice(before + 2).map(({ name }) => name)).toEqual(['document'])
})

it('the app has to authenticate itself, and to send a token', async () => {
  const one = oauthIsolate()
  const { refreshToken } = await one.grant()
  const refused = await one.revoke(refreshToken, { client_id: 'web' })
  expect([refused.status, refused.error]).toEqual([401, 'invalid_client'])
  const empty = await one.revoke('')
  expect([empty.status, empty.error]).toEqual([400, 'invalid_request'])
  expect((await one.refresh(refreshToken)).status).toBe(200)
})

it('while the store fails the app may ask again', async () => {
  const { store, faults } = faulty()
  const one = oauthIsolate({ store })
  const { refreshToken } = await one.grant()
  for (const method of ['document', 'endAll'] as const) {
    faults.set(method, fails)
    const failed = await one.revoke(refreshToken)
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '2'])
    faults.clear()
  }
  expect((await one.refresh(refreshToken)).status).toBe(200)
  expect((await one.revoke(refreshToken)).status).toBe(200)
  expect((await one.refresh(refreshToken)).error).toBe('invalid_grant')
})
