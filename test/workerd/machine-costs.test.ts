import { customFetch } from '@latchkey/worker'
import {
  type AuthorizationServerOptions,
  authorizationServer,
} from '@latchkey/worker/features/authorization-server'
import oidc from '@latchkey/worker/providers/oidc'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { countingLedger, countRows } from './counted-ledger.ts'
import { Browser, countingKv, service } from './support.ts'

// What machines and assertions cost, in real objects.

clock({ start: 'now' })

const audience = 'https://api.example.com/'
const company = 'https://idp.company.example'
const cluster = 'https://oidc.cluster.example'
const secret = 'the-secret-of-the-apps-of-these-tests-0123456789'
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

let count: Awaited<ReturnType<typeof countRows>>
let key: { readonly privateKey: CryptoKey; readonly jwk: object }
beforeAll(async () => {
  count = await countRows()
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  key = { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: 'key', alg: 'ES256' } }
})
afterAll(() => count.restore())

const now = () => Math.floor(Date.now() / 1000)

function sign(claims: JWTPayload, typ = 'JWT'): Promise<string> {
  const life = { iat: now(), exp: now() + 300, jti: crypto.randomUUID() }
  return new SignJWT({ ...life, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'key', typ })
    .sign(key.privateKey)
}

function world(objects: number) {
  const { ledger, calls } = countingLedger()
  const { kv, calls: ofKv } = countingKv()
  const answer = async (input: RequestInfo | URL) => {
    const { origin, pathname } = new URL(String(input))
    if (pathname !== '/.well-known/openid-configuration') return Response.json({ keys: [key.jwk] })
    const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri']
    const named = endpoints.map((name) => [name, `${origin}/${name}`])
    return Response.json({ issuer: origin, ...Object.fromEntries(named) })
  }
  const fetch = answer as typeof globalThis.fetch
  const resources = { [audience]: true } as const
  const job = (claims: { sub: string }, reuse: boolean) => ({
    machine: true,
    workloads: [{ issuer: cluster, claims, reuse }],
    resources,
  })
  const options: AuthorizationServerOptions = {
    apps: {
      agent: { secret, redirectUris: ['https://agent.example/cb'] },
      nightly: { machine: true, secret, resources },
      keyed: { machine: true, jwks: { keys: [key.jwk as Record<string, unknown>] }, resources },
      job: job({ sub: 'job' }, false),
      pod: job({ sub: 'pod' }, true),
    },
    resources: { [audience]: { scopes: { 'notes:read': 'Read your notes' } } },
    trustedIssuers: { [company]: { provider: 'work', apps: ['agent'] } },
    fetch,
  }
  const provider = oidc({
    ...{ id: 'work', name: 'Work', issuer: company },
    ...{ clientId: 'latchkey', clientSecret: secret, [customFetch]: fetch },
  })
  const of = service(
    { ledgerShards: objects, providers: [provider], features: [authorizationServer(options)] },
    { LEDGER: ledger, SESSIONS: kv } as object,
  )
  const browser = new Browser(of)
  const send = async (fields: Record<string, string>) => {
    const body = new URLSearchParams({ resource: audience, ...fields })
    const told = await browser.go('/auth/oauth/token', { method: 'POST', body })
    await told.text()
    return told.status
  }
  /** Ledger calls, rows written with their index entries, and calls of KV. */
  async function costOf(run: () => Promise<unknown>): Promise<string> {
    const before = [calls.length, count.written, ofKv.length]
    await run()
    await browser.settle()
    const after = [calls.length, count.written, ofKv.length]
    return after.map((value, at) => value - (before[at] ?? 0)).join(' · ')
  }
  return { browser, send, costOf, calls }
}

/** Each event with its ledger calls, rows with their index entries, and calls of KV. */
const COSTS = {
  'client_credentials, by a secret': '1 · 0 · 0',
  'client_credentials, by a client assertion': '2 · 2 · 0',
  'a workload': '2 · 2 · 0',
  'a workload, with reuse': '1 · 0 · 0',
  'ID-JAG: the first of a person, app, resource': '3 · 4 · 0',
  'ID-JAG: a later one': '2 · 2 · 0',
  'a made-up assertion': '0 · 0 · 0',
}

test.each([1, 4])('in %i objects each event costs as much as the table says', async (objects) => {
  const { browser, send, costOf } = world(objects)
  const issuer = (
    (await (await browser.go('/auth/.well-known/openid-configuration')).json()) as {
      issuer: string
    }
  ).issuer
  const client = { grant_type: 'client_credentials' }
  const bySecret = () => send({ ...client, client_id: 'nightly', client_secret: secret })
  const byKey = async () =>
    send({
      ...client,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await sign({ iss: 'keyed', sub: 'keyed', aud: issuer }),
    })
  const byJob = async (client_id: string) =>
    send({
      ...{ grant_type: JWT_BEARER, client_id },
      assertion: await sign({ iss: cluster, sub: client_id, aud: issuer }),
    })
  const jag = (changes: object = {}) =>
    sign(
      {
        ...{ iss: company, sub: `ada-${objects}`, aud: issuer, client_id: 'agent' },
        ...{ resource: audience, scope: 'notes:read', ...changes },
      },
      'oauth-id-jag+jwt',
    )
  const agent = { grant_type: JWT_BEARER, client_id: 'agent', client_secret: secret }
  const byJag = async () => send({ ...agent, assertion: await jag() })
  const madeUp = async () =>
    send({ ...agent, assertion: (await jag()).replace(/.{9}$/, 'AAAAAAAAA') })
  // Keys, and objects that are there.
  for (const status of [await bySecret(), await byKey(), await byJob('job'), await byJob('pod')]) {
    expect(status).toBe(200)
  }
  const found: Record<string, string> = {}
  const statuses: number[] = []
  const costs = async (name: string, run: () => Promise<number>) => {
    found[name] = await costOf(async () => statuses.push(await run()))
  }
  await costs('client_credentials, by a secret', bySecret)
  await costs('client_credentials, by a client assertion', byKey)
  await costs('a workload', () => byJob('job'))
  await costs('a workload, with reuse', () => byJob('pod'))
  await costs('ID-JAG: the first of a person, app, resource', byJag)
  await costs('ID-JAG: a later one', byJag)
  await costs('a made-up assertion', madeUp)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 400])
  expect(found).toEqual(COSTS)
})
