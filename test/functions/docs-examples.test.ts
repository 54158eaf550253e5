import { createSandbox, defaultClient, type Sandbox } from '@latchkey/sandbox'
import { type AuthHandler, createAuth, type OAuthConfig } from '@latchkey/worker'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { afterEach, expect, test, vi } from 'vitest'
import { clock } from '../support/clock.ts'
import { examplesIn } from '../support/example-below.ts'

/** The three examples of docs/custom-fetch.md, run unchanged. */
const exampleBelow = examplesIn('custom-fetch')

const origin = 'http://localhost:8787'
const HOUR = 60 * 60
const env = {
  AUTH_SECRET: 'a-secret-of-the-tests-0123456789abcdef',
  AUTH_VIDEO_ID: defaultClient.clientKey,
  AUTH_VIDEO_SECRET: defaultClient.clientSecret,
}

const { pass } = clock({ start: 'now' })
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/**
 * The video app signs Ada in; two hours later her token is refreshed, and her sign-out revokes it.
 */
async function useProvider(provider: OAuthConfig, sandbox: Sandbox): Promise<unknown> {
  const providers = [{ ...provider, revokeOnSignOut: true }]
  const auth = createAuth({ basePath: '/auth', store: memoryStore(), providers })
  const browser = browserBefore(auth)
  const consent = await browser.post('/auth/signin/videoapp')
  const body = new URLSearchParams({ person: 'ada', decision: 'allow', scope: 'user.info.profile' })
  const allowed = await sandbox.request(consent, { method: 'POST', body })
  await browser.go(allowed.headers.get('location') ?? '')
  const session = await (await browser.go('/auth/session')).json()
  const headers = { cookie: browser.cookie() }
  pass(2 * HOUR)
  const token = await auth.getAccessToken(new Request(origin, { headers }), env)
  expect(token).toMatchObject({ ok: true, tokenType: 'bearer' })
  await browser.post('/auth/signout')
  await browser.settled()
  return session
}

function browserBefore(auth: AuthHandler<object>) {
  const jar = new Map<string, string>()
  const work: Promise<unknown>[] = []
  const waitUntil = (promise: Promise<unknown>) => void work.push(promise)
  const cookie = () => [...jar].map((pair) => pair.join('=')).join('; ')
  async function go(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { cookie: cookie() }
    const url = new URL(path, origin)
    const response = await auth.request(url, { ...init, headers }, env, { waitUntil })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (line.includes('Max-Age=0')) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  /** @returns the address that the answer redirects to */
  async function post(path: string): Promise<string> {
    const { csrfToken } = (await (await go('/auth/csrf')).json()) as { csrfToken: string }
    const answer = await go(path, { method: 'POST', body: new URLSearchParams({ csrfToken }) })
    return answer.headers.get('location') ?? ''
  }
  return { go, post, cookie, settled: () => Promise.all(work) }
}

const ada = { user: { name: 'Ada Example' } }
const host = 'https://open.tiktokapis.com'

test('the proxy gets every request to the provider, and no request bypasses it', async () => {
  const { provider } = await exampleBelow<{ provider: OAuthConfig }>('A proxy')
  const sandbox = createSandbox()
  const asked: string[] = []
  vi.stubGlobal('fetch', (address: string, init?: RequestInit) => {
    const url = new URL(address)
    const to = url.searchParams.get('to') ?? ''
    asked.push(`${url.host}: ${init?.method ?? 'GET'} ${to.split('?')[0]}`)
    return sandbox.request(to, init)
  })
  expect(await useProvider(provider, sandbox)).toMatchObject(ada)
  expect(asked).toEqual([
    `egress.example.com: POST ${host}/v2/oauth/token/`,
    `egress.example.com: GET ${host}/v2/user/info/`,
    `egress.example.com: POST ${host}/v2/oauth/token/`,
    `egress.example.com: POST ${host}/v2/oauth/revoke/`,
  ])
})

test('the mock signs Ada in without a network', async () => {
  const network = vi.fn()
  vi.stubGlobal('fetch', network)
  type Example = { auth: AuthHandler<object>; signIn: () => Promise<string> }
  const { auth, signIn } = await exampleBelow<Example>('A mock, for tests')
  const headers = { cookie: await signIn() }
  const session = await auth.request('/auth/session', { headers })
  expect(await session.json()).toMatchObject({ user: { name: 'Ada' } })
  expect(network).not.toHaveBeenCalled()
})

test('the log names every request and holds no secret', async () => {
  const { provider } = await exampleBelow<{ provider: OAuthConfig }>('A log')
  const sandbox = createSandbox()
  const secrets = [defaultClient.clientSecret]
  vi.stubGlobal('fetch', async (address: string, init?: RequestInit) => {
    const { code, refresh_token, token } = Object.fromEntries(
      new URLSearchParams(String(init?.body ?? '')),
    )
    secrets.push(...[code, refresh_token, token].filter((secret) => secret !== undefined))
    return sandbox.request(address, init)
  })
  const lines: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
  expect(await useProvider(provider, sandbox)).toMatchObject(ada)
  expect(lines.map((line) => line.replace(/\d+ ms$/, '… ms'))).toEqual([
    'POST open.tiktokapis.com/v2/oauth/token/ 200 … ms',
    'GET open.tiktokapis.com/v2/user/info/ 200 … ms',
    'POST open.tiktokapis.com/v2/oauth/token/ 200 … ms',
    'POST open.tiktokapis.com/v2/oauth/revoke/ 200 … ms',
  ])
  expect(secrets).toHaveLength(4)
  for (const secret of secrets) expect(lines.join('\n')).not.toContain(secret)
})
