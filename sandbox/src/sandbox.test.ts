import { describe, expect, it } from 'vitest'
import { endpoints } from './home-page.js'
import { createSandbox } from './sandbox.js'
import {
  authorizeUrl,
  credentials,
  exchange,
  freshCode,
  sandboxAt,
  start,
  userInfo,
  verifier,
} from './test-support.js'

describe('sandbox', () => {
  it('lists endpoints, client keys and redirect URIs on its home page, and no secret', async () => {
    const page = await (await createSandbox().request('/')).text()
    expect(page).toContain('Video App Sandbox')
    for (const [method, path] of endpoints) expect(page).toContain(`${method} ${path}`)
    expect(page).toContain('sandbox-client-key')
    expect(page).toContain('http://127.0.0.1:8787/auth/callback/videoapp')
    expect(page).not.toContain('sandbox-client-secret')
  })

  it('records requests in order, with the outcome behind the status', async () => {
    const { sandbox } = sandboxAt()
    await sandbox.request('/')
    await sandbox.request(await authorizeUrl())
    const code = await freshCode(sandbox)
    const { body } = await exchange(sandbox, code)
    await userInfo(sandbox, body.access_token, '')
    await exchange(sandbox, code)
    await sandbox.request('/v2/oauth/token')
    expect(
      sandbox.requests.map(({ method, path, status, outcome }) => [method, path, status, outcome]),
    ).toEqual([
      ['GET', '/v2/auth/authorize/', 200, 'consent'],
      ['POST', '/v2/auth/authorize/', 303, 'ok'],
      ['POST', '/v2/oauth/token/', 200, 'ok'],
      ['GET', '/v2/user/info/', 400, 'invalid_params'],
      ['POST', '/v2/oauth/token/', 200, 'invalid_grant'],
      ['GET', '/v2/oauth/token', 404, 'not_found'],
    ])
    expect(sandbox.requests[2]).toMatchObject({
      at: start,
      contentType: 'application/x-www-form-urlencoded',
      fields: {
        client_key: 'sandbox-client-key',
        client_secret: '[hidden]',
        grant_type: 'authorization_code',
        code: '[hidden]',
      },
    })
    const log = JSON.stringify(sandbox.requests)
    for (const secret of [code, verifier, credentials.client_secret, body.access_token, 'st4te']) {
      expect(log).not.toContain(secret)
    }
  })

  it('two sandboxes share nothing', async () => {
    const [one, two] = [createSandbox(), createSandbox()]
    const code = await freshCode(one)
    expect((await exchange(two, code)).body.error).toBe('invalid_grant')
    expect((await exchange(one, code)).body.token_type).toBe('Bearer')
  })

  it('takes its randomness from an option', async () => {
    const random = (length: number) => new Uint8Array(length).fill(7)
    const codes = [
      await freshCode(createSandbox({ random })),
      await freshCode(createSandbox({ random })),
    ]
    expect(codes[0]).toBe(codes[1])
  })

  it('refuses a client that could not be registered', () => {
    expect(() =>
      createSandbox({
        clients: [
          { clientKey: 'k', clientSecret: 's', type: 'web', redirectUris: ['http://app.example/'] },
        ],
      }),
    ).toThrow(TypeError)
  })
})
