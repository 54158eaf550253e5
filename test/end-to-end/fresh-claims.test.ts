import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { startWranglerDev } from '../../scripts/wrangler-dev.ts'
import { type ClaimsApps, startClaimsApps } from '../support/claims-apps.ts'
import { freePort } from '../support/free-port.ts'
import { startOrganisations } from '../support/organisations.ts'
import { linkIn, Visitor } from '../support/visitor.ts'

/**
 * By the clock: how long after `refreshClaims` five verifiers have the new role. In the first test, the service is in workerd, and the
 * isolate that refreshes is another one: it prints the figures of docs/fresh-claims.md.
 */
const PEOPLE = 50
/** `revocation.maxDelay`, of which the contract speaks. Milliseconds. */
const MOST = 15_000
const AUTH_SECRET = 'a-secret-of-the-tests-0123456789abcdef'
const AUDIENCE = 'https://api.example/'
const REDIRECT = 'http://127.0.0.1/callback'

/** Named by their entries, so that they are seen to be in use. */
const workers = {
  service: fileURLToPath(import.meta.resolve('./claims-worker/service.ts')),
  operator: fileURLToPath(import.meta.resolve('./claims-worker/operator.ts')),
}
const configOf = (entry: string) => entry.replace(/ts$/, 'toml')

const stops: (() => unknown)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const stop of stops.splice(0).toReversed()) await stop()
})

/** @param service its URL with the base path */
async function appsOf(service: string): Promise<ClaimsApps> {
  vi.stubEnv('AUTH_URL', service)
  const apps = await startClaimsApps(service, AUDIENCE)
  stops.push(apps.stop)
  return apps
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

async function tokens(url: string, fields: Readonly<Record<string, string>>): Promise<Tokens> {
  const body = new URLSearchParams({ client_id: 'client', ...fields })
  const answer = await fetch(`${url}/auth/oauth/token`, { method: 'POST', body })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Tokens
}

/** A person who is signed in lets a client of the API in. @param url of the service */
async function letIn(url: string, visitor: Visitor) {
  const verifier = randomBytes(32).toString('base64url')
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: 'client',
    redirect_uri: REDIRECT,
    scope: 'notes:read',
    resource: AUDIENCE,
    state: 'state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const page = await (await visitor.go(`/auth/oauth/authorize?${asked}`)).text()
  const [, request = ''] = /name="request" value="([^"]+)"/.exec(page) ?? []
  const fields = { csrfToken: await visitor.csrfToken(), request, decision: 'allow' }
  const allowed = await visitor.post('/auth/oauth/consent', fields)
  const code = new URL(allowed.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const granted = await tokens(url, {
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT,
    code_verifier: verifier,
    code,
  })
  return { cookie: visitor.cookie, granted }
}

type Someone = Awaited<ReturnType<typeof letIn>>

const roleAt = async (url: string, { cookie }: Someone) => {
  const answer = await fetch(url, { headers: { cookie } })
  return ((await answer.json()) as { role?: string } | null)?.role
}
const statusAt = async ({ api }: ClaimsApps, token: string) =>
  (await fetch(api, { headers: { authorization: `Bearer ${token}` } })).status

type Question = (apps: ClaimsApps, one: Someone, role: string) => Promise<boolean>

/** Has the refresh arrived? By the name of the verifier. */
const questions: Readonly<Record<string, Question>> = {
  Express: async ({ express }, one, role) => (await roleAt(express, one)) === role,
  Hono: async ({ hono }, one, role) => (await roleAt(hono, one)) === role,
  SvelteKit: async ({ sveltekit }, one, role) => (await roleAt(sveltekit, one)) === role,
  'a Worker': async ({ worker }, one, role) => (await roleAt(worker, one)) === role,
  'an API': async (apps, { granted }) => (await statusAt(apps, granted.access_token)) === 401,
}

/** @returns milliseconds */
async function arrival(question: () => Promise<boolean>): Promise<number> {
  const begun = performance.now()
  while (!(await question())) {
    if (performance.now() - begun > 4 * MOST) throw new Error('The refresh has not arrived.')
    await sleep(100)
  }
  return performance.now() - begun
}

/** The client of the API refreshes, and goes on. */
async function refreshed(url: string, apps: ClaimsApps, { granted }: Someone): Promise<number> {
  const { refresh_token } = granted
  const next = await tokens(url, { grant_type: 'refresh_token', refresh_token, resource: AUDIENCE })
  return statusAt(apps, next.access_token)
}

