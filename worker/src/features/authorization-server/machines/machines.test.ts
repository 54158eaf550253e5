import { createTokenVerifier } from '@latchkey/session'
import { mintAccessToken } from '@latchkey/session/testing'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { secret } from '../../../test-support/browser.js'
import { fails, faulty } from '../../../test-support/faulty.js'
import { machineWorld, other } from '../../../test-support/machine-world.js'
import { claimsOf, clientSecret, issuer, resource } from '../../../test-support/oauth.js'

// Machines: apps that act for themselves (RFC 6749, 4.4).

const { pass } = clock()

const apps = {
  ci: {
    machine: true,
    secret: clientSecret,
    resources: { [resource]: ['notes:read'], [other]: true },
  },
  one: { machine: true, secret: clientSecret, resources: { [resource]: true } },
  none: { machine: true, secret: clientSecret },
  web: { secret: clientSecret, redirectUris: ['https://web.example/cb'] },
  spa: { redirectUris: ['https://spa.example/cb'] },
} as const

const world = (changes: Parameters<typeof machineWorld>[0] = {}) =>
  machineWorld({ options: { apps }, ...changes })
type World = ReturnType<typeof world>

const ask = (one: World, client_id: string, fields: Record<string, string> = {}) =>
  one.token({ grant_type: 'client_credentials', client_id, client_secret: clientSecret, ...fields })

const sub = 'machine:ci'

describe('a machine', () => {
  it('gets a token with exactly these claims', async () => {
    const one = world()
    const answer = await ask(one, 'ci', { resource, scope: 'notes:read notes:write' })
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 300,
      scope: 'notes:read',
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const now = Math.floor(Date.now() / 1000)
    expect(claimsOf(answer.accessToken)).toEqual({
      ...{ iss: issuer, sub, aud: resource, client_id: 'ci', iat: now, exp: now + 300 },
      ...{ jti: expect.stringMatching(/^[\w-]{22}$/), scope: 'notes:read', began: now },
      ...{ pid: expect.stringMatching(/^[\w-]{12}$/), machine: true },
    })
    expect(one.lines).toEqual([
      { time: new Date().toISOString(), event: 'machine-token', app: 'ci' },
    ])
  })

  it('attack: a machine, or a thief of its key, asks without end: sixty lines and records a minute', async () => {
    const one = world()
    for (let times = 0; times < 70; times++) await ask(one, 'ci', { resource })
    expect(one.lines).toHaveLength(60)
    pass(61)
    await ask(one, 'ci', { resource })
    expect(one.lines).toHaveLength(61)
  })

  it('attack: one that asks without end keeps no line of another one out', async () => {
    const one = world()
    for (let times = 0; times < 61; times++) await ask(one, 'one')
    await ask(one, 'ci', { resource })
    expect(one.lines).toHaveLength(61)
    expect(one.lines.at(-1)).toMatchObject({ app: 'ci' })
  })

  it('gets several scopes as one text', async () => {
    const scope = 'notes:read notes:write'
    const answer = await ask(world(), 'one', { scope })
    expect([answer.body.scope, claimsOf(answer.accessToken).scope]).toEqual([scope, scope])
  })

  it.each([
    [{ resource: 'https://unknown.example/' }, 'Name a resource of the app.'],
    [{ resource, scope: 'unknown' }, 'The resource has none of the scopes.'],
  ])('hears what is wrong: %j', async (fields, text) => {
    expect((await ask(world(), 'ci', fields)).body.error_description).toBe(text)
  })

  it('attack: gets no token in the name of a host that only a header says is ours', async () => {
    const one = world({ env: { AUTH_TRUSTED_ORIGINS: 'https://*.app.test' } })
    const body = new URLSearchParams({
      ...{ grant_type: 'client_credentials', client_id: 'one', client_secret: clientSecret },
    })
    const headers = { 'x-forwarded-host': 'evil.app.test', 'x-forwarded-proto': 'https' }
    const asked = new Request(`${issuer}/oauth/token`, { method: 'POST', body, headers })
    const answer = await one.answer(asked)
    expect([answer.status, await answer.text()]).toEqual([
      500,
      expect.not.stringContaining('access_token'),
    ])
  })

  it('that asks for no scope gets none', async () => {
    const answer = await ask(world(), 'ci', { resource })
    expect(answer.body.scope).toBeUndefined()
    expect(claimsOf(answer.accessToken)).not.toHaveProperty('scope')
  })

  it('gets the only resource of its list, and names one of several', async () => {
    const one = world()
    expect(claimsOf((await ask(one, 'one')).accessToken).aud).toBe(resource)
    expect((await ask(one, 'ci')).error).toBe('invalid_target')
  })

  it.each<[string, string, Record<string, string>, string]>([
    ['attack: asks for `openid`', 'ci', { resource, scope: 'openid' }, 'invalid_scope'],
    [
      'attack: asks for OpenID and for offline access',
      'ci',
      { resource, scope: 'openid profile email offline_access' },
      'invalid_scope',
    ],
    [
      'asks for a scope that is not in its list',
      'ci',
      { resource, scope: 'notes:write' },
      'invalid_scope',
    ],
    [
      'asks for an unknown resource',
      'ci',
      { resource: 'https://unknown.example/' },
      'invalid_target',
    ],
    ['attack: asks for the service itself', 'ci', { resource: issuer }, 'invalid_target'],
    ['without a list asks for a resource', 'none', { resource }, 'invalid_target'],
    ['without a list asks for none', 'none', {}, 'invalid_target'],
    ['has a wrong secret', 'ci', { resource, client_secret: `${clientSecret}x` }, 'invalid_client'],
    ['is an app that people sign in to', 'web', { resource }, 'unauthorized_client'],
    ['tries a code', 'ci', { grant_type: 'authorization_code', code: 'x' }, 'unauthorized_client'],
    [
      'tries a refresh token',
      'ci',
      { grant_type: 'refresh_token', refresh_token: 'x' },
      'unauthorized_client',
    ],
  ])('%s', async (_, id, fields, error) => {
    expect((await ask(world(), id, fields)).error).toBe(error)
  })

  it('attack: a public app has none of this', async () => {
    const fields = { grant_type: 'client_credentials', client_id: 'spa', resource }
    expect((await world().token(fields)).error).toBe('unauthorized_client')
  })

  it('no machine is there: the grant is not offered', async () => {
    const { web } = apps
    const one = machineWorld({ options: { apps: { web } } })
    expect((await ask(one, 'web')).error).toBe('unsupported_grant_type')
    const metadata = await one.send('/.well-known/openid-configuration')
    expect(metadata.body.grant_types_supported).toEqual(['authorization_code', 'refresh_token'])
  })

  it('that is no longer configured gets none', async () => {
    const { web, one } = apps
    const gone = machineWorld({ options: { apps: { web, one } } })
    expect((await ask(gone, 'ci', { resource })).error).toBe('invalid_client')
  })

  it('with a secret may show it in a header', async () => {
    const authorization = `Basic ${Buffer.from(`one:${clientSecret}`).toString('base64')}`
    const fields = { grant_type: 'client_credentials' }
    expect((await world().token(fields, { authorization })).status).toBe(200)
  })

  it('has nothing at UserInfo, and a revocation ends nothing', async () => {
    const one = world()
    const { accessToken } = await ask(one, 'ci', { resource, scope: 'notes:read' })
    const headers = { authorization: `Bearer ${accessToken}` }
    expect((await one.send('/oauth/userinfo', { headers })).status).toBe(401)
    const fields = { client_id: 'ci', client_secret: clientSecret, token: accessToken }
    expect((await one.post('/oauth/revoke', fields)).status).toBe(200)
  })

  it('a ledger that fails is 503, and works afterwards', async () => {
    const { store, faults } = faulty()
    const one = world({ store: store as never })
    faults.set('liveDocument', fails)
    expect((await ask(one, 'ci', { resource })).status).toBe(503)
    faults.delete('liveDocument')
    expect((await ask(one, 'ci', { resource })).status).toBe(200)
  })
})

