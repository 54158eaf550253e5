import { createTokenVerifier, protectMcp } from '@latchkey/session'
import { beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { memoryStore } from '../../../stores/memory.js'
import { audited } from '../../../test-support/audited.js'
import { FakeLedgers } from '../../../test-support/deployment.js'
import { type MachineWorld, machineWorld, other } from '../../../test-support/machine-world.js'
import { claimsOf, clientSecret, issuer, resource } from '../../../test-support/oauth.js'
import {
  assertionFields,
  type Claims,
  signed,
  type TestKey,
  testKey,
} from '../../../test-support/oauth-keys.js'
import { operate } from '../../operate/index.js'
import { sharedDomains } from '../../shared-domains/index.js'
import { authorizationServer } from '../index.js'
import type { WorkloadOptions } from '../options.js'

// Attacks on machines and their jobs by strangers, thieves of keys and hosts of keys.

const { pass } = clock()

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const github = 'https://token.actions.githubusercontent.com'
const uri = 'https://keys.example/jwks'
const now = () => Math.floor(Date.now() / 1000)

let key: TestKey
let rsa: TestKey
beforeAll(async () => {
  ;[key, rsa] = await Promise.all([testKey('ES256'), testKey('RS256')])
})

const resources = { [resource]: true } as const
const rules = {
  issuer: github,
  jwksUri: uri,
  claims: { repository_id: '74', ref: 'refs/heads/main' },
}

/** A host of keys, and a service that reads it. */
function world({
  workloads = [rules] as readonly WorkloadOptions[],
  more = {} as object,
  ...changes
}: { workloads?: readonly WorkloadOptions[]; more?: object } & Parameters<
  typeof machineWorld
>[0] = {}) {
  const host = {
    asked: 0,
    answer: (): Response => Response.json({ keys: [key.jwk, rsa.jwk] }),
  }
  const fetch = (async () => {
    host.asked++
    return host.answer()
  }) as unknown as typeof globalThis.fetch
  const apps = {
    job: { machine: true, workloads, resources },
    twin: { machine: true, workloads, resources },
    keyed: { machine: true, jwksUri: uri, resources },
    nightly: { machine: true, secret: clientSecret, resources },
    web: { secret: clientSecret, redirectUris: ['https://web.example/cb'] },
    ...more,
  } as const
  return { ...machineWorld({ ...changes, options: { apps, fetch, ...changes.options } }), host }
}

const job = (changes: Claims = {}): Claims => ({
  ...{ jti: crypto.randomUUID(), iss: github, aud: issuer, iat: now(), exp: now() + 300 },
  ...{ sub: 'repo:octo-org/octo-repo:ref:refs/heads/main', repository: 'octo-org/octo-repo' },
  ...{ repository_id: '74', ref: 'refs/heads/main', ...changes },
})

const bring = async (one: MachineWorld, claims: Claims, header: Claims = {}, by = key) =>
  one.token({
    grant_type: JWT_BEARER,
    client_id: 'job',
    assertion: await signed(by, claims, header),
  })

const asSecret = (one: MachineWorld, fields: Record<string, string> = {}) =>
  one.token({
    ...{ grant_type: 'client_credentials', client_id: 'nightly', client_secret: clientSecret },
    ...fields,
  })

const asKeyed = async (one: MachineWorld, claims: Claims = {}, header: Claims = {}, by = key) =>
  one.token({
    grant_type: 'client_credentials',
    ...(await assertionFields(by, 'keyed', claims, header)),
  })

describe('attack: a job', () => {
  it.each<[string, () => Claims]>([
    ['of a letter that looks alike', () => ({ ref: 'refs/heads/m\u0430in' })],
    ['in another case', () => ({ ref: 'refs/heads/Main' })],
    ['with a space more', () => ({ repository_id: '74 ' })],
    ['with a null', () => ({ repository_id: null })],
    ['with an object that has the value', () => ({ ref: { startsWith: 'refs/heads/main' } })],
    ['at a pull request of the repository', () => ({ ref: 'refs/pull/7/merge' })],
    ['from before the epoch', () => ({ iat: -1 })],
    ['with an end beyond numbers', () => ({ exp: 1e300 })],
    ['with an end as a text', () => ({ exp: String(now() + 60) })],
    ['for later, as a text', () => ({ nbf: String(now()) })],
    ['with an id of 10 kB', () => ({ jti: 'x'.repeat(10_000) })],
    ['with a number as its id', () => ({ jti: 7 })],
    ['for the address with a slash more', () => ({ aud: `${issuer}/` })],
    ['for another base path here', () => ({ aud: issuer.replace('/auth', '/other') })],
    ['for nobody', () => ({ aud: [] })],
    ['for a list in a list', () => ({ aud: [[issuer]] })],
  ])('%s gets no token', async (_, changes) => {
    expect((await bring(world(), job(changes()))).error).toBe('invalid_grant')
  })

  it('with a key of its own in the header, or an address of one: nobody is asked', async () => {
    const one = world()
    const own = await testKey('ES256')
    for (const header of [
      { jwk: own.jwk },
      { jku: 'https://mallory.example/jwks' },
      { x5u: 'https://mallory.example/cert' },
      { x5c: ['AAAA'] },
    ]) {
      expect((await bring(one, job(), { ...header, kid: key.kid }, own)).error).toBe(
        'invalid_grant',
      )
    }
    // The copy, and one more look for all of them.
    expect(one.host.asked).toBe(1)
  })

  it('whose token was used by another machine of the same jobs has none left', async () => {
    const one = world()
    const assertion = await signed(key, job())
    const send = (client_id: string) => one.token({ grant_type: JWT_BEARER, client_id, assertion })
    const answers = await Promise.all([send('job'), send('twin'), send('twin'), send('job')])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('sends its token as a machine’s own proof, and a machine its proof as a job', async () => {
    const one = world()
    const assertion = await signed(key, job())
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    const proof = { client_assertion: assertion, client_assertion_type: type }
    const asProof = { grant_type: 'client_credentials', client_id: 'job', ...proof }
    expect((await one.token(asProof)).status).toBe(400)
    expect((await one.token({ grant_type: 'client_credentials', ...proof })).status).toBe(401)
    const { client_assertion } = await assertionFields(key, 'keyed')
    const fields = { grant_type: JWT_BEARER, client_id: 'job', assertion: client_assertion ?? '' }
    expect((await one.token(fields)).error).toBe('invalid_grant')
  })

  it('and a `sub` that its repository has chosen: it has to name the owner', () => {
    const configured = (sub: unknown) => () =>
      world({ workloads: [{ issuer: github, claims: { sub } as never }] })
    for (const sub of [
      'environment:production',
      'job_workflow_ref:octo-org/shared/.github/workflows/deploy.yml@refs/heads/main',
      ['repo:octo-org/octo-repo:environment:production', 'environment:production'],
      7,
    ]) {
      expect(configured(sub)).toThrow('which begins with the repository or its owner')
    }
    expect(configured('repo:octo-org/octo-repo:environment:production')).not.toThrow()
    expect(configured(['repository_owner_id:65:environment:production'])).not.toThrow()
    const both = { sub: 'environment:production', repository_id: '74' }
    expect(() => world({ workloads: [{ issuer: github, claims: both }] })).not.toThrow()
  })

  it('of a project whose number JSON reads as that of its neighbor', () => {
    // 2 ** 53, which 2 ** 53 + 1 is read as.
    const claims = { project_id: 9_007_199_254_740_992 }
    const workloads = [{ issuer: 'https://gitlab.com', claims }]
    expect(() => world({ workloads })).toThrow('apps.job.workloads')
  })
})

describe('attack: the host of an app’s keys', () => {
  const down = () => new Response('', { status: 500 })

  it('is down, and a stranger has it asked without end: their network waits after 300', async () => {
    const one = world()
    one.host.answer = down
    const headers = { 'cf-connecting-ip': '192.0.2.1' }
    const own = await assertionFields(key, 'keyed')
    const jobs = { client_id: 'job', assertion: await signed(key, job()) }
    for (const fields of [
      { grant_type: 'client_credentials', ...own },
      { grant_type: JWT_BEARER, ...jobs },
    ] as Record<string, string>[]) {
      one.host.asked = 0
      pass(61)
      const claims =
        'client_id' in fields
          ? { assertion: await signed(key, job()) }
          : await assertionFields(key, 'keyed')
      const statuses: number[] = []
      for (let times = 0; times < 305; times++) {
        statuses.push((await one.token({ ...fields, ...claims }, headers)).status)
      }
      expect([statuses[0], statuses.indexOf(429)]).toEqual([503, 300])
      expect(one.host.asked).toBe(300)
      expect((await one.token({ ...fields, ...claims })).status).toBe(503)
    }
  })

  it('publishes keys that an app may not have, and a machine’s job has had them read', async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => testKey('EdDSA')))
    const one = world()
    one.host.answer = () => Response.json({ keys: [...many.map(({ jwk }) => jwk), key.jwk] })
    expect((await bring(one, job())).status).toBe(200)
    expect((await asKeyed(one)).status).toBe(503)
  })

  it('gets a thousand made-up ids of keys: it is asked twice', async () => {
    const one = world()
    expect((await asKeyed(one)).status).toBe(200)
    const own = await testKey('ES256')
    await Promise.all(
      Array.from({ length: 100 }, (_, at) => asKeyed(one, {}, { kid: `made-up-${at}` }, own)),
    )
    expect(one.host.asked).toBe(2)
  })
})

