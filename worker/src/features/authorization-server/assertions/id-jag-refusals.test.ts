import { inspect } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { customFetch } from '../../../lib/symbols.js'
import microsoftEntraId from '../../../providers/microsoft-entra-id.js'
import oidc from '../../../providers/oidc.js'
import { fails, faulty } from '../../../test-support/faulty.js'
import { type TestIssuer, testIssuer } from '../../../test-support/issuer.js'
import { machineWorld, other } from '../../../test-support/machine-world.js'
import { claimsOf, clientSecret, issuer, resource } from '../../../test-support/oauth.js'
import { type Claims, signed, type TestKey } from '../../../test-support/oauth-keys.js'

// Each reason to refuse an assertion about a person, and the keys of providers with many tenants.

const { pass } = clock()

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const company = 'https://idp.company.example'
const now = () => Math.floor(Date.now() / 1000)
const typ = 'oauth-id-jag+jwt'
const redirectUris = ['https://agent.example/cb']

const tenantAt = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`
const CONTOSO = '8eaef023-2b34-4da1-9baa-8bc8c9d6a490'
const EVIL = '82229342-1101-4ab6-817b-70c0747630f3'

let idp: TestIssuer
let cloud: TestIssuer
beforeAll(async () => {
  idp = await testIssuer(company, { alg: 'ES256' })
  cloud = await testIssuer(tenantAt('{tenantid}'), { alg: 'ES256' })
})

const keyOf = (one: TestIssuer): TestKey => {
  const [published] = one.jwks().keys as [{ kid: string }]
  return { kid: published.kid, alg: 'ES256', privateKey: one.privateKey(), jwk: {} }
}

/** The fetch of one service: it shares no copy of the keys with another one. */
const fetchAt =
  (one: TestIssuer): typeof fetch =>
  (input, init) =>
    one.fetch(input as never, init as never)

function world({
  trustedIssuers,
  ...changes
}: Parameters<typeof machineWorld>[0] & { trustedIssuers?: unknown } = {}) {
  const client = { clientId: 'the-client-id', clientSecret: 'the-client-secret' }
  const work = { id: 'work', issuer: company, ...client, [customFetch]: fetchAt(idp) }
  const entra = { ...client, [customFetch]: fetchAt(cloud) }
  const apps = ['agent', 'narrow']
  return machineWorld({
    ...changes,
    config: { providers: [oidc(work as never) as never, microsoftEntraId(entra)] },
    options: {
      apps: {
        agent: { secret: clientSecret, redirectUris },
        spa: { redirectUris },
        narrow: { secret: clientSecret, redirectUris, resources: { [resource]: ['notes:read'] } },
      },
      trustedIssuers: (trustedIssuers as never) ?? {
        [company]: { provider: 'work', apps },
        [tenantAt(CONTOSO)]: { provider: 'microsoft-entra-id', apps },
        [tenantAt(EVIL)]: { provider: 'microsoft-entra-id', apps },
      },
    },
  })
}

type World = ReturnType<typeof world>

const jag = (changes: Claims = {}): Claims => ({
  ...{ iss: company, sub: 'ada-at-work', aud: issuer, client_id: 'agent', resource },
  ...{ jti: crypto.randomUUID(), iat: now(), exp: now() + 300, scope: 'notes:read' },
  ...changes,
})

const send = (one: World, assertion: string, fields: Record<string, string> = {}) =>
  one.token({
    ...{ grant_type: JWT_BEARER, client_id: 'agent', client_secret: clientSecret, assertion },
    ...fields,
  })

const bring = async (one: World, changes: Claims = {}, fields: Record<string, string> = {}) =>
  send(one, await signed(keyOf(idp), jag(changes), { typ }), fields)

describe('attack: an assertion is refused, and the log says why', () => {
  const long = 's'.repeat(256)
  it.each<[string, () => Claims]>([
    ['issuer', () => ({ iss: `${company}/` })],
    ['audience', () => ({ aud: `${issuer}/` })],
    ['client', () => ({ client_id: ['agent'] })],
    ['confirmation', () => ({ cnf: null })],
    ['confirmation', () => ({ authorization_details: null })],
    ['subject', () => ({ sub: undefined })],
    ['subject', () => ({ sub: '' })],
    ['subject', () => ({ sub: 7 })],
    ['subject', () => ({ sub: long })],
    ['subject', () => ({ sub: ' ' })],
    ['times', () => ({ iat: undefined })],
    ['times', () => ({ exp: undefined })],
    ['times', () => ({ exp: now() })],
    ['times', () => ({ exp: now() + 3_601 })],
    ['scope', () => ({ scope: ['notes:read'] })],
    ['scope', () => ({ scope: null })],
    ['jti', () => ({ jti: undefined })],
    ['jti', () => ({ jti: 7 })],
    ['resource', () => ({ resource: 'https://unknown.example/' })],
    ['resource', () => ({ resource: [] })],
    ['resource', () => ({ resource: [resource, resource] })],
    ['resource', () => ({ resource: 7 })],
  ])('%s', async (fault, claims) => {
    const one = world()
    const { status, error, body } = await bring(one, claims())
    expect([status, error]).toEqual([400, 'invalid_grant'])
    expect(body.error_description).toBe('The assertion is not valid here.')
    expect(one.warnings).toContainEqual(['assertion-refused', `agent: ${fault}`])
    expect(one.errors).toEqual([])
  })

  it.each<[string, (good: string) => string | Promise<string>]>([
    ['malformed', () => 'x'],
    ['type', () => signed(keyOf(idp), jag(), { typ: 'JWT' })],
    ['alg', async () => `${part({ alg: 'none', typ })}.${part(jag())}.AAAA`],
    ['alg', async () => `${part({ alg: 'HS256', typ })}.${part(jag())}.AAAA`],
    ['signature', (good) => good.replace(/.{9}$/, 'AAAAAAAAA')],
    ['signature', () => signed(keyOf(cloud), jag(), { typ, kid: keyOf(idp).kid })],
  ])('%s, by its form', async (fault, make) => {
    const one = world()
    const text = await make(await signed(keyOf(idp), jag(), { typ }))
    expect((await send(one, text)).error).toBe('invalid_grant')
    expect(one.warnings).toContainEqual(['assertion-refused', `agent: ${fault}`])
  })

  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('used, and ended', async () => {
    const one = world()
    const jti = 'one'
    const first = await bring(one, { jti })
    expect((await bring(one, { jti })).error).toBe('invalid_grant')
    expect(one.warnings.at(-1)).toEqual(['assertion-refused', 'agent: used'])
    const before = await signed(keyOf(idp), jag(), { typ })
    pass(2)
    const sub = String(claimsOf(first.accessToken).sub)
    await one.auth.endApp(sub, 'agent', one.env, one.context)
    expect((await send(one, before)).error).toBe('invalid_grant')
    expect(one.warnings.at(-1)).toEqual(['assertion-refused', 'agent: ended'])
  })

  it('for a resource that is not in the list of its app', async () => {
    const one = world()
    const fields = { client_id: 'narrow' }
    expect((await bring(one, fields, fields)).status).toBe(200)
    expect((await bring(one, { ...fields, resource: other }, fields)).error).toBe('invalid_grant')
    expect(one.warnings.at(-1)).toEqual(['assertion-refused', 'narrow: resource'])
  })

  it('a request without one says so', async () => {
    const fields = { grant_type: JWT_BEARER, client_id: 'agent', client_secret: clientSecret }
    const { status, body } = await world().token(fields)
    expect([status, body]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'Send an assertion.' },
    ])
  })
})

describe('attack: more is asked for than an assertion gives', () => {
  it.each<[string, string, Claims, Record<string, string>]>([
    [
      'unauthorized_client',
      'A public app cannot bring assertions.',
      { client_id: 'spa' },
      { client_id: 'spa', client_secret: '' },
    ],
    ['invalid_target', 'The assertion is for another resource.', {}, { resource: other }],
    ['invalid_scope', 'Nothing is left of the scopes.', {}, { scope: 'notes:write' }],
    ['invalid_scope', 'Nothing is left of the scopes.', { scope: 'openid' }, {}],
    ['invalid_scope', 'Nothing is left of the scopes.', { scope: '' }, { scope: 'notes:read' }],
  ])('%s: %s', async (error, error_description, claims, fields) => {
    const one = world()
    const text = await signed(keyOf(idp), jag(claims), { typ })
    const { client_secret, ...given } = { client_secret: clientSecret, ...fields }
    const proof = client_secret === '' ? {} : { client_secret }
    const all = { grant_type: JWT_BEARER, client_id: 'agent', assertion: text, ...given, ...proof }
    const { status, body } = await one.token(all)
    expect([status, body]).toEqual([400, { error, error_description }])
    // The assertion is not used up.
    if (error !== 'unauthorized_client' && claims.scope === undefined) {
      expect((await send(one, text)).status).toBe(200)
    }
  })

  it('has what both ask for, and says so in the answer, the token and the log', async () => {
    const one = world()
    const fields = { scope: 'notes:write openid', resource }
    const answer = await bring(one, { scope: 'notes:read notes:write', auth_time: now() }, fields)
    expect(answer.body).toEqual({
      access_token: expect.any(String),
      ...{ token_type: 'Bearer', expires_in: 300, scope: 'notes:write', resource },
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const { began, auth_time, ...claims } = claimsOf(answer.accessToken)
    expect([began, auth_time]).toEqual([now(), now()])
    expect(claims).toMatchObject({ acr: '1', scope: 'notes:write', client_id: 'agent' })
    expect(claims).not.toHaveProperty('company')
    expect(one.lines).toContainEqual(
      expect.objectContaining({ event: 'assertion-used', provider: 'work', app: 'agent' }),
    )
  })
})

describe('an assertion counts', () => {
  it.each<[string, () => Claims, Record<string, string>, string | undefined]>([
    ['with a subject of 255 characters', () => ({ sub: 's'.repeat(255) }), {}, 'notes:read'],
    ['for an hour', () => ({ exp: now() + 3_600 }), {}, 'notes:read'],
    ['with a list of one resource', () => ({ resource: [resource] }), {}, 'notes:read'],
    ['without a scope', () => ({ scope: undefined }), {}, undefined],
    ['with an empty scope', () => ({ scope: '' }), {}, undefined],
    ['with blanks as its scope', () => ({ scope: '  ' }), {}, undefined],
    ['with blanks in the request', () => ({ scope: undefined }), { scope: ' ' }, undefined],
    ['with two', () => ({ scope: 'notes:write notes:read' }), {}, 'notes:write notes:read'],
    ['with a scope twice', () => ({ scope: 'notes:read notes:read' }), {}, 'notes:read'],
  ])('%s', async (_, claims, fields, scope) => {
    const { status, body } = await bring(world(), claims(), fields)
    expect([status, body.scope]).toEqual([200, scope])
  })

  it('attack: with a time of the sign-in that nobody can have, the assertion’s own counts', async () => {
    for (const [auth_time, counted] of [
      [now() - 600, now() - 600],
      [now() - 600.5, now() - 601],
      [0, 0],
      [now() - 9, now() - 9],
      [now() + 1, now() - 9],
      [9e9, now() - 9],
      [-1, now() - 9],
      ['5', now() - 9],
      [null, now() - 9],
      [[5], now() - 9],
    ]) {
      const { accessToken } = await bring(world(), { auth_time, iat: now() - 9 })
      expect([auth_time, claimsOf(accessToken).auth_time]).toEqual([auth_time, counted])
    }
  })

  it('once for each issuer that has given it its id', async () => {
    const one = world()
    const jti = 'the-same'
    expect((await bring(one, { jti })).status).toBe(200)
    expect((await bring(one, { jti })).error).toBe('invalid_grant')
    const elsewhere = jag({ ...tenantClaims(CONTOSO), jti })
    expect((await send(one, await signed(keyOf(cloud), elsewhere, { typ }))).status).toBe(200)
  })
})

const tenantClaims = (tid: string): Claims => ({
  ...{ iss: tenantAt(tid), tid, oid: '00000000-0000-0000-66f3-3332eca7ea81', ver: '2.0' },
})

describe('a provider with many tenants', () => {
  it.each<[string | undefined, string, string]>([
    [undefined, CONTOSO, 'token'],
    [tenantAt('{tenantid}'), CONTOSO, 'token'],
    [tenantAt(CONTOSO), CONTOSO, 'token'],
    [tenantAt(EVIL), CONTOSO, 'agent: signature'],
    [tenantAt(CONTOSO), EVIL, 'agent: signature'],
  ])('attack: a key of %s signs an assertion of the tenant %s: %s', async (of, tenant, said) => {
    const [published] = cloud.jwks().keys as [object]
    cloud.answers = { keys: () => Response.json({ keys: [{ ...published, issuer: of }] }) }
    const one = world()
    const text = await signed(keyOf(cloud), jag(tenantClaims(tenant)), { typ })
    const { status } = await send(one, text)
    cloud.answers = {}
    expect(status === 200 ? 'token' : one.warnings.at(-1)?.[1]).toBe(said)
  })

  it('attack: an assertion of one tenant names another one as its issuer', async () => {
    const one = world()
    const claims = { ...tenantClaims(CONTOSO), tid: EVIL }
    const { status } = await send(one, await signed(keyOf(cloud), jag(claims), { typ }))
    expect(status).toBe(500)
    expect(String(one.errors[0])).toContain('A trusted issuer is not that of its provider.')
  })
})

describe('a trusted issuer', () => {
  it('without an address of keys is 503', async () => {
    idp.metadata = { jwks_uri: undefined }
    const { status } = await bring(world())
    idp.metadata = {}
    expect(status).toBe(503)
  })

  it.each([
    ['keys', 'The keys of a trusted issuer cannot be read.'],
    ['openid-configuration', 'A trusted issuer cannot be read.'],
  ])(
    'whose %s cannot be read is 503, and the assertion counts afterwards',
    async (name, message) => {
      idp.answers = { [name]: () => new Response('', { status: 500 }) }
      const one = world()
      const text = await signed(keyOf(idp), jag(), { typ })
      const failed = await send(one, text)
      idp.answers = {}
      expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '2'])
      expect(inspect(one.errors[0])).toContain(message)
      expect(inspect(one.errors[0], { depth: 9 })).toContain('status 500')
      expect((await send(one, text)).status).toBe(200)
    },
  )
})

describe('an assertion that was used', () => {
  it('attack: stays used until it ends, and longer, by whatever clock', async () => {
    const { store, calls } = faulty()
    const one = world({ store: store as never })
    const text = await signed(keyOf(idp), jag({ exp: now() + 299.5 }), { typ })
    expect((await send(one, text)).status).toBe(200)
    const kept = calls.find(({ name }) => name === 'enter')
    expect(kept?.args[1]).toBe(now() + 300 + 300)
    pass(299)
    expect((await send(one, text)).error).toBe('invalid_grant')
    expect(one.warnings.at(-1)).toEqual(['assertion-refused', 'agent: used'])
  })

  it('is given back once if a store fails, and twice if that fails too', async () => {
    const { store, faults, calls } = faulty()
    const one = world({ store: store as never })
    const given = () => calls.filter(({ name }) => name === 'giveBack').length
    faults.set('liveDocument', fails)
    faults.set('giveBack', fails)
    expect((await bring(one)).status).toBe(503)
    expect(given()).toBe(2)
    expect(one.errors).toHaveLength(2)
    faults.delete('giveBack')
    expect((await bring(one)).status).toBe(503)
    expect(given()).toBe(3)
    expect(one.errors).toHaveLength(3)
  })

  it('attack: is not given back if a document is damaged, which would be so again', async () => {
    const { store, faults, calls } = faulty()
    const one = world({ store: store as never })
    const damaged = { version: 1, content: '{}' }
    faults.set('liveDocument', async () => ({ isOver: false, isChanged: false, document: damaged }))
    const text = await signed(keyOf(idp), jag(), { typ })
    expect((await send(one, text)).error).toBe('invalid_grant')
    faults.delete('liveDocument')
    expect((await send(one, text)).error).toBe('invalid_grant')
    expect(calls.filter(({ name }) => name === 'giveBack')).toEqual([])
  })
})

describe('a function `trustedIssuers`', () => {
  const entry = { provider: 'work', apps: ['agent'] }

  /** A world whose function answers, and what it was asked. */
  function asking(answer: (iss: string) => unknown = () => entry) {
    const asked: string[] = []
    const trustedIssuers = (iss: string) => {
      asked.push(iss)
      return answer(iss)
    }
    return { asked, one: world({ trustedIssuers }) }
  }

  it('is asked about each issuer once in a minute, also if the clock is set back', async () => {
    const { asked, one } = asking((iss) => (iss === company ? entry : undefined))
    for (const [seconds, count] of [
      [0, 1],
      [59, 1],
      [1, 2],
      [-59, 2],
      [-1, 3],
    ] as const) {
      pass(seconds)
      expect((await bring(one)).status).toBe(200)
      expect([seconds, asked.length]).toEqual([seconds, count])
    }
    for (const _ of [1, 2]) {
      expect((await bring(one, { iss: 'https://other.example' })).error).toBe('invalid_grant')
    }
    expect(asked.length).toBe(4)
  })

  it('attack: an answer for one service is not used by another one', async () => {
    const [first, second] = [asking(), asking(() => undefined)]
    expect((await bring(first.one)).status).toBe(200)
    expect((await bring(second.one)).error).toBe('invalid_grant')
  })

  it.each([7, '', 'x', 'http://idp.company.example', `${company}?x`, null, [company]])(
    'attack: is asked about issuers alone: %j',
    async (iss) => {
      const { asked, one } = asking()
      expect((await bring(one, { iss })).error).toBe('invalid_grant')
      expect(asked).toEqual([])
    },
  )

  it('attack: that throws, rejects or answers something else lets nobody in', async () => {
    for (const [answer, message] of [
      [() => Promise.reject(new Error('down')), 'The function `trustedIssuers` threw.'],
      [() => Promise.reject(new Error('down')), 'Error: down'],
      [() => null, 'What the function `trustedIssuers` answers '],
      [() => ({ ...entry, apps: ['nobody'] }), 'What the function `trustedIssuers` answers '],
    ] as const) {
      const { one } = asking(answer)
      expect((await bring(one)).status).toBe(500)
      expect(inspect(one.errors[0])).toContain(message)
    }
  })

  it('left out: no issuer is trusted', async () => {
    const one = world({ trustedIssuers: {} })
    expect((await bring(one)).error).toMatch(/^(?:invalid_grant|unsupported_grant_type)$/)
  })

  it('that hangs is 503 after two seconds', async () => {
    const { one } = asking(() => new Promise(() => {}))
    const began = performance.now()
    expect((await bring(one)).status).toBe(503)
    expect(String(one.errors[0])).toContain('did not answer in time')
    expect(performance.now() - began).toBeGreaterThan(1_900)
  })
})