describe('the operator', () => {
  const verifierOf = (one: World) =>
    createTokenVerifier({
      worker: {
        fetch: (url: unknown, init?: RequestInit) => one.answer(new Request(String(url), init)),
      },
      issuer,
      audience: resource,
      machine: true,
    })

  it('ends all tokens of a machine, and newer ones count', async () => {
    const one = world()
    const before = (await ask(one, 'ci', { resource })).accessToken
    const verifier = verifierOf(one)
    const read = async (token: string) =>
      (await verifier.read(`Bearer ${token}`)).refusal?.reason ?? 'good'
    expect(await read(before)).toBe('good')
    await one.auth.endSessions({ sub }, one.env, one.context)
    expect((await ask(one, 'ci', { resource })).status).toBe(503)
    expect(one.errors.map(String).join()).toContain('The tokens of a machine have ended just now.')
    pass(16)
    expect(await read(before)).toBe('grant-ended')
    const after = (await ask(one, 'ci', { resource })).accessToken
    expect(await read(after)).toBe('good')
    verifier.close()
  })

  it('blocks a machine: it gets none, until the block ends', async () => {
    const one = world()
    await one.auth.blockPerson({ sub }, one.env, one.context)
    pass(2)
    expect((await ask(one, 'ci', { resource })).body).toMatchObject({
      ...{ error: 'invalid_grant', error_description: 'The app may get no token.' },
    })
    expect((await ask(one, 'one', { resource })).status).toBe(200)
    await one.auth.unblockPerson(sub, one.env, one.context)
    expect((await ask(one, 'ci', { resource })).status).toBe(200)
  })
})

