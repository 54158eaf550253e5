import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSandbox, defaultClient } from '@latchkey/sandbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestHarness } from 'wrangler'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { endedToken } from '../support/ended-token.ts'

const ORIGIN = 'http://localhost:8787'
const VIDEO_APP = 'https://sandbox.example'
const SECRET = 'a-secret-of-the-tests-0123456789abcdef'
/** A Worker of the tests. Named by its entry, so that it is seen to be in use. */
const consumer = fileURLToPath(import.meta.resolve('./verifier-consumer/worker.ts'))

/** An app and the shipped Worker, as two Workers of one account. */
const server = createTestHarness({
  root: rootDir,
  workers: [
    { configPath: join(consumer, '../wrangler.toml') },
    {
      configPath: 'wrangler.toml',
      secrets: {
        AUTH_SECRET: SECRET,
        AUTH_VIDEO_ID: defaultClient.clientKey,
        AUTH_VIDEO_SECRET: defaultClient.clientSecret,
        AUTH_VIDEO_AUTHORIZATION_URL: `${VIDEO_APP}/v2/auth/authorize/`,
        AUTH_VIDEO_TOKEN_URL: `${VIDEO_APP}/v2/oauth/token/`,
        AUTH_VIDEO_USERINFO_URL: `${VIDEO_APP}/v2/user/info/`,
        // The developer's own `.dev.vars` is ignored.
        AUTH_URL: '',
        AUTH_TRUST_HOST: '',
      },
    },
  ],
})

const sandbox = createSandbox()
const service = server.getWorker('latchkey')
const cookies = new Map<string, string>()

beforeAll(async () => {
  await server.listen()
  // The Workers' own requests arrive here.
  vi.stubGlobal('fetch', async (url: string, init: Request) => {
    const { method, headers } = init
    const body = method === 'POST' ? { body: await init.text() } : {}
    return sandbox.request(url, { method, headers: [...headers], ...body })
  })
})

afterAll(async () => {
  vi.unstubAllGlobals()
  await server.close()
})

const cookieHeader = () => [...cookies].map((pair) => pair.join('=')).join('; ')

async function go(path: string, fields?: Record<string, string>) {
  const answer = await service.fetch(ORIGIN + path, {
    headers: { cookie: cookieHeader() },
    redirect: 'manual',
    ...(fields ? { method: 'POST', body: new URLSearchParams(fields) } : {}),
  })
  for (const line of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (/; Max-Age=0/.test(line)) cookies.delete(name)
    else cookies.set(name, value)
  }
  return answer
}

async function post(path: string) {
  const { csrfToken } = (await (await go('/auth/csrf')).json()) as { csrfToken: string }
  return go(path, { csrfToken })
}

/** Signs in at the sandbox. @returns the Cookie header of the browser */
async function signIn(): Promise<string> {
  cookies.clear()
  const consent = (await post('/auth/signin/videoapp')).headers.get('location') ?? ''
  const body = new URLSearchParams({ person: 'vic', decision: 'allow', scope: 'user.info.profile' })
  const decided = await sandbox.request(consent, { method: 'POST', body })
  const back = new URL(decided.headers.get('location') ?? '')
  await go(back.pathname + back.search)
  return cookieHeader()
}

interface Shown {
  readonly session: { readonly user: { readonly name: string } } | null
  readonly setCookie: readonly string[]
  readonly isAtOnce: boolean
  readonly asked: readonly string[]
}

async function show(cookie: string, headers: Record<string, string> = {}): Promise<Shown> {
  const answer = await server.fetch(`${ORIGIN}/`, { headers: { cookie, ...headers } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`)
  return JSON.parse(text) as Shown
}

let meetings = 0

/**
 * Headers of requests that wait for each other: the service gets no call before `size` requests have
 * arrived.
 */
const meeting = (size: number) => ({ 'x-meeting': `${++meetings} ${size}` })

/** How many have arrived. */
async function arrived(headers: { 'x-meeting': string }): Promise<number> {
  return (await (await server.fetch(`${ORIGIN}/arrived`, { headers })).json()) as number
}

describe('an app in workerd that reads sessions by a service binding', () => {
  test('parallel first requests share one fetch of the keys and the feed', async () => {
    const cookie = await signIn()
    // The clock stands still, so keys and feed stay fresh however long the test takes.
    const clock = { 'x-clock': String(Date.now()) }
    const headers = { ...clock, ...meeting(10) }
    const shown = await Promise.all(Array.from({ length: 10 }, () => show(cookie, headers)))
    for (const { session } of shown) expect(session?.user.name).toBe('Vic Placeholder')
    const asked = shown.flatMap(({ asked }) => asked)
    expect(asked.sort()).toEqual(['/auth/jwks.json', '/auth/revocations'])
    expect(await show(cookie, clock)).toMatchObject({ isAtOnce: true, asked: [] })
  })

  test('parallel requests of one session share its renewal', async () => {
    const old = await endedToken(await signIn(), SECRET)
    const headers = meeting(10)
    const shown = await Promise.all(Array.from({ length: 10 }, () => show(old, headers)))
    const lines = new Set(shown.map(({ setCookie }) => setCookie.join()))
    expect([lines.size, [...lines][0]]).toEqual([1, expect.stringMatching(/^auth.session-token=/)])
    const asked = shown.flatMap(({ asked }) => asked)
    expect(asked.filter((path) => path === '/auth/session')).toHaveLength(1)
  })

  test.each([
    ['without waitUntil', { 'x-no-wait-until': '1' }],
    ['with waitUntil', {}],
  ])('a request that is aborted %s makes no other one wait forever', async (_, word) => {
    const cookie = await signIn()
    await show(cookie)
    const old = await endedToken(cookie, SECRET)
    const headers = { ...word, ...meeting(4) }
    const breakOff = new AbortController()
    const init = { headers: { cookie: old, ...headers }, signal: breakOff.signal }
    const broken = Promise.resolve(server.fetch(`${ORIGIN}/`, init)).catch(() => 'broken off')
    await expect.poll(() => arrived(headers)).toBe(1)
    const others = [show(old, headers), show(old, headers)]
    await expect.poll(() => arrived(headers)).toBe(3)
    breakOff.abort()
    expect(await broken).toBe('broken off')
    // This request makes the call to the service.
    others.push(show(old, headers))
    for (const { session } of await Promise.all(others)) expect(session).not.toBeNull()
    expect((await show(cookie)).session).not.toBeNull()
  })

  // The session package's tests hold the number of seconds with a stopped clock.
  test('a sign-out is known at once online, and in the end otherwise', async () => {
    const cookie = await signIn()
    expect((await show(cookie, { 'x-online': '1' })).session).not.toBeNull()
    await post('/auth/signout')
    expect((await show(cookie, { 'x-online': '1' })).session).toBeNull()
    await expect.poll(async () => (await show(cookie)).session).toBeNull()
  })
})