test(`the worst of ${PEOPLE} changes reaches each verifier within 15 seconds, and signs nobody out`, async () => {
  const service = await startWranglerDev({
    name: 'service',
    port: await freePort(),
    config: configOf(workers.service),
    args: ['--config', configOf(workers.operator)],
  })
  stops.push(service.stop)
  const { url } = service
  const apps = await appsOf(`${url}/auth`)
  const people: (Someone & { readonly sub: string })[] = []
  for (let one = 0; one < PEOPLE; one++) {
    const [sub, visitor] = [`person-${one}`, new Visitor(url)]
    const csrfToken = await visitor.csrfToken()
    await visitor.post('/auth/callback/credentials', { csrfToken, username: sub })
    people.push({ sub, ...(await letIn(url, visitor)) })
  }
  // Each token is in use, and nothing is stale.
  for (const one of people) {
    const asked = Object.values(questions).map((question) => question(apps, one, 'editor'))
    expect(await Promise.all(asked)).toEqual(asked.map(() => false))
  }
  const delays = new Map(Object.keys(questions).map((name) => [name, [] as number[]]))
  const watches: Promise<unknown>[] = []
  for (const [index, one] of people.entries()) {
    const answer = await fetch(`${url}/role?sub=${one.sub}`, { method: 'POST' })
    expect(await answer.text()).toBe('refreshed')
    for (const [name, question] of Object.entries(questions)) {
      const watch = arrival(() => question(apps, one, 'editor'))
      watches.push(watch.then((delay) => delays.get(name)?.push(delay)))
    }
    // Not in step with any interval.
    await sleep(500 + ((index * 379) % 700))
  }
  await Promise.all(watches)
  const figures = [...delays].map(([name, all]) => {
    const sorted = all.toSorted((first, second) => first - second)
    const worst = sorted.at(-1) ?? Number.POSITIVE_INFINITY
    return { name, worst, median: sorted[PEOPLE / 2] ?? Number.POSITIVE_INFINITY }
  })
  const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1)
  const lines = figures.map((one) => `${one.name} ${seconds(one.worst)} (${seconds(one.median)})`)
  process.stdout.write(`Fresh claims, worst (median) in seconds: ${lines.join(', ')}\n`)
  for (const { name, worst } of figures) expect([name, worst < MOST]).toEqual([name, true])
  for (const one of people.slice(0, 5)) expect(await refreshed(url, apps, one)).toBe(200)
}, 400_000)

test('examples/organisations: a change of a role reaches Express, Hono, SvelteKit, a Worker and an API within 15 seconds', async () => {
  const { url, mailTo } = await startOrganisations(stops, {
    AUTH_SECRET,
    AUTH_APP_CLIENT_REDIRECT_URIS: REDIRECT,
    AUTH_RESOURCE_NOTES_URI: AUDIENCE,
    AUTH_RESOURCE_NOTES_SCOPES: '{"notes:read":"Read"}',
  })
  const apps = await appsOf(`${url}/auth`)
  const [ada, grace] = [new Visitor(url), new Visitor(url)]
  await ada.signIn('ada@example.com', mailTo)
  await ada.post('/organisations', { name: 'Acme' })
  const home = await (await ada.go('/')).text()
  const [, organisation = ''] = /data-organisation="([^"]+)"/.exec(home) ?? []
  await ada.update({ organisation })
  await ada.post('/invitations', { organisation, address: 'grace@example.com', role: 'member' })
  const link = linkIn(await mailTo('grace@example.com'))
  await grace.signIn('grace@example.com', mailTo)
  await grace.post('/join', { invitation: link.searchParams.get('invitation') ?? '' })
  await grace.update({ organisation })
  const one = await letIn(url, grace)
  const { user } = (await (await grace.go('/api/me')).json()) as { user: { id: string } }
  // The switch has refreshed this session: its grants are from afterwards.
  for (const name of ['Express', 'Hono', 'SvelteKit', 'a Worker']) {
    expect([name, await questions[name]?.(apps, one, 'member')]).toEqual([name, true])
  }
  expect(await statusAt(apps, one.granted.access_token)).toBe(200)
  const change = { organisation, person: user.id, role: 'admin' }
  expect((await ada.post('/members/role', change)).status).toBe(303)
  const all = Object.entries(questions).map(async ([name, question]) => {
    expect([name, (await arrival(() => question(apps, one, 'admin'))) < MOST]).toEqual([name, true])
  })
  await Promise.all(all)
  expect(await refreshed(url, apps, one)).toBe(200)
}, 200_000)