describe('at an API', () => {
  const verifier = (machine?: boolean | 'only') =>
    createTokenVerifier({
      secret,
      issuer,
      audience: resource,
      ...(machine === undefined ? {} : { machine }),
    })
  const minted = (changes: object = {}) =>
    mintAccessToken({ secret, issuer, audience: resource, ...changes })

  it.each<[boolean | 'only' | undefined, boolean, boolean]>([
    [undefined, true, false],
    [false, true, false],
    [true, true, true],
    ['only', false, true],
  ])(
    'attack: with machine %j it takes people (%j) and machines (%j)',
    async (machine, people, machines) => {
      const own = verifier(machine)
      for (const [options, isTaken] of [
        [{}, people],
        [{ machine: true }, machines],
      ] as const) {
        const { token, refusal } = await own.read((await minted(options)).authorization)
        expect(token?.machine).toBe(isTaken ? 'machine' in options : undefined)
        if (isTaken) continue
        expect(refusal).toMatchObject({ status: 401, error: 'invalid_token', reason: 'machine' })
        expect(refusal?.challenge).toBe(
          'Bearer error="invalid_token", error_description="The access token is not valid here"',
        )
      }
    },
  )

  it('the same answer for a token that was seen before', async () => {
    const own = verifier('only')
    const { authorization } = await minted({ machine: true })
    await own.read(authorization)
    expect(own.read(authorization)).toMatchObject({
      token: { sub: 'machine:test-app', machine: true },
    })
  })

  it('a machine never is fresh or strong', async () => {
    const own = verifier(true)
    const { authorization } = await minted({ machine: true })
    for (const needs of [{ maxAge: 1_000_000 }, { acr: '1' }, { acr: '2' }] as const) {
      const { refusal } = await own.read(authorization, needs)
      expect(refusal?.error).toBe('insufficient_user_authentication')
    }
  })

  it.each([1, 'true', 'yes', null, {}])(
    'a wrong option is an error at the start: %j',
    (machine) => {
      expect(() => verifier(machine as never)).toThrow('`machine` must be')
    },
  )

  it('a test cannot give a machine what it never has', async () => {
    for (const changes of [{ sub: 'ada' }, { acr: '2' }, { authTime: 1 }]) {
      await expect(minted({ machine: true, ...changes })).rejects.toThrow('A machine has no')
    }
  })
})

describe('the configuration', () => {
  const wrong = (app: object) => () => machineWorld({ options: { apps: { ci: app as never } } })

  it.each<[string, object, string]>([
    [
      'redirectUris',
      { machine: true, secret: clientSecret, redirectUris: ['https://x.example/'] },
      'redirectUris',
    ],
    ['device', { machine: true, secret: clientSecret, device: true }, 'device'],
    ['firstParty', { machine: true, secret: clientSecret, firstParty: true }, 'firstParty'],
    [
      'a secret beside keys',
      { machine: true, secret: clientSecret, jwksUri: 'https://x.example/' },
      'jwksUri',
    ],
    [
      'two places of keys',
      { machine: true, jwks: { keys: [] }, jwksUri: 'https://x.example/' },
      'jwks',
    ],
    ['keys at http', { machine: true, jwksUri: 'http://x.example/' }, 'jwksUri'],
    ['an empty set', { machine: true, jwks: { keys: [] } }, 'jwks'],
    ['a symmetric key', { machine: true, jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }, 'jwks'],
    [
      'a short modulus',
      { machine: true, jwks: { keys: [{ kty: 'RSA', e: 'AQAB', n: 'x'.repeat(171) }] } },
      'jwks',
    ],
    [
      'an exponent of 1',
      { machine: true, jwks: { keys: [{ kty: 'RSA', e: 'AQ', n: 'x'.repeat(342) }] } },
      'jwks',
    ],
    [
      'workloads of an app of people',
      {
        redirectUris: ['https://x.example/'],
        workloads: [{ issuer: 'https://x.example', claims: { sub: 'x' } }],
      },
      'workloads',
    ],
  ])('names a machine with %s', (_, app, name) => {
    expect(wrong(app)).toThrow(`apps.ci.${name}`)
  })

  it('names a machine that nothing proves, also by variables', async () => {
    const env = { AUTH_APP_CI_MACHINE: 'true' }
    const one = machineWorld({ env })
    const answer = await one.token({ grant_type: 'client_credentials' })
    expect(answer.status).toBe(500)
    expect(String(one.errors[0])).toContain('AUTH_APP_CI_MACHINE')
  })

  it('takes a machine by variables', async () => {
    const env = {
      AUTH_APP_CI_MACHINE: 'true',
      AUTH_APP_CI_SECRET: clientSecret,
      AUTH_APP_CI_RESOURCES: JSON.stringify({ [resource]: true }),
    }
    expect((await ask(machineWorld({ env }), 'ci')).status).toBe(200)
  })

  it('warns of a machine without a list', async () => {
    const one = world()
    await ask(one, 'ci', { resource })
    const told = one.warnings.filter(([code]) => code === 'app-resources')
    expect(told).toEqual([['app-resources', expect.stringContaining('The app none is a machine')]])
  })
})

it('the metadata says what is on', async () => {
  const { body } = await world().send('/.well-known/openid-configuration')
  expect(body.grant_types_supported).toEqual([
    'authorization_code',
    'refresh_token',
    'client_credentials',
  ])
  expect(body).not.toHaveProperty('authorization_grant_profiles_supported')
  expect(body.token_endpoint_auth_methods_supported).not.toContain('private_key_jwt')
})
