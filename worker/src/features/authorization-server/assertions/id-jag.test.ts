import { createTokenVerifier } from '@latchkey/session'
import { beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { customFetch } from '../../../lib/symbols.js'
import { subjectOf } from '../../../person/subject.js'
import oidc from '../../../providers/oidc.js'
import { fails, faulty, type StoreMethod } from '../../../test-support/faulty.js'
import { type TestIssuer, testIssuer } from '../../../test-support/issuer.js'
import { machineWorld, other } from '../../../test-support/machine-world.js'
import { claimsOf, clientSecret, issuer, resource } from '../../../test-support/oauth.js'
import {
  type Claims,
  signed,
  signedText,
  type TestKey,
  testKey,
} from '../../../test-support/oauth-keys.js'
import type { AuthConfig } from '../../../types.js'

// ID-JAG: draft-ietf-oauth-identity-assertion-authz-grant, and MCP's "Enterprise-Managed Authorization".

const { pass } = clock()

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const company = 'https://idp.company.example'
const now = () => Math.floor(Date.now() / 1000)

let idp: TestIssuer
let key: TestKey
let stranger: TestKey
beforeAll(async () => {
  idp = await testIssuer(company, { alg: 'ES256' })
  const [published] = idp.jwks().keys as [{ kid: string }]
  key = { kid: published.kid, alg: 'ES256', privateKey: idp.privateKey(), jwk: published as never }
  stranger = await testKey('ES256')
})

const provider = () =>
  oidc({
    id: 'work',
    name: 'Work',
    issuer: company,
    clientId: 'the-client-id',
    clientSecret: 'the-client-secret',
    [customFetch]: idp.fetch,
  } as never)

function world({
  config = {} as Partial<AuthConfig>,
  options = {} as object,
  ...changes
}: { config?: Partial<AuthConfig>; options?: object } & Omit<
  Parameters<typeof machineWorld>[0] & object,
  'config' | 'options'
> = {}) {
  const redirectUris = ['https://agent.example/cb']
  return machineWorld({
    ...changes,
    config: { providers: [provider() as never], ...config },
    options: {
      apps: {
        agent: { secret: clientSecret, redirectUris },
        second: { secret: clientSecret, redirectUris },
        narrow: { secret: clientSecret, redirectUris, resources: { [resource]: ['notes:read'] } },
        spa: { redirectUris },
        ci: { machine: true, secret: clientSecret, resources: { [resource]: true } },
      },
      trustedIssuers: { [company]: { provider: 'work', apps: ['agent', 'narrow'] } },
      ...options,
    },
  })
}

type World = ReturnType<typeof world>

const jag = (changes: Claims = {}): Claims => ({
  ...{ iss: company, sub: 'ada-at-work', aud: issuer, client_id: 'agent', resource },
  ...{ jti: crypto.randomUUID(), iat: now(), exp: now() + 300, scope: 'notes:read notes:write' },
  ...{ email: 'ada@company.example', auth_time: now() - 600 },
  ...changes,
})

const send = (one: World, assertion: string, fields: Record<string, string> = {}) =>
  one.token({
    ...{ grant_type: JWT_BEARER, client_id: 'agent', client_secret: clientSecret, assertion },
    ...fields,
  })

const typ = 'oauth-id-jag+jwt'
const assertion = (changes: Claims = {}, header: Claims = { typ }, by = key) =>
  signed(by, jag(changes), header)

async function verdict(one: World, changes: Claims = {}, header?: Claims, by?: TestKey) {
  const { status, error } = await send(one, await assertion(changes, header, by))
  return [status, error ?? 'token'].join(' ')
}

const good = '200 token'
const bad = '400 invalid_grant'

describe('an assertion about a person', () => {
  it('gets a token for the person that the account signs in on the web, before their first sign-in', async () => {
    const one = world()
    const answer = await send(one, await assertion())
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      ...{ token_type: 'Bearer', expires_in: 300, scope: 'notes:read notes:write', resource },
    })
    const claims = claimsOf(answer.accessToken)
    expect(claims).toEqual({
      ...{ iss: issuer, sub: await subjectOf('work', 'ada-at-work'), aud: resource },
      ...{ client_id: 'agent', iat: now(), exp: now() + 300, jti: expect.any(String) },
      ...{ auth_time: now() - 600, acr: '1', scope: 'notes:read notes:write' },
      ...{ grant: expect.any(String), began: now(), pid: expect.any(String) },
    })
    expect(one.lines).toContainEqual(
      expect.objectContaining({ event: 'assertion-used', provider: 'work', app: 'agent' }),
    )
    const own = createTokenVerifier({
      worker: {
        fetch: (url: unknown, init?: RequestInit) => one.answer(new Request(String(url), init)),
      },
      issuer,
      audience: resource,
    })
    const read = await own.read(`Bearer ${answer.accessToken}`, { scope: 'notes:read' })
    expect(read.token?.machine).toBe(false)
    own.close()
  })

  it('the time of an assertion counts, if it says no time of a sign-in', async () => {
    const answer = await send(world(), await assertion({ auth_time: undefined, iat: now() - 9 }))
    expect(claimsOf(answer.accessToken)).toMatchObject({ auth_time: now() - 9, began: now() - 9 })
  })

  it('has one grant for a person, an app and a resource', async () => {
    const one = world()
    const grants = new Set<unknown>()
    for (let times = 0; times < 3; times++) {
      grants.add(claimsOf((await send(one, await assertion())).accessToken).grant)
    }
    expect(grants.size).toBe(1)
    const elsewhere = await send(one, await assertion({ resource: other, scope: 'more:read' }))
    grants.add(claimsOf(elsewhere.accessToken).grant)
    expect(grants.size).toBe(2)
    const sub = await subjectOf('work', 'ada-at-work')
    const apps = await one.auth.listApps(sub, one.env, one.context)
    expect(apps.map(({ app, offline, resource: of }) => [app, offline, of]).toSorted()).toEqual(
      [
        ['agent', false, resource],
        ['agent', false, other],
      ].toSorted(),
    )
  })

  it.each<[string, Claims, Record<string, string>, string]>([
    ['all that it asks for', {}, {}, 'notes:read notes:write'],
    ['the scopes of the request', {}, { scope: 'notes:write' }, 'notes:write'],
    ['the scopes of the resource', { scope: 'notes:read unknown' }, {}, 'notes:read'],
    ['nothing of OpenID', { scope: 'openid notes:read offline_access' }, {}, 'notes:read'],
  ])('has the scopes: %s', async (_, claims, fields, scope) => {
    const { body } = await send(world(), await assertion(claims), fields)
    expect(body.scope).toBe(scope)
    expect(body).not.toHaveProperty('id_token')
    expect(body).not.toHaveProperty('refresh_token')
  })

  it('has no scope if it asks for none, and is refused if none is left', async () => {
    const one = world()
    const none = await send(one, await assertion({ scope: undefined }))
    expect(none.body).not.toHaveProperty('scope')
    expect((await send(one, await assertion({ scope: 'openid' }))).error).toBe('invalid_scope')
    expect(
      (await send(one, await assertion({ scope: undefined }), { scope: 'notes:read' })).error,
    ).toBe('invalid_scope')
    const narrow = { client_id: 'narrow' }
    const fewer = await send(one, await assertion({ client_id: 'narrow' }), narrow)
    expect(fewer.body.scope).toBe('notes:read')
  })

  it('may name the resource again, and no other', async () => {
    const one = world()
    expect((await send(one, await assertion(), { resource })).status).toBe(200)
    expect((await send(one, await assertion(), { resource: other })).error).toBe('invalid_target')
  })
})

