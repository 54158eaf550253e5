import { beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { fails, faulty } from '../../../test-support/faulty.js'
import { machineWorld } from '../../../test-support/machine-world.js'
import { claimsOf, clientSecret, issuer, resource } from '../../../test-support/oauth.js'
import {
  type Claims,
  signed,
  signedText,
  type TestKey,
  testKey,
} from '../../../test-support/oauth-keys.js'
import type { WorkloadOptions } from '../options.js'

// Tokens of jobs elsewhere, in the form that GitHub Actions and Kubernetes publish, by a test issuer.

const { pass } = clock()

const github = 'https://token.actions.githubusercontent.com'
const cluster = 'https://oidc.cluster.example/id/1'
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

let key: TestKey
let other: TestKey
beforeAll(async () => {
  ;[key, other] = await Promise.all([testKey('RS256'), testKey('RS256')])
})

const now = () => Math.floor(Date.now() / 1000)

/** What GitHub says of a job: docs.github.com, "OpenID Connect reference". */
const job = (changes: Claims = {}): Claims => ({
  ...{ jti: crypto.randomUUID(), iss: github, aud: issuer },
  ...{ iat: now(), nbf: now() - 300, exp: now() + 300 },
  sub: 'repo:octo-org/octo-repo:environment:production',
  environment: 'production',
  ref: 'refs/heads/main',
  repository: 'octo-org/octo-repo',
  repository_owner: 'octo-org',
  repository_id: '74',
  repository_owner_id: '65',
  repository_visibility: 'private',
  event_name: 'push',
  ref_protected: 'true',
  runner_environment: 'github-hosted',
  job_workflow_ref: 'octo-org/octo-automation/.github/workflows/oidc.yml@refs/heads/main',
  ...changes,
})

/** What Kubernetes says of a pod with a projected service account token. */
const pod = (changes: Claims = {}): Claims => ({
  ...{ iss: cluster, aud: [issuer], iat: now(), nbf: now(), exp: now() + 3_600 },
  sub: 'system:serviceaccount:jobs:nightly',
  'kubernetes.io': { namespace: 'jobs', serviceaccount: { name: 'nightly', uid: '1' } },
  ...changes,
})

const ofGithub: WorkloadOptions = {
  issuer: github,
  claims: {
    repository_id: '74',
    ref: 'refs/heads/main',
    event_name: ['push', 'workflow_dispatch'],
  },
}
const ofCluster: WorkloadOptions = {
  issuer: cluster,
  claims: { sub: 'system:serviceaccount:jobs:nightly' },
  reuse: true,
}

function world({
  workloads = [ofGithub, ofCluster] as readonly WorkloadOptions[],
  more = {} as object,
  ...changes
}: { workloads?: readonly WorkloadOptions[]; more?: object } & Parameters<
  typeof machineWorld
>[0] = {}) {
  const asked: string[] = []
  const site = { isDown: false }
  const fetch = (async (url: string) => {
    asked.push(url)
    if (site.isDown) return new Response('', { status: 502 })
    const { origin, pathname } = new URL(url)
    if (pathname.endsWith('/jwks')) return Response.json({ keys: [key.jwk] })
    const own = origin + pathname.replace('/.well-known/openid-configuration', '')
    return Response.json({ issuer: own, jwks_uri: `${own}/jwks` })
  }) as unknown as typeof globalThis.fetch
  const ci = { machine: true, workloads, resources: { [resource]: true }, ...more } as const
  const one = machineWorld({ ...changes, options: { apps: { ci }, fetch, ...changes.options } })
  return { ...one, asked, site }
}

type World = ReturnType<typeof world>

const send = (one: World, assertion: string, fields: Record<string, string> = {}) =>
  one.token({ grant_type: JWT_BEARER, client_id: 'ci', resource, assertion, ...fields })

async function verdict(one: World, claims: Claims, header: Claims = { typ: 'JWT' }, by = key) {
  const { status, error } = await send(one, await signed(by, claims, header))
  return [status, error ?? 'token'].join(' ')
}

const good = '200 token'
const bad = '400 invalid_grant'

describe('a job of GitHub Actions', () => {
  it('gets a token of the machine for the token of the job, without a secret', async () => {
    const one = world()
    const answer = await send(one, await signed(key, job(), { typ: 'JWT' }), {
      scope: 'notes:read',
    })
    expect(answer.body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 300,
      scope: 'notes:read',
    })
    expect(claimsOf(answer.accessToken)).toMatchObject({ sub: 'machine:ci', machine: true })
    expect(one.asked).toEqual([`${github}/.well-known/openid-configuration`, `${github}/jwks`])
    expect(await verdict(one, job())).toBe(good)
    expect(one.asked).toHaveLength(2)
  })

  it.each<[string, Claims]>([
    [
      "for a fork's pull request",
      {
        repository: 'mallory/octo-repo',
        repository_id: '99',
        repository_owner: 'mallory',
        repository_owner_id: '98',
        event_name: 'pull_request',
        ref: 'refs/pull/1/merge',
        sub: 'repo:mallory/octo-repo:pull_request',
      },
    ],
    ['for a pull request', { event_name: 'pull_request', ref: 'refs/pull/1/merge' }],
    ['for another branch', { ref: 'refs/heads/main2' }],
    ['for another repository that begins alike', { repository_id: '741' }],
    ['with a number as the id', { repository_id: 74 }],
    ['with a list as the id', { repository_id: ['74'] }],
    ['without the claim', { repository_id: undefined }],
    ['for another audience', { aud: 'https://other.example' }],
    ['for this issuer and another one', { aud: [issuer, 'https://other.example'] }],
    ['for the token endpoint', { aud: `${issuer}/oauth/token` }],
    ['from an issuer that is not configured', { iss: 'https://issuer.example' }],
    ['from an issuer with a slash more', { iss: `${github}/` }],
    ['that has ended', { exp: 0 }],
    ['without an end', { exp: undefined }],
    ['without a beginning', { iat: undefined }],
    ['that lasts for longer than a day', { exp: 1_900_000_000 }],
    ['without an id', { jti: undefined }],
  ])('attack: a token %s gets none', async (_, changes) => {
    expect(await verdict(world(), job(changes))).toBe(bad)
  })

  it('attack: of another kind, by another key, by none, with a member twice', async () => {
    const one = world()
    for (const typ of ['at+jwt', 'oauth-id-jag+jwt', 'client-authentication+jwt']) {
      expect(await verdict(one, job(), { typ })).toBe(bad)
    }
    expect(await verdict(one, job(), { kid: key.kid }, other)).toBe(bad)
    const claims = JSON.stringify(job())
    const twice = claims.replace('{', '{"repository_id":"1",')
    expect((await send(one, await signedText(key, twice))).error).toBe('invalid_grant')
    const [, body = ''] = (await signed(key, job())).split('.')
    for (const alg of ['none', 'HS256']) {
      const head = Buffer.from(JSON.stringify({ alg, kid: key.kid })).toString('base64url')
      expect((await send(one, `${head}.${body}.`)).error).toBe('invalid_grant')
      expect((await send(one, `${head}.${body}.AAAA`)).error).toBe('invalid_grant')
    }
    expect((await send(one, `${'A'.repeat(16_385)}.e30.AA`)).error).toBe('invalid_grant')
  })

  it('attack: a token counts once, at once too', async () => {
    const one = world()
    const assertion = await signed(key, job())
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(one, assertion)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await send(one, assertion)).error).toBe('invalid_grant')
    expect(one.warnings.at(-1)).toEqual(['assertion-refused', 'ci: used'])
  })

  it('attack: an issuer that is not configured is never asked', async () => {
    const one = world()
    await verdict(one, job({ iss: 'https://inner.example' }))
    await verdict(one, job({ ref: 'refs/heads/other' }))
    expect(one.asked).toEqual([])
  })

  it('an issuer that does not answer is 503, and the token counts afterwards', async () => {
    const one = world()
    const assertion = await signed(key, job())
    one.site.isDown = true
    expect((await send(one, assertion)).status).toBe(503)
    one.site.isDown = false
    expect((await send(one, assertion)).status).toBe(200)
  })

  it.each(['liveDocument', 'consume'] as const)(
    'a ledger that fails at %s is 503, and the token counts afterwards',
    async (method) => {
      const { store, faults } = faulty()
      const one = world({ store: store as never })
      const assertion = await signed(key, job())
      faults.set(method, fails)
      expect((await send(one, assertion)).status).toBe(503)
      faults.delete(method)
      expect((await send(one, assertion)).status).toBe(200)
    },
  )
})