describe('attack: a stranger names the app', () => {
  it('by an address that nobody registered: the log has no word of theirs', async () => {
    const own = await testKey('ES256')
    const open = { [resource]: { open: true, scopes: { 'notes:read': 'Read your notes' } } }
    const one = world({
      options: { resources: open, apps: { nightly: { machine: true, secret: clientSecret } } },
    })
    const id = `https://mallory.example/\nassertion-refused nightly: used ${'x'.repeat(3_000)}`
    for (const grant_type of ['client_credentials', 'authorization_code', JWT_BEARER]) {
      const fields = { grant_type, code: 'x', ...(await assertionFields(own, id)) }
      expect((await one.token(fields)).error).toBe('invalid_client')
    }
    expect(JSON.stringify([one.warnings, one.lines, one.errors.map(String)])).not.toContain(
      'mallory',
    )
  })

  it('of client metadata, which has neither a machine’s grant nor assertions', async () => {
    const open = { [resource]: { open: true, scopes: { 'notes:read': 'Read your notes' } } }
    const one = world({ options: { resources: open } })
    const client_id = 'https://mallory.example/client'
    for (const grant_type of ['client_credentials', JWT_BEARER]) {
      const fields = { grant_type, client_id, resource, assertion: await signed(key, job()) }
      expect((await one.token(fields)).error).toBe('unauthorized_client')
    }
  })
})

