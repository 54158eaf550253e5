import { describe, expect, it } from 'vitest'
import { defaultClient } from './clients.js'
import { challengeOf } from './digest.js'
import {
  authorizeUrl,
  codeOf,
  credentials,
  decide,
  exchange,
  freshCode,
  post,
  redirectUri,
  refresh,
  sandboxAt,
  userInfo,
  verifier,
} from './test-support.js'

const other = {
  ...defaultClient,
  clientKey: 'other-key',
  clientSecret: 'other-secret',
}
const clients = [defaultClient, other]
const asOther = { client_key: 'other-key', client_secret: 'other-secret' }

const refused = (error: string) => ({
  status: 200,
  body: {
    error,
    error_description: expect.any(String),
    log_id: expect.stringMatching(/^\d{14}[\dA-F]{18}$/),
  },
})

describe('token: a code is exchanged for tokens', () => {
  it('answers with the fields of the real server', async () => {
    const { sandbox } = sandboxAt()
    expect(await exchange(sandbox, await freshCode(sandbox))).toEqual({
      status: 200,
      body: {
        open_id: expect.stringMatching(/^[\da-f-]{36}$/),
        scope: 'user.info.basic,user.info.profile,user.info.stats',
        access_token: expect.stringMatching(/^act\./),
        expires_in: 7200,
        refresh_token: expect.stringMatching(/^rft\./),
        refresh_expires_in: 15_552_000,
        token_type: 'Bearer',
      },
    })
  })

  it('a person may grant a part; the basic scope is granted always', async () => {
    const { sandbox } = sandboxAt()
    const part = await exchange(sandbox, await freshCode(sandbox, { scope: ['user.info.stats'] }))
    expect(part.body.scope).toBe('user.info.basic,user.info.stats')
    const least = await exchange(sandbox, await freshCode(sandbox, { scope: [] }))
    expect(least.body.scope).toBe('user.info.basic')
  })

  it.each([
    ['no client_key', { client_key: undefined }, 'invalid_request'],
    [
      'client_id only',
      { client_key: undefined, client_id: 'sandbox-client-key' },
      'invalid_request',
    ],
    ['no client_secret', { client_secret: undefined }, 'invalid_request'],
    ['client_key=undefined', { client_key: 'undefined' }, 'invalid_client'],
    ['a wrong secret', { client_secret: 'wrong' }, 'invalid_client'],
    ['no grant_type', { grant_type: undefined }, 'invalid_request'],
    ['another grant_type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no code', { code: undefined }, 'invalid_request'],
    ['an unknown code', { code: 'x*0!1' }, 'invalid_grant'],
    ['no redirect_uri', { redirect_uri: undefined }, 'invalid_request'],
    [
      'another registered redirect_uri',
      { redirect_uri: redirectUri.replace('localhost', '127.0.0.1') },
      'invalid_grant',
    ],
    ['no verifier', { code_verifier: undefined }, 'invalid_request'],
    ['another verifier', { code_verifier: `${verifier}x` }, 'invalid_grant'],
    ['a malformed verifier', { code_verifier: 'short' }, 'invalid_grant'],
  ])('%s is an error with status 200', async (_, changes, error) => {
    const { sandbox } = sandboxAt()
    expect(await exchange(sandbox, await freshCode(sandbox), changes)).toEqual(refused(error))
  })

  it('errors have status 400 on request', async () => {
    const { sandbox } = sandboxAt({ tokenErrorStatus: 400 })
    expect((await exchange(sandbox, 'x')).status).toBe(400)
  })

  it('takes a code byte-exact: a code encoded twice, or not decoded, is unknown', async () => {
    const { sandbox } = sandboxAt()
    const code = await freshCode(sandbox)
    const twice = code.replace('*', '%2A').replace('!', '%21')
    expect(await exchange(sandbox, twice)).toEqual(refused('invalid_grant'))
    expect((await exchange(sandbox, code)).body.token_type).toBe('Bearer')
  })

  it('ignores an additional client_id, as oauth4webapi sends it', async () => {
    const { sandbox } = sandboxAt()
    const answer = await exchange(sandbox, await freshCode(sandbox), { client_id: 'any' })
    expect(answer.body.token_type).toBe('Bearer')
  })

  it('takes a hex challenge from a client that registered so', async () => {
    const { sandbox } = sandboxAt({ clients: [{ ...defaultClient, challenge: 'hex' }] })
    const url = await authorizeUrl({ code_challenge: await challengeOf(verifier, 'hex') })
    const answer = await exchange(sandbox, codeOf(await decide(sandbox, url)))
    expect(answer.body.token_type).toBe('Bearer')
  })
})