describe('a pod of Kubernetes', () => {
  it('brings its token again until that ends, without an id', async () => {
    const one = world()
    const assertion = await signed(key, pod())
    for (let times = 0; times < 3; times++) {
      expect((await send(one, assertion)).status).toBe(200)
      pass(1_000)
    }
    pass(601)
    expect((await send(one, assertion)).error).toBe('invalid_grant')
  })

  it('may have an audience of its own, and keys at an address', async () => {
    const jwksUri = 'https://keys.example/jwks'
    const own = { ...ofCluster, audience: 'latchkey', jwksUri }
    const one = world({ workloads: [own] })
    expect(await verdict(one, pod({ aud: ['latchkey'] }))).toBe(good)
    expect(await verdict(one, pod())).toBe(bad)
    expect(one.asked).toEqual([jwksUri])
  })
})

describe('rules', () => {
  it('compare texts, numbers and booleans to the letter, and beginnings', async () => {
    const claims = { a: 1, b: true, c: ['x', 2], d: { startsWith: 'refs/heads/' } }
    const one = world({ workloads: [{ issuer: cluster, claims, reuse: true }] })
    const all = { a: 1, b: true, c: 2, d: 'refs/heads/x' }
    expect(await verdict(one, pod(all))).toBe(good)
    for (const change of [
      { a: '1' },
      { b: 'true' },
      { c: '2' },
      { c: 'X' },
      { d: 'refs/head' },
      { d: ['refs/heads/x'] },
    ]) {
      expect(await verdict(one, pod({ ...all, ...change }))).toBe(bad)
    }
  })

  it('attack: a claim of the prototype matches nothing', async () => {
    const claims = { toString: { startsWith: 'function' }, sub: 'x' }
    const one = world({ workloads: [{ issuer: cluster, claims, reuse: true }] })
    expect(await verdict(one, pod({ sub: 'x' }))).toBe(bad)
  })

  it('count together within one workload, and never across two', async () => {
    const one = world({
      workloads: [
        { issuer: cluster, claims: { a: 1, b: 1 }, reuse: true },
        { issuer: cluster, claims: { a: 2, b: 2 }, reuse: true },
      ],
    })
    expect(await verdict(one, pod({ a: 1, b: 2 }))).toBe(bad)
    expect(await verdict(one, pod({ a: 2, b: 2 }))).toBe(good)
  })

  const shared = (workload: object) => () => world({ workloads: [workload as never] })

  it.each<[string, object]>([
    [
      'attack: a rule that matches by prefix where a whole value is needed',
      { issuer: github, claims: { repository: { startsWith: 'octo-org/' } } },
    ],
    [
      'attack: a rule without an owner, at GitHub',
      { issuer: github, claims: { ref: 'refs/heads/main' } },
    ],
    [
      'attack: the workflow of another repository, at GitHub',
      { issuer: github, claims: { job_workflow_ref: 'octo-org/x@main' } },
    ],
    [
      'attack: a rule without an owner, at GitLab',
      { issuer: 'https://gitlab.com', claims: { ref: 'main' } },
    ],
    [
      'attack: a rule without an owner, at Terraform',
      { issuer: 'https://app.terraform.io', claims: { terraform_run_phase: 'apply' } },
    ],
    [
      'attack: a rule without an owner, at Google',
      { issuer: 'https://accounts.google.com', claims: { email_verified: true } },
    ],
    ['no rule', { issuer: cluster, claims: {} }],
    ['an issuer at http', { issuer: 'http://issuer.example', claims: { sub: 'x' } }],
    ['no issuer', { claims: { sub: 'x' } }],
    ['an empty beginning', { issuer: cluster, claims: { sub: { startsWith: '' } } }],
    ['an expression', { issuer: cluster, claims: { sub: { matches: '.*' } } }],
    ['another member', { issuer: cluster, claims: { sub: 'x' }, allow: true }],
    ['a reuse that is a text', { issuer: cluster, claims: { sub: 'x' }, reuse: 'true' }],
  ])('%s is a configuration error', (_, workload) => {
    expect(shared(workload)).toThrow('apps.ci.workloads')
  })

  it('for a shared issuer are good with the whole value of an owner', () => {
    for (const claims of [
      { repository: 'octo-org/octo-repo' },
      { repository_owner_id: ['65', '66'] },
    ]) {
      expect(shared({ issuer: github, claims })).not.toThrow()
    }
  })
})

