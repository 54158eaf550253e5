import { createTokenVerifier } from '@latchkey/session'
import { beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { createAuth } from '../../../core.js'
import { customFetch } from '../../../lib/symbols.js'
import { subjectOf } from '../../../person/subject.js'
import oidc from '../../../providers/oidc.js'
import { memoryStore } from '../../../stores/memory.js'
import { assertionWorld } from '../../../test-support/assertion-world.js'
import { secret } from '../../../test-support/browser.js'
import { companyAt, companyWorld } from '../../../test-support/companies.js'
import { FakeLedgers } from '../../../test-support/deployment.js'
import { testIssuer } from '../../../test-support/issuer.js'
import { claimsOf, clientSecret, issuer, resource } from '../../../test-support/oauth.js'
import {
  assertionFields,
  type Claims,
  signed,
  type TestKey,
  testKey,
} from '../../../test-support/oauth-keys.js'
import type { AuthConfig } from '../../../types.js'
import type { Company } from '../../companies/types.js'
import { people as peopleFeature } from '../../people/index.js'
import { authorizationServer } from '../index.js'
import type { AuthorizationServerOptions } from '../options.js'

// Attacks by another company's provider, by an app, and by a holder of an old assertion.

const { pass } = clock()
const now = () => Math.floor(Date.now() / 1000)
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const redirectUris = ['https://agent.example/cb']

/** Two companies whose assertions an app may bring, and another app. */
async function world(
  entry: Partial<Company> = {},
  changes: Partial<AuthConfig> = {},
  more: AuthorizationServerOptions['trustedIssuers'] = {},
) {
  const all = [companyAt('acme', entry), companyAt('bolt')]
  const inner = await companyWorld(all, {})
  const trusted = all.map(({ id, issuer: iss }) => [iss, { company: id, apps: ['agent'] }] as const)
  const service = authorizationServer({
    apps: {
      agent: { secret: clientSecret, redirectUris },
      second: { secret: clientSecret, redirectUris },
    },
    resources: { [resource]: { scopes: { 'notes:read': 'Read your notes' } } },
    trustedIssuers: { ...Object.fromEntries(trusted), ...more },
  })
  const { features: own = [], ...rest } = changes
  const features = [...(inner.config.features ?? []), service, ...own]
  Object.assign(inner.config, { ...rest, features })
  const auth = createAuth(inner.config)
  const context = { waitUntil: () => {} }
  const post = async (path: string, fields: Record<string, string>) => {
    const body = new URLSearchParams(fields)
    return auth.fetch(new Request(issuer + path, { method: 'POST', body }), {}, context)
  }
  const keyOf = (id: string): TestKey => {
    const idp = inner.issuerOf(id)
    const [published] = idp.jwks().keys as { kid: string }[]
    return { kid: published?.kid ?? '', alg: 'ES256', jwk: {}, privateKey: idp.privateKey() }
  }
  const assertion = (claims: Claims = {}, header: Claims = {}, by = keyOf('acme')) =>
    signed(
      by,
      {
        ...{ iss: 'https://acme.idp.example', sub: 'ada', aud: issuer, client_id: 'agent' },
        ...{ resource, jti: crypto.randomUUID(), iat: now(), exp: now() + 300 },
        ...{ scope: 'notes:read', email: 'ada@acme.example', ...claims },
      },
      { typ: 'oauth-id-jag+jwt', ...header },
    )
  async function send(text: string, fields: Record<string, string> = {}) {
    const answer = await post('/oauth/token', {
      ...{ grant_type: JWT_BEARER, assertion: text },
      ...{ client_id: 'agent', client_secret: clientSecret, ...fields },
    })
    const told = (await answer.json()) as { access_token?: string; error?: string }
    return { ...told, token: told.access_token ?? '', status: answer.status }
  }
  /** The claims of the token, or the error. */
  const bring = async (claims: Claims = {}, header: Claims = {}, by?: TestKey) => {
    const { error, token } = await send(await assertion(claims, header, by ?? keyOf('acme')))
    return (error ?? claimsOf(token)) as Record<string, string> & string
  }
  const verifier = () => {
    const worker = {
      fetch: (url: unknown, init?: RequestInit) =>
        auth.fetch(new Request(String(url), init), {}, context),
    }
    return createTokenVerifier({ worker, issuer, audience: resource } as never)
  }
  return { ...inner, auth, context, post, keyOf, assertion, send, bring, verifier }
}

let stranger: TestKey
beforeAll(async () => {
  stranger = await testKey('ES256')
})

describe('attack: an assertion is refused', () => {
  it.each<[string, Claims]>([
    ['for the resource with no slash', { resource: resource.slice(0, -1) }],
    ['for the resource in capitals', { resource: resource.toUpperCase() }],
    ['for the resource as an object', { resource: { [resource]: true } }],
    ['for a list of apps', { client_id: ['agent'] }],
    ['for an app in another case', { client_id: 'Agent' }],
    ['for the address with a slash more', { aud: `${issuer}/` }],
    ['about somebody with a number', { sub: 7 }],
    ['about somebody whose name is too long', { sub: 'x'.repeat(256) }],
    ['with an id of 10 kB', { jti: 'x'.repeat(10_000) }],
    ['with a scope that is a list', { scope: ['notes:read'] }],
    ['with a key that its holder proves, which is null', { cnf: null }],
    ['with an address of a host for everybody', { email: 'ada@gmail.com' }],
    ['with two addresses', { email: 'ada@bolt.example,ada@acme.example' }],
    ['with an address in an address', { email: '"x@bolt.example"@acme.example' }],
    ['with an address of a subdomain', { email: 'ada@mail.acme.example' }],
    ['with a list of addresses', { email: ['ada@acme.example'] }],
  ])('%s', async (_, claims) => {
    expect(await (await world()).bring(claims)).toBe('invalid_grant')
  })

  it('of one company about a person of another one', async () => {
    const one = await world()
    const [acme, bolt] = [one.keyOf('acme'), one.keyOf('bolt')]
    const ofBolt = { iss: 'https://bolt.idp.example', email: 'ada@bolt.example' }
    // Signed by the wrong one, and about an address of the other one.
    expect(await one.bring(ofBolt, {}, acme)).toBe('invalid_grant')
    expect(await one.bring({}, {}, bolt)).toBe('invalid_grant')
    expect(await one.bring({ email: 'ada@bolt.example' })).toBe('invalid_grant')
    // The same `sub` is somebody else there.
    const [own, theirs] = [await one.bring(), await one.bring(ofBolt, {}, bolt)]
    expect(own.sub).not.toBe(theirs.sub)
    expect([own.company, theirs.company]).toEqual(['acme', 'bolt'])
  })

  it('with a key in its header, or by an algorithm that is not the key’s', async () => {
    const one = await world()
    const { kid } = one.keyOf('acme')
    for (const header of [{ jwk: stranger.jwk }, { jku: 'https://mallory.example/' }]) {
      expect(await one.bring({}, { kid, ...header }, stranger)).toBe('invalid_grant')
    }
    const rsa = await testKey('RS256')
    for (const key of [rsa, { ...rsa, alg: 'PS256' }]) {
      const by = key === rsa ? key : { ...(await testKey('PS256')), kid }
      expect(await one.bring({}, { kid }, by)).toBe('invalid_grant')
    }
  })

  it('that is a token of this service: for an API, of a sign-in or of a session', async () => {
    const one = await world()
    const { token } = await one.send(await one.assertion())
    const ada = await one.of('acme')
    const session = [...ada.jar].find(([name]) => name.includes('session-token'))?.[1] ?? ''
    expect(session).not.toBe('')
    for (const text of [token, session, `${token}.x`, '']) {
      expect((await one.send(text)).status).toBe(400)
    }
  })
})

describe('attack: the person', () => {
  it('has the address of somebody with an account here, and gets nothing of theirs', async () => {
    const one = await world({ domains: ['acme.example'] })
    const ada = await one.signIn('email', 'ada@acme.example')
    const claims = await one.bring()
    expect(claims.sub).not.toBe(one.subOf(ada))
    const apps = await one.auth.listApps(String(one.subOf(ada)), {}, one.context)
    expect(apps).toEqual([])
  })

  it('has linked the company’s way: the token is theirs, until they take the way out', async () => {
    const one = await world()
    const ada = await one.signIn('one', 'ada')
    const start = await one.startAdding(ada, 'company-acme')
    await one.comeBack(ada, 'acme', start)
    expect((await one.bring()).sub).toBe(one.subOf(ada))
    const way = (await one.ways(ada)).find(({ provider }) => provider === 'company-acme')
    pass(2)
    await one.remove(ada, String(way?.id))
    pass(2)
    // It is a person of its own again.
    const sub = await one.auth.subOfCompany({ company: 'acme', subject: 'ada' }, {}, one.context)
    expect((await one.bring()).sub).toBe(sub)
    expect(sub).not.toBe(one.subOf(ada))
  })

  it('is erased: assertions from before give nothing, and a newer one begins anew', async () => {
    const one = await world({}, { features: [peopleFeature] })
    const before = await one.assertion()
    const { sub, grant } = await one.bring()
    pass(2)
    await one.auth.deletePerson(String(sub), {}, one.context)
    expect((await one.send(before)).error).toBe('invalid_grant')
    pass(2)
    const after = await one.bring()
    expect(after.sub).toBe(sub)
    expect(after.grant).not.toBe(grant)
  })

  it('is erased before a rotation of the secret: assertions from before give nothing after it', async () => {
    const one = await world({}, { features: [peopleFeature] })
    const before = await one.assertion()
    const { sub } = await one.bring()
    pass(2)
    await one.auth.deletePerson(String(sub), {}, one.context)
    const secrets = ['a-new-secret-of-the-tests-0123456789', secret]
    const later = createAuth({ ...one.config, secret: secrets })
    const send = async (assertion: string) => {
      const client = { client_id: 'agent', client_secret: clientSecret }
      const body = new URLSearchParams({ grant_type: JWT_BEARER, assertion, ...client })
      const asked = new Request(`${issuer}/oauth/token`, { method: 'POST', body })
      return (await later.fetch(asked, {}, one.context)).json()
    }
    expect(await send(before)).toMatchObject({ error: 'invalid_grant' })
    pass(2)
    expect(await send(await one.assertion())).toMatchObject({ token_type: 'Bearer' })
  })

  it('is blocked before they ever came, as by the route for those who left', async () => {
    const one = await world()
    const sub = await one.auth.subOfCompany({ company: 'acme', subject: 'ada' }, {}, one.context)
    await one.auth.blockPerson({ sub: String(sub) }, {}, one.context)
    pass(2)
    expect(await one.bring()).toBe('invalid_grant')
    expect(await one.bring({ sub: 'bob', email: 'bob@acme.example' })).toMatchObject({
      company: 'acme',
    })
  })
})

describe('attack: the assertions of another provider', () => {
  const iss = 'https://idp.elsewhere.example'
  const send = async (entry: Partial<Company>, claims: Claims) => {
    const idp = await testIssuer(iss, { alg: 'ES256' })
    const [published] = idp.jwks().keys as { kid: string }[]
    const by = { kid: published?.kid ?? '', alg: 'ES256', jwk: {}, privateKey: idp.privateKey() }
    const work = oidc({
      ...{ id: 'work', issuer: iss, clientId: 'the-client-id', clientSecret: 'the-client-secret' },
      [customFetch]: idp.fetch,
    } as never)
    const one = await world(
      entry,
      { providers: [work as never] },
      { [iss]: { provider: 'work', apps: ['agent'] } },
    )
    return one.bring({ iss, ...claims }, {}, by)
  }

  it('are about nobody whose address is of a company that signs its people in by no other way', async () => {
    expect(await send({ only: true }, {})).toBe('invalid_grant')
    expect(await send({ only: true }, { email: 'Ada@ACME.example' })).toBe('invalid_grant')
    expect(await send({ only: true }, { email_verified: false })).toBe('invalid_grant')
    expect(await send({ only: true }, { email: 'ada@elsewhere.example' })).toHaveProperty('sub')
  })

  it('never say that they are a company’s, or that there were two factors', async () => {
    const claims = { company: 'acme', amr: ['company-acme', 'mfa'], acr: '2', sid: 'x', pid: 'y' }
    const token = await send({ factors: true }, { ...claims, machine: true, grant: 'z' })
    expect(token.acr).toBe('1')
    for (const name of ['company', 'amr', 'sid', 'machine']) expect(token).not.toHaveProperty(name)
    expect([token.pid, token.grant]).not.toContain('y')
  })
})

describe('attack: a grant of assertions', () => {
  it('is ended by no other app', async () => {
    const one = await world()
    const { token } = await one.send(await one.assertion())
    const second = { client_id: 'second', client_secret: clientSecret }
    expect((await one.post('/oauth/revoke', { token, ...second })).status).toBe(200)
    pass(16)
    const verifier = one.verifier()
    expect((await verifier.read(`Bearer ${token}`)).refusal).toBeNull()
    verifier.close()
  })

  it('whose issuer has a clock that is ahead ends with all the others', async () => {
    const one = await world()
    const { token } = await one.send(await one.assertion({ iat: now() + 50 }))
    const verifier = one.verifier()
    expect((await verifier.read(`Bearer ${token}`)).refusal).toBeNull()
    await one.auth.endSessions({ sub: String(claimsOf(token).sub) }, {}, one.context)
    pass(16)
    expect((await verifier.read(`Bearer ${token}`)).refusal?.reason).toBe('grant-ended')
    verifier.close()
  })

  it('gives a token that counts also in the second in which claims were refreshed', async () => {
    const one = await world()
    const { token } = await one.send(await one.assertion())
    await one.auth.refreshClaims({ sub: String(claimsOf(token).sub) }, {}, one.context)
    const verifier = one.verifier()
    expect((await verifier.read(`Bearer ${token}`)).refusal?.reason).toBe('stale')
    const after = await one.send(await one.assertion())
    expect((await verifier.read(`Bearer ${after.token}`)).refusal).toBeNull()
    verifier.close()
  })

  it('gives such a token by an isolate that has not heard of the refresh', async () => {
    const make = await assertionWorld()
    const store = memoryStore()
    const [here, there] = [make.world({ store }), make.world({ store })] as const
    const { accessToken } = await make.send(there, await make.assertion())
    const { sub } = claimsOf(accessToken) as { sub: string }
    await here.auth.refreshClaims({ sub }, here.env, here.context)
    const after = await make.send(there, await make.assertion())
    const worker = {
      fetch: (url: unknown, init?: RequestInit) => here.answer(new Request(String(url), init)),
    }
    const verifier = createTokenVerifier({ worker, issuer, audience: resource })
    expect((await verifier.read(`Bearer ${accessToken}`)).refusal?.reason).toBe('stale')
    expect((await verifier.read(`Bearer ${after.accessToken}`)).refusal).toBeNull()
    verifier.close()
  })

  it('says no time of a sign-in that is not one', async () => {
    const one = await world()
    for (const auth_time of [now() + 3_600, -1, '0', null, Number.MAX_SAFE_INTEGER]) {
      expect((await one.bring({ auth_time })).auth_time).toBe(now())
    }
  })
})

it('attack: an app with a key brings a new assertion by a proof that it has used', async () => {
  const key = await testKey('ES256')
  const make = await assertionWorld()
  const apps = { agent: { jwks: { keys: [key.jwk] }, redirectUris } }
  const one = make.world({ options: { ...make.options, apps } })
  const proof = await assertionFields(key, 'agent')
  const bring = async (own: Record<string, string>) =>
    (await one.token({ grant_type: JWT_BEARER, assertion: await make.assertion(), ...own })).error
  expect(await bring(proof)).toBeUndefined()
  expect(await bring(proof)).toBe('invalid_client')
  expect(await bring({ client_id: 'agent', client_secret: clientSecret })).toBe('invalid_client')
  expect(await bring({ client_id: 'agent' })).toBe('invalid_client')
  expect(await bring(await assertionFields(key, 'agent'))).toBeUndefined()
})

describe.each([1, 4])('with %i objects', (count) => {
  it('attack: a person who is blocked, before or after their first assertion, gets nothing', async () => {
    const make = await assertionWorld()
    for (const sub of ['ada', 'bob', 'carla', 'dora']) {
      for (const isKnown of [false, true]) {
        const one = make.world({ store: new FakeLedgers().storesOf([count]) })
        const bring = async () => make.send(one, await make.assertion({ sub }))
        if (isKnown) expect((await bring()).status).toBe(200)
        const person = await subjectOf('work', sub)
        await one.auth.blockPerson({ sub: person }, one.env, one.context)
        pass(2)
        expect((await bring()).error).toBe('invalid_grant')
        await one.auth.unblockPerson(person, one.env, one.context)
        expect((await bring()).status).toBe(200)
      }
    }
  })
})