describe('attack: an assertion is refused', () => {
  it.each<[string, () => Claims]>([
    ['for another audience', () => ({ aud: 'https://other.example' })],
    ['for this audience and another one', () => ({ aud: [issuer, 'https://other.example'] })],
    ['for the token endpoint', () => ({ aud: `${issuer}/oauth/token` })],
    ['for another client', () => ({ client_id: 'second' })],
    ['for no client', () => ({ client_id: undefined })],
    ['for another resource', () => ({ resource: 'https://other.example/' })],
    ['for two resources', () => ({ resource: [resource, other] })],
    ['for no resource', () => ({ resource: undefined })],
    ['of another issuer', () => ({ iss: 'https://other.example' })],
    ['about nobody', () => ({ sub: undefined })],
    ['that has ended', () => ({ exp: now() })],
    ['that lasts for more than an hour', () => ({ exp: now() + 3_601 })],
    ['without an end', () => ({ exp: undefined })],
    ['without a beginning', () => ({ iat: undefined })],
    ['from the future', () => ({ iat: now() + 61, exp: now() + 300 })],
    ['for later', () => ({ nbf: now() + 61 })],
    ['without an id', () => ({ jti: undefined })],
    ['with a list of scopes', () => ({ scope: ['notes:read'] })],
    ['with a key that its holder has to prove', () => ({ cnf: { jkt: 'x' } })],
    ['with rights that nobody here understands', () => ({ authorization_details: [] })],
  ])('%s', async (_, claims) => {
    expect(await verdict(world(), claims())).toBe(bad)
  })

  it('with another type or none, by another key or none', async () => {
    const one = world()
    for (const other of ['JWT', 'at+jwt', 'logout+jwt', undefined]) {
      expect(await verdict(one, {}, { typ: other })).toBe(bad)
    }
    expect(await verdict(one, {}, { typ }, stranger)).toBe(bad)
    expect(await verdict(one, {}, { typ, kid: key.kid }, stranger)).toBe(bad)
    const [, body = ''] = (await assertion()).split('.')
    for (const alg of ['none', 'HS256']) {
      const head = Buffer.from(JSON.stringify({ alg, typ, kid: key.kid })).toString('base64url')
      expect((await send(one, `${head}.${body}.AAAA`)).error).toBe('invalid_grant')
    }
  })

  it('with a member twice', async () => {
    const head = JSON.stringify({ alg: 'ES256', kid: key.kid, typ })
    const twice = JSON.stringify(jag()).replace('{', '{"sub":"mallory",')
    expect((await send(world(), await signedText(key, twice, head))).error).toBe('invalid_grant')
  })

  it('of 16,385 characters', async () => {
    const text = await assertion({ pad: 'x'.repeat(16_000) })
    expect(text.length).toBeGreaterThan(16_384)
    expect((await send(world(), text)).error).toBe('invalid_grant')
  })

  it('that comes twice, at once too: one token', async () => {
    const one = world()
    const text = await assertion()
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(one, text)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await send(one, text)).error).toBe('invalid_grant')
  })

  it('that a public app brings, a machine, and an app that the issuer is not trusted for', async () => {
    const one = world()
    const ofPublic = {
      grant_type: JWT_BEARER,
      client_id: 'spa',
      assertion: await assertion({ client_id: 'spa' }),
    }
    expect((await one.token(ofPublic)).error).toBe('unauthorized_client')
    const machine = { client_id: 'ci' }
    expect((await send(one, await assertion(machine), machine)).error).toBe('unauthorized_client')
    const second = { client_id: 'second' }
    expect((await send(one, await assertion(second), second)).error).toBe('invalid_grant')
    expect((await send(one, await assertion(), second)).error).toBe('invalid_grant')
    expect((await send(one, await assertion(), { client_secret: 'x' })).error).toBe(
      'invalid_client',
    )
  })

  it('and the answer is the same for all causes, which the log tells apart', async () => {
    const one = world()
    const answers = new Set<string>()
    for (const changes of [{ aud: 'x' }, { client_id: 'x' }, { exp: 1 }, { resource: 'x' }]) {
      answers.add(JSON.stringify((await send(one, await assertion(changes))).body))
    }
    expect(answers.size).toBe(1)
    expect(one.warnings.map(([, detail]) => detail)).toEqual([
      'agent: audience',
      'agent: client',
      'agent: times',
      'agent: resource',
    ])
  })
})