describe('a machine with workloads', () => {
  it('proves itself by no client_id alone', async () => {
    const one = world()
    for (const grant_type of ['client_credentials', 'authorization_code']) {
      expect((await one.token({ grant_type, client_id: 'ci', resource })).error).toBe(
        'invalid_client',
      )
    }
  })

  it('and a secret: a request with a secret is not a job', async () => {
    const one = world({ more: { secret: clientSecret } })
    const fields = { client_secret: clientSecret }
    expect((await send(one, await signed(key, job()), fields)).error).toBe('unauthorized_client')
    expect((await send(one, await signed(key, job()))).status).toBe(200)
    const own = { grant_type: 'client_credentials', client_id: 'ci', resource, ...fields }
    expect((await one.token(own)).status).toBe(200)
  })

  it('that is blocked gets none', async () => {
    const one = world()
    await one.auth.blockPerson({ sub: 'machine:ci' }, one.env, one.context)
    pass(2)
    expect(await verdict(one, job())).toBe(bad)
  })

  it('is in the metadata', async () => {
    const { body } = await world().send('/.well-known/openid-configuration')
    expect(body.grant_types_supported).toContain(JWT_BEARER)
    expect(body).not.toHaveProperty('authorization_grant_profiles_supported')
  })

  it('by variables', async () => {
    const env = {
      AUTH_APP_CI_MACHINE: 'true',
      AUTH_APP_CI_WORKLOADS: JSON.stringify([ofGithub]),
      AUTH_APP_CI_RESOURCES: JSON.stringify({ [resource]: true }),
    }
    const one = world({ env, options: { apps: {} } })
    expect(await verdict(one, job())).toBe(good)
  })
})