describe('token: form of the request', () => {
  const fields = { ...credentials, grant_type: 'authorization_code', code: 'x' }
  const send = async (path: string, init: RequestInit) => {
    const response = await sandboxAt().sandbox.request(path, { method: 'POST', ...init })
    return { status: response.status, body: await response.json() }
  }

  it('refuses JSON', async () => {
    const headers = { 'content-type': 'application/json' }
    expect(await send('/v2/oauth/token/', { headers, body: JSON.stringify(fields) })).toEqual(
      refused('invalid_request'),
    )
  })

  it('refuses multipart', async () => {
    const body = new FormData()
    for (const [name, value] of Object.entries(fields)) body.set(name, value)
    expect(await send('/v2/oauth/token/', { body })).toEqual(refused('invalid_request'))
  })

  it('refuses parameters in the URL', async () => {
    const body = new URLSearchParams(fields)
    expect(await send('/v2/oauth/token/?client_key=x', { body })).toEqual(
      refused('invalid_request'),
    )
  })

  it('refuses a field sent twice', async () => {
    const body = new URLSearchParams(fields)
    body.append('client_key', credentials.client_key)
    expect(await send('/v2/oauth/token/', { body })).toMatchObject({
      body: { error: 'invalid_request', error_description: '"client_key" is sent twice' },
    })
  })

  it('does not take credentials from the Authorization header', async () => {
    const headers = { authorization: `Basic ${btoa('sandbox-client-key:sandbox-client-secret')}` }
    const body = new URLSearchParams({ grant_type: 'authorization_code', code: 'x' })
    expect(await send('/v2/oauth/token/', { headers, body })).toEqual(refused('invalid_request'))
  })

  it('is not found without the slash at the end, or by GET', async () => {
    const { sandbox } = sandboxAt()
    expect((await sandbox.request('/v2/oauth/token', { method: 'POST' })).status).toBe(404)
    expect((await sandbox.request('/v2/oauth/token/')).status).toBe(404)
  })
})

describe('token: a code works once', () => {
  it('a second use is refused and revokes the tokens of the first', async () => {
    const { sandbox } = sandboxAt()
    const code = await freshCode(sandbox)
    const first = await exchange(sandbox, code)
    expect(await exchange(sandbox, code)).toEqual(refused('invalid_grant'))
    const info = await userInfo(sandbox, first.body.access_token, '?fields=open_id')
    expect(info.error.code).toBe('access_token_invalid')
    expect(await refresh(sandbox, first.body.refresh_token)).toEqual(refused('invalid_grant'))
  })

  it('two uses at once leave no valid token', async () => {
    const { sandbox } = sandboxAt()
    const code = await freshCode(sandbox)
    const answers = await Promise.all([exchange(sandbox, code), exchange(sandbox, code)])
    for (const { body } of answers) {
      const info = await userInfo(sandbox, body.access_token, '?fields=open_id')
      expect(info.status).toBe(401)
    }
  })

  it('a failed attempt uses up the code', async () => {
    const { sandbox } = sandboxAt()
    const code = await freshCode(sandbox)
    await exchange(sandbox, code, { code_verifier: `${verifier}x` })
    expect(await exchange(sandbox, code)).toEqual(refused('invalid_grant'))
  })

  it('another client gets nothing for the code and does not use it up', async () => {
    const { sandbox } = sandboxAt({ clients })
    const code = await freshCode(sandbox)
    expect(await exchange(sandbox, code, asOther)).toEqual(refused('invalid_grant'))
    expect((await exchange(sandbox, code)).body.token_type).toBe('Bearer')
  })

  it('ends after a minute', async () => {
    const { sandbox, clock } = sandboxAt()
    const [early, late] = [await freshCode(sandbox), await freshCode(sandbox)]
    clock.now += 59_999
    expect((await exchange(sandbox, early)).body.token_type).toBe('Bearer')
    clock.now += 1
    expect(await exchange(sandbox, late)).toEqual(refused('invalid_grant'))
  })
})