describe('the person', () => {
  const sub = () => subjectOf('work', 'ada-at-work')

  it('is refused while blocked', async () => {
    const one = world()
    await one.auth.blockPerson({ sub: await sub() }, one.env, one.context)
    pass(2)
    expect(await verdict(one)).toBe(bad)
    expect(one.warnings.at(-1)).toEqual(['assertion-refused', 'agent: person'])
    await one.auth.unblockPerson(await sub(), one.env, one.context)
    expect(await verdict(one)).toBe(good)
  })

  it('is asked of the signIn callback, with the claims as the profile', async () => {
    const seen: unknown[] = []
    const signIn = ({ account, profile }: { account: object; profile?: object }) => {
      seen.push([account, profile])
      return false
    }
    const one = world({ config: { callbacks: { signIn: signIn as never } } })
    expect(await verdict(one)).toBe(bad)
    expect(seen).toEqual([
      [
        expect.objectContaining({ provider: 'work', type: 'oidc' }),
        expect.objectContaining({ email: 'ada@company.example', client_id: 'agent' }),
      ],
    ])
    const elsewhere = world({ config: { callbacks: { signIn: () => '/elsewhere' } } })
    expect(await verdict(elsewhere)).toBe(bad)
  })
})

describe('an end', () => {
  const endings: [string, (one: World, sub: string, token: string) => Promise<unknown>][] = [
    ['endApp', (one, sub) => one.auth.endApp(sub, 'agent', one.env, one.context)],
    [
      '/oauth/revoke',
      (one, _sub, token) =>
        one.post('/oauth/revoke', { client_id: 'agent', client_secret: clientSecret, token }),
    ],
    ['"everywhere"', (one, sub) => one.auth.endSessions({ sub }, one.env, one.context)],
  ]

  it.each(endings)(
    'by %s refuses assertions from before, and a newer one begins anew',
    async (_, end) => {
      const one = world()
      const before = await assertion()
      const { accessToken } = await send(one, await assertion())
      const sub = String(claimsOf(accessToken).sub)
      const verifier = createTokenVerifier({
        worker: {
          fetch: (url: unknown, init?: RequestInit) => one.answer(new Request(String(url), init)),
        },
        issuer,
        audience: resource,
      })
      expect((await verifier.read(`Bearer ${accessToken}`)).refusal).toBeNull()
      pass(2)
      await end(one, sub, accessToken)
      expect((await send(one, before)).error).toBe('invalid_grant')
      pass(16)
      expect((await verifier.read(`Bearer ${accessToken}`)).refusal?.reason).toBe('grant-ended')
      const after = await send(one, await assertion())
      expect(after.status).toBe(200)
      expect((await verifier.read(`Bearer ${after.accessToken}`)).refusal).toBeNull()
      pass(16)
      expect((await verifier.read(`Bearer ${after.accessToken}`)).refusal).toBeNull()
      // And again.
      await end(one, sub, after.accessToken)
      pass(16)
      expect((await verifier.read(`Bearer ${after.accessToken}`)).refusal?.reason).toBe(
        'grant-ended',
      )
      expect(await verdict(one)).toBe(good)
      verifier.close()
    },
  )

  it('is listed as ended, and listed anew', async () => {
    const one = world()
    const { accessToken } = await send(one, await assertion())
    const sub = String(claimsOf(accessToken).sub)
    const listed = async () => (await one.auth.listApps(sub, one.env, one.context)).length
    expect(await listed()).toBe(1)
    pass(2)
    await one.auth.endSessions({ sub }, one.env, one.context)
    expect(await listed()).toBe(0)
    pass(2)
    await send(one, await assertion())
    expect(await listed()).toBe(1)
  })
})

