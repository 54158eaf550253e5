import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startWranglerDev, type WranglerDev } from '../../scripts/wrangler-dev.ts'
import { type ClaimsApps, startClaimsApps } from '../support/claims-apps.ts'
import { freePort } from '../support/free-port.ts'
import { Visitor } from '../support/visitor.ts'

/**
 * By the clock: how long after `refreshClaims` five verifiers have the new role. The service is in workerd, and the isolate that
 * refreshes is another one. The last line of the run has the figures of docs/fresh-claims.md.
 */
const PEOPLE = 50
/** `revocation.maxDelay`, of which the contract speaks. Milliseconds. */
const MOST = 15_000
const AUDIENCE = 'https://api.example/'
const REDIRECT = 'http://127.0.0.1/callback'

let service: WranglerDev
let apps: ClaimsApps

beforeAll(async () => {
  const port = await freePort()
  const folder = 'test/end-to-end/claims-worker'
  service = await startWranglerDev({
    name: 'service',
    port,
    config: `${folder}/service.toml`,
    args: ['--config', `${folder}/operator.toml`],
    vars: { AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef', AUDIENCE },
  })
  vi.stubEnv('AUTH_URL', `${service.url}/auth`)
  apps = await startClaimsApps(`${service.url}/auth`, AUDIENCE)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await apps?.stop()
  await service?.stop()
})

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

async function tokens(fields: Readonly<Record<string, string>>): Promise<Tokens> {
  const body = new URLSearchParams({ client_id: 'client', ...fields })
  const answer = await fetch(`${service.url}/auth/oauth/token`, { method: 'POST', body })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Tokens
}

/** A person with a session and an access token. */
async function person(sub: string) {
  const visitor = new Visitor(service.url)
  const csrfToken = await visitor.csrfToken()
  await visitor.post('/auth/callback/credentials', { csrfToken, username: sub })
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
  const granted = await tokens({
    grant_type: 'authorization_code',
    redirect_uri: REDIRECT,
    code_verifier: verifier,
    code,
  })
  return { sub, cookie: visitor.cookie, granted }
}

type Someone = Awaited<ReturnType<typeof person>>

const roleAt = async (url: string, { cookie }: Someone) => {
  const answer = await fetch(url, { headers: { cookie } })
  return ((await answer.json()) as { role?: string } | null)?.role
}
const statusAt = async (token: string) =>
  (await fetch(apps.api, { headers: { authorization: `Bearer ${token}` } })).status

/** Has the refresh arrived? By the name of the verifier. */
const questions: Readonly<Record<string, (one: Someone) => Promise<boolean>>> = {
  Express: async (one) => (await roleAt(apps.express, one)) === 'editor',
  Hono: async (one) => (await roleAt(apps.hono, one)) === 'editor',
  SvelteKit: async (one) => (await roleAt(apps.sveltekit, one)) === 'editor',
  'a Worker': async (one) => (await roleAt(apps.worker, one)) === 'editor',
  'an API': async ({ granted }) => (await statusAt(granted.access_token)) === 401,
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

test(`the worst of ${PEOPLE} changes reaches each verifier within 15 seconds, and signs nobody out`, async () => {
  const people: Someone[] = []
  for (let one = 0; one < PEOPLE; one++) people.push(await person(`person-${one}`))
  // Each token is in use, and nothing is stale.
  for (const one of people) {
    const asked = Object.values(questions).map((question) => question(one))
    expect(await Promise.all(asked)).toEqual(asked.map(() => false))
  }
  const delays = new Map(Object.keys(questions).map((name) => [name, [] as number[]]))
  const watches: Promise<unknown>[] = []
  for (const [index, one] of people.entries()) {
    const answer = await fetch(`${service.url}/role?sub=${one.sub}`, { method: 'POST' })
    expect(await answer.text()).toBe('refreshed')
    for (const [name, question] of Object.entries(questions)) {
      const watch = arrival(() => question(one))
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
  // Clients of the API refresh, and go on.
  for (const { granted } of people.slice(0, 5)) {
    const { refresh_token } = granted
    const next = await tokens({ grant_type: 'refresh_token', refresh_token, resource: AUDIENCE })
    expect(await statusAt(next.access_token)).toBe(200)
  }
}, 400_000)
