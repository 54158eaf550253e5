import { expect, it } from 'vitest'
import { faulty } from '../../test-support/faulty.js'
import { clientSecret, oauthIsolate } from '../../test-support/oauth.js'

const made = oauthIsolate()

it.each([
  ['no grant_type', {}, 'invalid_request'],
  ['an empty grant_type', { grant_type: '' }, 'invalid_request'],
  ['the implicit grant', { grant_type: 'implicit' }, 'unsupported_grant_type'],
  [
    'passwords',
    { grant_type: 'password', username: 'ada', password: 'x' },
    'unsupported_grant_type',
  ],
  ['the app itself', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
  [
    'a device code, if no app may have one',
    { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' },
    'unsupported_grant_type',
  ],
  [
    'an API key, if there are none',
    { grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' },
    'unsupported_grant_type',
  ],
  ['a name of JavaScript', { grant_type: 'constructor' }, 'unsupported_grant_type'],
  ['a code that is missing', { grant_type: 'authorization_code' }, 'invalid_request'],
  ['a refresh token that is missing', { grant_type: 'refresh_token' }, 'invalid_request'],
])('%s is refused', async (_, fields, error) => {
  const answer = await made.post('/oauth/token', { client_id: 'spa', ...fields } as never)
  expect([answer.status, answer.error]).toEqual([400, error])
})

it('no answer is kept by a cache, and none has a cookie', async () => {
  const good = await made.grant()
  const bad = await made.refresh('made-up')
  for (const { headers } of [good, bad]) {
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  }
})

it('an error has a sentence for developers, and quotes no part of the request', async () => {
  const quoted = 'quoted-0123456789'
  const requests = [
    { grant_type: quoted, client_id: 'spa' },
    { grant_type: 'refresh_token', client_id: quoted },
    { grant_type: 'refresh_token', client_id: 'web', client_secret: quoted },
    { grant_type: 'refresh_token', client_id: 'spa', refresh_token: quoted },
    { grant_type: 'authorization_code', client_id: 'spa', code: quoted },
    { grant_type: 'authorization_code', client_id: 'spa', code: 'x', code_verifier: quoted },
  ]
  for (const fields of requests) {
    const { body, headers } = await made.post('/oauth/token', fields as never)
    expect(body.error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]{10,}$/)
    expect(JSON.stringify([body, [...headers]])).not.toContain(quoted)
  }
})

it('parameters of the address do not count', async () => {
  const query = new URLSearchParams({ client_id: 'spa', grant_type: 'refresh_token' })
  expect((await made.post(`/oauth/token?${query}`, {})).error).toBe('invalid_request')
})

it('GET is not offered', async () => {
  expect((await made.send('/oauth/token', {})).status).toBe(405)
})

it('a network that fails again and again has to wait, and others need not', async () => {
  const one = oauthIsolate()
  const from = (network: string, fields: Record<string, string>) =>
    one.post('/oauth/token', { client_id: 'web', ...fields }, { 'cf-connecting-ip': network })
  for (let tries = 0; tries < 300; tries++) {
    expect((await from('192.0.2.1', { grant_type: 'refresh_token' })).status).toBe(401)
  }
  const late = await from('192.0.2.1', { grant_type: 'refresh_token', client_secret: clientSecret })
  expect([late.status, late.error]).toEqual([429, 'temporarily_unavailable'])
  expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await from('192.0.2.2', { grant_type: 'refresh_token' })).status).toBe(401)
})

it('an app that has shown its secret need not wait, however many of its users are signed out', async () => {
  const one = oauthIsolate()
  const fields = {
    grant_type: 'refresh_token',
    client_id: 'web',
    client_secret: clientSecret,
    refresh_token: 'made-up',
  }
  for (let tries = 0; tries < 310; tries++) {
    const answer = await one.post('/oauth/token', fields, { 'cf-connecting-ip': '192.0.2.1' })
    expect(answer.error).toBe('invalid_grant')
  }
})

it('10,000 made-up codes and tokens reach no ledger', { timeout: 60_000 }, async () => {
  const { store, calls } = faulty()
  const one = oauthIsolate({ store })
  const good = await one.grant()
  const code = await one.code()
  await one.settled()
  const before = calls.length
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  /** The same text with one other letter. */
  const forged = (text: string, at: number) => {
    const place = 9 + (at % (text.length - 10))
    const other = letters[(letters.indexOf(text[place] ?? '') + 1 + (at % 63)) % 64]
    return text.slice(0, place) + other + text.slice(place + 1)
  }
  const statuses = new Set<string>()
  for (let at = 0; at < 2_500; at++) {
    const answers = await Promise.all([
      one.refresh(forged(good.refreshToken, at)),
      one.exchange(forged(code, at)),
      one.userInfo(forged(good.accessToken, at)),
      one.revoke(forged(at % 2 === 0 ? good.refreshToken : good.accessToken, at)),
    ])
    for (const { status, error } of answers) statuses.add(`${status} ${error}`)
  }
  expect([...statuses].toSorted()).toEqual([
    '200 undefined',
    '400 invalid_grant',
    '401 invalid_token',
  ])
  expect(calls.slice(before)).toEqual([])
})