describe('a store that fails', () => {
  it.each<StoreMethod>(['enter', 'liveDocument', 'documentsOf'])(
    'at %s is 503, and the same assertion counts afterwards',
    async (method) => {
      const { store, faults } = faulty()
      const one = world({ store: store as never })
      const text = await assertion()
      faults.set(method, fails)
      const failed = await send(one, text)
      faults.delete(method)
      // The bounds are left to the next grant that begins.
      if (method === 'documentsOf') return expect(failed.status).toBe(200)
      expect(failed.status).toBe(503)
      expect((await send(one, text)).status).toBe(200)
      expect((await send(one, text)).error).toBe('invalid_grant')
    },
  )

  it('an issuer is asked by the fetch of the authorization server, if its provider has none', async () => {
    const own = oidc({ id: 'work', issuer: company, clientId: 'x', clientSecret: 'y' } as never)
    const asked: string[] = []
    const fetch = (async (url: string, init: RequestInit) => {
      asked.push(url)
      return idp.fetch(url, init)
    }) as unknown as typeof globalThis.fetch
    const one = world({ config: { providers: [own as never] }, options: { fetch } })
    expect(await verdict(one)).toBe(good)
    expect(await verdict(one)).toBe(good)
    expect(asked).toHaveLength(2)
  })

  it('attack: wrong assertions of an app that has proved itself count against its network', async () => {
    const one = world()
    const headers = { 'cf-connecting-ip': '192.0.2.9' }
    const text = await assertion({ aud: 'https://other.example' })
    const fields = { grant_type: JWT_BEARER, client_id: 'agent', client_secret: clientSecret }
    const statuses: number[] = []
    for (let times = 0; times < 305; times++) {
      statuses.push((await one.token({ ...fields, assertion: text }, headers)).status)
    }
    expect([statuses.indexOf(429), statuses.at(-1)]).toEqual([300, 429])
  })

  it('an issuer that does not answer is 503', async () => {
    const down = await testIssuer('https://down.example', { alg: 'ES256' })
    down.answers['openid-configuration'] = () => new Response('', { status: 500 })
    const own = oidc({
      id: 'work',
      issuer: down.issuer,
      clientId: 'x',
      clientSecret: 'y',
      [customFetch]: down.fetch,
    } as never)
    const trustedIssuers = { [down.issuer]: { provider: 'work', apps: ['agent'] } }
    const one = world({ config: { providers: [own as never] }, options: { trustedIssuers } })
    const text = await assertion({ iss: down.issuer })
    expect((await send(one, text)).status).toBe(503)
  })
})

