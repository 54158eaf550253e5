import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createSandbox, defaultClient } from '@latchkey/sandbox'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createTestHarness } from 'wrangler'
import { rootDir } from '../../scripts/wrangler-dev.ts'

const ORIGIN = 'http://localhost:8787'
const VIDEO_APP = 'https://sandbox.example'
/** Workers of the tests. Named by their entries, so that they are seen to be in use. */
const consumer = fileURLToPath(import.meta.resolve('./verifier-consumer/worker.ts'))
const auth = fileURLToPath(import.meta.resolve('./verifier-worker/worker.ts'))

/** An app and the auth service, as two Workers of one account. */
const server = createTestHarness({
  root: rootDir,
  workers: [
    { configPath: join(consumer, '../wrangler.toml') },
    {
      configPath: join(auth, '../wrangler.toml'),
      secrets: {
        AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
        AUTH_VIDEO_ID: defaultClient.clientKey,
        AUTH_VIDEO_SECRET: defaultClient.clientSecret,
        AUTH_VIDEO_AUTHORIZATION_URL: `${VIDEO_APP}/v2/auth/authorize/`,
        AUTH_VIDEO_TOKEN_URL: `${VIDEO_APP}/v2/oauth/token/`,
        AUTH_VIDEO_USERINFO_URL: `${VIDEO_APP}/v2/user/info/`,
      },
    },
  ],
})

const sandbox = createSandbox()
const service = server.getWorker('verifier-worker')
const cookies = new Map<string, string>()

beforeAll(async () => {
  await server.listen()
  // What the Workers fetch comes here.
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

/** Signs in at the sandbox; the Cookie header that a browser has then. */
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

const TOKEN_AGE = 3_100

describe('an app in workerd that reads sessions by a service binding', () => {
  test('parallel first requests share one look at the keys and the feed', async () => {
    const cookie = await signIn()
    const shown = await Promise.all(Array.from({ length: 10 }, () => show(cookie)))
    for (const { session } of shown) expect(session?.user.name).toBe('Vic Placeholder')
    const asked = shown.flatMap(({ asked }) => asked)
    expect(asked.sort()).toEqual(['/auth/jwks.json', '/auth/revocations'])
    expect(await show(cookie)).toMatchObject({ isAtOnce: true, asked: [] })
  })

  test('parallel requests of one session share its renewal', async () => {
    const cookie = await signIn()
    await show(cookie)
    await sleep(TOKEN_AGE)
    const shown = await Promise.all(Array.from({ length: 10 }, () => show(cookie)))
    const lines = new Set(shown.map(({ setCookie }) => setCookie.join()))
    expect([lines.size, [...lines][0]]).toEqual([1, expect.stringMatching(/^auth.session-token=/)])
    const asked = shown.flatMap(({ asked }) => asked)
    expect(asked.filter((path) => path === '/auth/session')).toHaveLength(1)
  })

  test.each([
    ['without a word to the platform', { 'x-no-wait-until': '1' }],
    ['with a word to the platform', {}],
  ])('a request that is broken off %s makes no other one wait for ever', async (_, headers) => {
    const cookie = await signIn()
    await show(cookie)
    await sleep(TOKEN_AGE)
    const breakOff = new AbortController()
    const init = { headers: { cookie, ...headers }, signal: breakOff.signal }
    const broken = Promise.resolve(server.fetch(`${ORIGIN}/`, init)).catch(() => 'broken off')
    await sleep(100)
    const others = [show(cookie), show(cookie)]
    await sleep(50)
    breakOff.abort()
    const began = performance.now()
    for (const { session } of await Promise.all(others)) expect(session).not.toBeNull()
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(await broken).toBe('broken off')
    expect((await show(cookie)).session).not.toBeNull()
  })

  test('a sign-out is known at once online, and within fifteen seconds otherwise', async () => {
    const cookie = await signIn()
    expect((await show(cookie, { 'x-online': '1' })).session).not.toBeNull()
    await post('/auth/signout')
    expect((await show(cookie, { 'x-online': '1' })).session).toBeNull()
    const ended = performance.now()
    while ((await show(cookie)).session) {
      await sleep(100)
      expect(performance.now() - ended).toBeLessThan(15_000)
    }
  })
})