describe('attack: the token of a job is refused, and the log says why', () => {
  it.each<[string, () => Claims, Claims]>([
    ['type', job, { typ: 'at+jwt' }],
    ['alg', job, { alg: 'none' }],
    ['issuer', () => job({ iss: `${github}/` }), {}],
    ['times', () => job({ exp: now() + 86_401 }), {}],
    ['times', () => job({ iat: undefined }), {}],
    ['audience', () => job({ aud: `${issuer}/` }), {}],
    ['claims', () => job({ ref: 'refs/heads/other' }), {}],
    ['jti', () => job({ jti: undefined }), {}],
  ])('%s', async (fault, claims, header) => {
    const one = world()
    const [, body, signature] = (await signed(key, claims())).split('.')
    const head = Buffer.from(JSON.stringify({ alg: 'RS256', kid: key.kid, ...header }))
    const isForged = 'alg' in header
    const assertion = isForged
      ? `${head.toString('base64url')}.${body}.${signature}`
      : await signed(key, claims(), header)
    expect((await send(one, assertion)).error).toBe('invalid_grant')
    expect(one.warnings).toContainEqual(['assertion-refused', `ci: ${fault}`])
    expect(one.lines).toEqual([])
  })

  it('malformed, and by another key', async () => {
    const one = world()
    expect((await send(one, 'x')).error).toBe('invalid_grant')
    expect(one.warnings.at(-1)).toEqual(['assertion-refused', 'ci: malformed'])
    expect(await verdict(one, job(), { kid: key.kid }, other)).toBe(bad)
    expect(one.warnings.at(-1)).toEqual(['assertion-refused', 'ci: signature'])
  })

  it('a request without one says so', async () => {
    const { status, body } = await world().token({ grant_type: JWT_BEARER, client_id: 'ci' })
    expect([status, body]).toEqual([
      400,
      { error: 'invalid_request', error_description: 'Send an assertion.' },
    ])
  })
})

describe('the token of a job', () => {
  it('counts afterwards if the keys could not be read: 503', async () => {
    const claims = { sub: 'system:serviceaccount:jobs:nightly' }
    const jwksUri = 'https://keys.example/jwks'
    const one = world({ workloads: [{ issuer: cluster, jwksUri, claims }] })
    const assertion = await signed(key, pod({ jti: 'one' }))
    one.site.isDown = true
    const failed = await send(one, assertion)
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '2'])
    expect(one.warnings).toEqual([])
    one.site.isDown = false
    expect((await send(one, assertion)).status).toBe(200)
  })

  it('counts without a type, and for a day at most', async () => {
    expect(await verdict(world(), job({ exp: now() + 86_400 }), {})).toBe(good)
    expect(await verdict(world(), job(), { typ: undefined })).toBe(good)
  })

  it('attack: has the id that another issuer has given: it is used up at its own alone', async () => {
    const claims = { sub: 'system:serviceaccount:jobs:nightly' }
    const one = world({ workloads: [ofGithub, { issuer: cluster, claims }] })
    for (const claims of [job({ jti: 'the-same' }), pod({ jti: 'the-same' })]) {
      expect(await verdict(one, claims)).toBe(good)
      expect(await verdict(one, claims)).toBe(bad)
    }
  })

  it('attack: with `reuse` a token may have an id, and without it the id is needed', async () => {
    const one = world()
    for (let times = 0; times < 2; times++) {
      expect(await verdict(one, pod({ jti: 'the-same' }))).toBe(good)
    }
    expect(await verdict(one, job({ jti: '' }))).toBe(bad)
  })
})