describe('attack: a host that only a header names', () => {
  const env = { AUTH_TRUSTED_ORIGINS: 'https://*.app.test', NODE_ENV: 'production' }
  const own = 'https://auth.app.test'
  const evil = 'https://evil.app.test'
  const forwarded = { 'x-forwarded-host': 'evil.app.test', 'x-forwarded-proto': 'https' }

  async function sendTo(
    at: string,
    headers: Record<string, string>,
    fields: Record<string, string>,
  ) {
    const one = world({ env, config: { features: [sharedDomains] } })
    const body = new URLSearchParams(fields)
    const request = new Request(`${at}/auth/oauth/token`, { method: 'POST', body, headers })
    const answer = await one.answer(request)
    return [answer.status, ((await answer.json()) as { error?: string }).error ?? 'token'].join(' ')
  }

  it.each<[string, string, Record<string, string>]>([
    ['in X-Forwarded-Host', own, forwarded],
    ['in Host', evil, {}],
  ])('%s: assertions for the server there count nothing here', async (_, at, headers) => {
    const aud = `${evil}/auth`
    const proof = {
      grant_type: 'client_credentials',
      ...(await assertionFields(key, 'keyed', { aud })),
    }
    const jobs = {
      grant_type: JWT_BEARER,
      client_id: 'job',
      assertion: await signed(key, job({ aud })),
    }
    const secret = {
      grant_type: 'client_credentials',
      client_id: 'nightly',
      client_secret: clientSecret,
    }
    for (const fields of [proof, jobs, secret]) {
      expect(await sendTo(at, headers, fields)).toBe('500 server_error')
    }
    // A stranger cannot fill the log with it.
    expect(await sendTo(at, headers, { ...secret, client_secret: 'x' })).toBe('401 invalid_client')
    const made = { ...jobs, assertion: await signed(await testKey('ES256'), job({ aud })) }
    expect(await sendTo(at, headers, made)).toBe('400 invalid_grant')
  })

  it('and the host that the operator has named goes on', async () => {
    const named = { AUTH_TRUSTED_ORIGINS: `${env.AUTH_TRUSTED_ORIGINS},${own}` }
    const one = world({ env: named, config: { features: [sharedDomains] } })
    const fields = {
      grant_type: 'client_credentials',
      ...(await assertionFields(key, 'keyed', { aud: `${own}/auth` })),
    }
    const body = new URLSearchParams(fields)
    const answer = await one.answer(
      new Request(`${own}/auth/oauth/token`, { method: 'POST', body }),
    )
    expect(answer.status).toBe(200)
  })
})

