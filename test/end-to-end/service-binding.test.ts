import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createSandbox, defaultClient } from '@latchkey/sandbox'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createTestHarness } from 'wrangler'
import { rootDir } from '../../scripts/wrangler-dev.ts'

const ORIGIN = 'http://localhost:8787'
const VIDEO_APP = 'https://sandbox.example'
/** A Worker of the tests. Named by its entry, so that it is seen to be in use. */
const consumer = fileURLToPath(import.meta.resolve('./service-consumer/worker.ts'))

/** The shipped Worker and another one of the same account, as one `wrangler deploy` each. */
const server = createTestHarness({
  root: rootDir,
  workers: [
    {
      configPath: join(consumer, '../wrangler.toml'),
      vars: { USERINFO_URL: `${VIDEO_APP}/v2/user/info/?fields=open_id,display_name` },
    },
    {
      configPath: 'wrangler.toml',
      secrets: {
        AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
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

let sandbox = createSandbox()
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

const cookieHeaders = () => ({ cookie: [...cookies].map((pair) => pair.join('=')).join('; ') })

async function go(path: string, fields?: Record<string, string>) {
  const answer = await service.fetch(ORIGIN + path, {
    headers: cookieHeaders(),
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

async function post(path: string, fields: Record<string, string> = {}) {
  const { csrfToken } = (await (await go('/auth/csrf')).json()) as { csrfToken: string }
  return go(path, { csrfToken, ...fields })
}

/** Signs in as Vic, at a sandbox of this test's own. */
async function signIn(lifetimes: { accessToken?: number } = {}): Promise<void> {
  // The sandbox's clock stands still, so no token ends during the test.
  const now = Date.now()
  sandbox = createSandbox({ lifetimes, now: () => now })
  cookies.clear()
  const consent = (await post('/auth/signin/videoapp')).headers.get('location') ?? ''
  const decision = { person: 'vic', decision: 'allow', scope: 'user.info.profile' }
  const body = new URLSearchParams(decision)
  const decided = await sandbox.request(consent, { method: 'POST', body })
  const back = new URL(decided.headers.get('location') ?? '')
  await go(back.pathname + back.search)
  expect(cookies.has('auth.session-token')).toBe(true)
}

/** Asks the other Worker, with this browser's cookies. */
async function ask(path = '/me', headers: Record<string, string> = cookieHeaders()) {
  const answer = await server.fetch(ORIGIN + path, { headers })
  const token = JSON.parse(answer.headers.get('x-token') ?? '{}') as Record<string, unknown>
  return { status: answer.status, token, body: await answer.json() }
}

const refreshes = () =>
  sandbox.requests.filter(({ fields }) => fields.grant_type === 'refresh_token').length

test('another Worker gets the token, and asks the provider for the person', async () => {
  await signIn()
  const { status, token, body } = await ask()
  expect([status, token]).toEqual([
    200,
    { ok: true, tokenType: 'bearer', expiresAt: expect.any(Number) },
  ])
  expect(body).toMatchObject({ data: { user: { display_name: 'Vic Placeholder' } } })
  expect(refreshes()).toBe(0)
})

test('a token that is about to end is refreshed first, and works', async () => {
  // Half of so short a life is left after a second.
  await signIn({ accessToken: 2 })
  for (const count of [1, 2]) {
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(await ask()).toMatchObject({ status: 200, body: { error: { code: 'ok' } } })
    expect(refreshes()).toBe(count)
  }
})

test('no user is signed in without a cookie, with a forged one, or after the sign-out', async () => {
  await signIn()
  const signedOut = { status: 401, body: { ok: false, reason: 'signed-out' } }
  const { cookie } = cookieHeaders()
  expect(await ask('/me', {})).toMatchObject(signedOut)
  expect(await ask('/me', { cookie: cookie.slice(0, -2) })).toMatchObject(signedOut)
  expect(await ask('/me', { cookie })).toMatchObject({ status: 200 })
  await post('/auth/signout')
  expect(await ask('/me', { cookie })).toMatchObject(signedOut)
})

test('another Worker asks by provider, and as a job does: a token of one way ends with its session', async () => {
  await signIn()
  expect(await ask('/me?provider=videoapp')).toMatchObject({ status: 200, token: { ok: true } })
  const none = { ok: false, reason: 'no-token' }
  expect(await ask('/me?provider=github')).toMatchObject({ status: 401, body: none })
  const { sub } = JSON.parse(atob(cookies.get('auth.session-token')?.split('.')[1] ?? ''))
  const job = async (asked: object) => {
    const init = { method: 'POST', body: JSON.stringify(asked) }
    return (await server.fetch(`${ORIGIN}/job`, init)).json()
  }
  expect(await job({ sub, provider: 'videoapp' })).toEqual([none, none])
  expect(await job({ sub: 'nobody', provider: 'videoapp' })).toEqual([none, none])
  const refused = [none, expect.stringMatching(/^TypeError: disconnect needs /)]
  for (const wrong of [{}, { sub }, { provider: 'videoapp' }]) {
    expect(await job(wrong)).toEqual(refused)
  }
  expect(await ask()).toMatchObject({ status: 200 })
})

test('another Worker ends the sessions of a person, all or all but one', async () => {
  const end = async (whose: unknown) => {
    const init = { method: 'POST', body: JSON.stringify(whose) }
    const answer = await server.fetch(`${ORIGIN}/end`, init)
    return `${answer.status} ${await answer.text()}`
  }
  const isOver = async (headers: Record<string, string>) => {
    const answer = await service.fetch(`${ORIGIN}/auth/session?online=1`, { headers })
    return (await answer.json()) === null
  }
  const claims = () =>
    JSON.parse(atob(cookies.get('auth.session-token')?.split('.')[1] ?? '')) as {
      sub: string
      sid: string
    }
  await signIn()
  const first = cookieHeaders()
  await signIn()
  const { sub, sid } = claims()
  expect(await end({ sub, except: sid })).toBe('200 ended')
  expect([await isOver(first), await isOver(cookieHeaders())]).toEqual([true, false])
  expect(await end({ sub })).toBe('200 ended')
  expect(await isOver(cookieHeaders())).toBe(true)
  expect(await end({ sub: 'nobody' })).toBe('200 ended')
  for (const wrong of [{}, { sub: '' }, { sub, except: 7 }]) {
    expect(await end(wrong)).toMatch(/^400 TypeError: endSessions /)
  }
})

test('over plain HTTP no route of the Worker gives a token', async () => {
  await signIn()
  const names = ['token', 'access-token', 'access_token', 'getAccessToken', 'AuthService']
  names.push('endSessions', 'getAccessTokenOf', 'disconnect')
  const routes = ['csrf', 'providers', 'session', 'signin', 'signout', 'error', 'jwks.json']
  routes.push('account', 'sessions', 'renew', 'revocations', 'callback/videoapp')
  const paths = ['/', '/getAccessToken', ...[...names, ...routes].map((name) => `/auth/${name}`)]
  const seen: string[] = [...cookies.values()]
  for (const path of paths) {
    for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
      const init = { method, headers: cookieHeaders(), redirect: 'manual' } as const
      const answer = await service.fetch(ORIGIN + path, init)
      seen.push(JSON.stringify([...answer.headers]), await answer.text())
      if (names.some((name) => path.endsWith(name)))
        expect([path, answer.status]).toEqual([path, 404])
    }
  }
  const text = seen.join('\n')
  const parts = text.replace(/[\w-]{20,}/g, (run) =>
    Buffer.from(run, 'base64url').toString('latin1'),
  )
  expect(parts).toContain('"sid":')
  // Every token of the sandbox begins with this.
  expect(text + parts + JSON.stringify(server.getLogs())).not.toMatch(/\b(?:act|rft)\./)
})