describe('token: refresh', () => {
  it('rotates, and the old refresh token is invalid at once', async () => {
    const { sandbox, clock } = sandboxAt()
    const first = await exchange(sandbox, await freshCode(sandbox, { scope: ['user.info.stats'] }))
    clock.now += 10_000
    const second = await refresh(sandbox, first.body.refresh_token)
    expect(second.body).toMatchObject({
      open_id: first.body.open_id,
      scope: 'user.info.basic,user.info.stats',
      expires_in: 7200,
      // Counted from the first issue.
      refresh_expires_in: 15_552_000 - 10,
    })
    expect(second.body.refresh_token).not.toBe(first.body.refresh_token)
    expect(second.body.access_token).not.toBe(first.body.access_token)
    expect(await refresh(sandbox, first.body.refresh_token)).toEqual(refused('invalid_grant'))
    expect((await refresh(sandbox, second.body.refresh_token)).body.token_type).toBe('Bearer')
  })

  it('only one of two simultaneous requests gets tokens', async () => {
    const { sandbox } = sandboxAt()
    const { body } = await exchange(sandbox, await freshCode(sandbox))
    const answers = await Promise.all([
      refresh(sandbox, body.refresh_token),
      refresh(sandbox, body.refresh_token),
    ])
    expect(answers.filter((answer) => 'access_token' in answer.body)).toHaveLength(1)
  })

  it('refuses another client, an expired token and an access token', async () => {
    const { sandbox, clock } = sandboxAt({ clients })
    const { body } = await exchange(sandbox, await freshCode(sandbox))
    expect(await refresh(sandbox, body.refresh_token, asOther)).toEqual(refused('invalid_grant'))
    expect(await refresh(sandbox, body.access_token)).toEqual(refused('invalid_grant'))
    expect(await refresh(sandbox, '')).toEqual(refused('invalid_request'))
    clock.now += 15_552_000_000
    expect(await refresh(sandbox, body.refresh_token)).toEqual(refused('invalid_grant'))
  })
})

describe('revoke', () => {
  const revoke = (sandbox: Parameters<typeof post>[0], token: unknown, changes = {}) =>
    post(sandbox, '/v2/oauth/revoke/', { ...credentials, token: String(token), ...changes })

  it.each(['access_token', 'refresh_token'])('by %s ends the whole grant', async (name) => {
    const { sandbox } = sandboxAt()
    const { body } = await exchange(sandbox, await freshCode(sandbox))
    expect(await revoke(sandbox, body[name])).toEqual({ status: 200, body: {} })
    expect((await userInfo(sandbox, body.access_token, '?fields=open_id')).status).toBe(401)
    expect(await refresh(sandbox, body.refresh_token)).toEqual(refused('invalid_grant'))
  })

  it('an unknown token is not an error', async () => {
    expect(await revoke(sandboxAt().sandbox, 'act.x')).toEqual({ status: 200, body: {} })
  })

  it('refuses a wrong secret, a missing token and another client, and revokes nothing', async () => {
    const { sandbox } = sandboxAt({ clients })
    const { body } = await exchange(sandbox, await freshCode(sandbox))
    const token = body.access_token
    expect(await revoke(sandbox, token, { client_secret: 'x' })).toEqual(refused('invalid_client'))
    expect(await revoke(sandbox, '')).toEqual(refused('invalid_request'))
    expect(await revoke(sandbox, token, asOther)).toEqual(refused('invalid_grant'))
    expect((await userInfo(sandbox, token, '?fields=open_id')).status).toBe(200)
  })
})