describe('attack: the token of a machine', () => {
  it('opens nothing that is a person’s', async () => {
    const one = world()
    const { accessToken } = await asSecret(one, { scope: 'notes:read' })
    const bearer = { authorization: `Bearer ${accessToken}` }
    const names = ['auth.session-token', '__Host-auth.session-token', 'authjs.session-token']
    const cookie = { cookie: names.map((name) => `${name}=${accessToken}`).join('; ') }
    for (const headers of [bearer, cookie]) {
      expect((await one.send('/session', { headers })).body).toEqual({ text: 'null' })
      for (const path of ['/apps', '/sessions', '/ways', '/oauth/userinfo']) {
        expect((await one.send(path, { headers })).status).toBe(401)
      }
    }
    const query = `/oauth/userinfo?access_token=${accessToken}`
    expect((await one.send(query)).status).toBe(401)
    const asJob = { grant_type: JWT_BEARER, client_id: 'job', assertion: accessToken }
    expect((await one.token(asJob)).error).toBe('invalid_grant')
    const refresh = { grant_type: 'refresh_token', refresh_token: accessToken }
    const web = { client_id: 'web', client_secret: clientSecret }
    expect((await one.token({ ...refresh, ...web })).error).toBe('invalid_grant')
  })

  it('opens no MCP server of people, and one that says so', async () => {
    const one = world()
    const { accessToken } = await asSecret(one)
    const worker = {
      fetch: (url: unknown, init?: RequestInit) => one.answer(new Request(String(url), init)),
    }
    const ask = async (machine?: boolean | 'only') => {
      const options = { audience: resource, worker, issuer, machine }
      const found = await protectMcp(options as never)(
        new Request(resource, { headers: { authorization: `Bearer ${accessToken}` } }),
      )
      if (!(found instanceof Response)) return found.machine
      expect(found.headers.get('www-authenticate')).toContain('error="invalid_token"')
      return found.status
    }
    expect([await ask(), await ask(false), await ask(true), await ask('only')]).toEqual([
      401,
      401,
      true,
      true,
    ])
  })

  it('is for its resource alone', async () => {
    const one = world()
    const { accessToken } = await asSecret(one)
    const worker = {
      fetch: (url: unknown, init?: RequestInit) => one.answer(new Request(String(url), init)),
    }
    const verifier = createTokenVerifier({ audience: other, worker, issuer, machine: true })
    expect((await verifier.read(`Bearer ${accessToken}`)).refusal?.reason).toBe('audience')
    verifier.close()
  })

  it('no key makes its holder the machine, and no person', async () => {
    const one = world({ options: { keys: { prefix: 'lk' } } })
    const wanted = { name: 'CI', resource, scopes: ['notes:read'] }
    for (const sub of ['machine:nightly', 'machine:', ' ']) {
      await expect(one.auth.createKey(sub, wanted, one.env, one.context)).rejects.toThrow(
        'createKey',
      )
    }
    expect(await one.auth.listKeys('machine:nightly', one.env, one.context)).toEqual([])
  })

  it('no browser comes back to it, and no device', async () => {
    const one = world()
    const query = 'response_type=code&client_id=nightly&redirect_uri=https://mallory.example/'
    const answer = await one.send(`/oauth/authorize?${query}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    const proof = { client_id: 'nightly', client_secret: clientSecret }
    expect((await one.post('/oauth/device', proof)).status).toBe(404)
  })
})

describe.each([1, 4])('with %i objects', (count) => {
  const objects = () => {
    return world({ store: new FakeLedgers().storesOf([count]) })
  }

  it('attack: a blocked machine gets no token by any proof, and loses those that it has', async () => {
    const one = objects()
    const worker = {
      fetch: (url: unknown, init?: RequestInit) => one.answer(new Request(String(url), init)),
    }
    const verifier = createTokenVerifier({ audience: resource, worker, issuer, machine: true })
    const proofs = {
      nightly: () => asSecret(one),
      keyed: () => asKeyed(one),
      job: async () => bring(one, job()),
    }
    for (const [id, ask] of Object.entries(proofs)) {
      const { accessToken } = await ask()
      expect((await verifier.read(`Bearer ${accessToken}`)).refusal).toBeNull()
      await one.auth.blockPerson({ sub: `machine:${id}` }, one.env, one.context)
      pass(16)
      expect((await ask()).error).toBe('invalid_grant')
      expect((await verifier.read(`Bearer ${accessToken}`)).refusal?.reason).toBe('grant-ended')
      await one.auth.unblockPerson(`machine:${id}`, one.env, one.context)
      const after = await ask()
      expect(claimsOf(after.accessToken).sub).toBe(`machine:${id}`)
      expect((await verifier.read(`Bearer ${after.accessToken}`)).refusal).toBeNull()
    }
    verifier.close()
  })
})

it('a rotation of the secret: an end to all tokens of a machine holds for those of before', async () => {
  const store = memoryStore()
  const old = world({ store })
  const before = (await asSecret(old)).accessToken
  const secret = ['another-secret-of-the-tests-0123456789', String(old.config.secret)]
  const one = world({ store, config: { secret } as never })
  const worker = {
    fetch: (url: unknown, init?: RequestInit) => one.answer(new Request(String(url), init)),
  }
  const verifier = createTokenVerifier({ audience: resource, worker, issuer, machine: true })
  expect((await verifier.read(`Bearer ${before}`)).refusal).toBeNull()
  await one.auth.endSessions({ sub: 'machine:nightly' }, one.env, one.context)
  pass(16)
  expect((await verifier.read(`Bearer ${before}`)).refusal?.reason).toBe('grant-ended')
  const after = (await asSecret(one)).accessToken
  expect((await verifier.read(`Bearer ${after}`)).refusal).toBeNull()
  verifier.close()
})

it('the audit log has each token of a machine, and a block of it, without a secret', async () => {
  const apps = { nightly: { machine: true, secret: clientSecret, resources } }
  const options = { apps, resources: { [resource]: { scopes: {} } } }
  const world = audited({ features: [operate(), authorizationServer(options)] })
  const fields = { grant_type: 'client_credentials', client_id: 'nightly' }
  const body = () => new URLSearchParams({ ...fields, client_secret: clientSecret })
  const ask = () =>
    world.here.answer(new Request(`${issuer}/oauth/token`, { method: 'POST', body: body() }))
  const answer = (await (await ask()).json()) as { access_token: string }
  await world.here.call('blockPerson', { sub: 'machine:nightly' })
  pass(2)
  expect((await ask()).status).toBe(400)
  await world.settled()
  const records = await world.records()
  const events = records.map(({ event }) => event)
  expect(events).toEqual(['machine-token', 'person-blocked', 'sessions-ended'])
  const text = JSON.stringify([records, world.events])
  for (const part of [answer.access_token, clientSecret]) expect(text).not.toContain(part)
})