describe('a mistake of the configuration', () => {
  it.each<[string, object]>([
    ['a public app', { provider: 'work', apps: ['spa'] }],
    ['an unknown app', { provider: 'work', apps: ['nobody'] }],
    ['a machine', { provider: 'work', apps: ['ci'] }],
    ['no app', { provider: 'work', apps: [] }],
    ['a company and a provider', { provider: 'work', company: 'acme', apps: ['agent'] }],
    ['neither', { apps: ['agent'] }],
    ['another member', { provider: 'work', apps: ['agent'], all: true }],
  ])('names %s', async (_, entry) => {
    const attempt = async () => {
      const one = world({ options: { trustedIssuers: { [company]: entry } } })
      const { status } = await send(one, await assertion())
      throw new Error(`${status} ${String(one.errors[0])}`)
    }
    await expect(attempt()).rejects.toThrow('trustedIssuers')
  })

  it.each<[string, object]>([
    ['a provider that is not there', { provider: 'nowhere', apps: ['agent'] }],
    ['an issuer that is not that of its provider', { provider: 'work', apps: ['agent'] }],
  ])('is 500 at the request: %s', async (_, entry) => {
    const iss = 'https://other.example'
    const one = world({ options: { trustedIssuers: { [iss]: entry } } })
    const answer = await send(one, await assertion({ iss }))
    expect([answer.status, answer.error]).toEqual([500, 'server_error'])
    expect(one.errors).toHaveLength(1)
  })

  it('a function is asked once a minute, and what it gets wrong is 500', async () => {
    let asked = 0
    let answer: () => unknown = () => ({ provider: 'work', apps: ['agent'] })
    const trustedIssuers = (iss: string) => {
      asked++
      return iss === company ? answer() : undefined
    }
    const one = world({ options: { trustedIssuers } })
    for (let times = 0; times < 3; times++) expect(await verdict(one)).toBe(good)
    expect(await verdict(one, { iss: 'https://other.example' })).toBe(bad)
    expect(await verdict(one, { iss: 'https://other.example' })).toBe(bad)
    expect(asked).toBe(2)
    for (const wrong of [
      null,
      'work',
      {},
      { provider: 'work', apps: ['spa'] },
      { provider: 'work', apps: 'agent' },
    ]) {
      pass(61)
      answer = () => wrong
      expect(await verdict(one)).toBe('500 server_error')
    }
    answer = () => {
      throw new Error('down')
    }
    expect(await verdict(one)).toBe('500 server_error')
  })

  it('variables name issuers too', async () => {
    const env = {
      AUTH_TRUSTED_ISSUER_WORK_ISSUER: company,
      AUTH_TRUSTED_ISSUER_WORK_PROVIDER: 'work',
      AUTH_TRUSTED_ISSUER_WORK_APPS: 'agent narrow',
    }
    const one = world({ env, options: { trustedIssuers: undefined } })
    expect(await verdict(one)).toBe(good)
  })
})

it('the metadata has the profile of ID-JAG', async () => {
  const { body } = await world().send('/.well-known/openid-configuration')
  expect(body.authorization_grant_profiles_supported).toEqual([
    'urn:ietf:params:oauth:grant-profile:id-jag',
  ])
  expect(body.grant_types_supported).toContain(JWT_BEARER)
})
