import { authHandler } from '@latchkey/hono'
import { createSandbox } from '@latchkey/sandbox'
import { ComponentKitAuth } from '@latchkey/sveltekit'
import { createAuth, customFetch } from '@latchkey/worker'
import videoapp from '@latchkey/worker/providers/videoapp'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { Hono } from 'hono'
import { afterEach, expect, test, vi } from 'vitest'
import { startApp, versions } from '../express/support.ts'

/** Apps on this machine that serve the auth routes themselves sign in through a deployed service. */
const stops: (() => Promise<void>)[] = []

afterEach(async () => {
  vi.unstubAllEnvs()
  for (const stop of stops.splice(0)) await stop()
})

const PROXY = 'https://auth.example.com'
const redirectUri = `${PROXY}/auth/callback/videoapp`
const shared = {
  AUTH_SECRET: 'a-secret-of-proxy-and-previews-0123456789',
  AUTH_REDIRECT_PROXY_URL: `${PROXY}/auth`,
  AUTH_TRUSTED_ORIGINS: 'http://localhost:*,http://127.0.0.1:*',
}

/** A web app at the video app: it takes no address of this machine. */
const app = { clientKey: 'the-app', clientSecret: 'the-secret-of-the-app', type: 'web' } as const
const sandbox = createSandbox({ clients: [{ ...app, redirectUris: [redirectUri] }] })
const network: typeof fetch = async (input, init) => sandbox.request(String(input), init)

/** A configuration of its own for each service. */
function config() {
  const client = { clientId: app.clientKey, clientSecret: app.clientSecret }
  const providers = [videoapp({ ...client, [customFetch]: network })]
  return { providers, logger: { error() {}, warn() {} }, store: memoryStore() }
}

type Ask = (path: string, init?: RequestInit) => Promise<Response>

interface Service {
  readonly origin: string
  readonly ask: Ask
}

const port = 'http://localhost:4321'

const services: Record<string, () => Promise<Service>> = {
  createAuth: async () => {
    const auth = createAuth({ ...config(), basePath: '/auth' })
    const ask: Ask = (path, init) => auth.fetch(new Request(port + path, init), shared)
    return { origin: port, ask }
  },
  Hono: async () => {
    const hono = new Hono().all('/auth/*', authHandler(config()))
    return { origin: port, ask: async (path, init) => hono.request(port + path, init) }
  },
  SvelteKit: async () => {
    vi.unstubAllEnvs()
    const { handle } = ComponentKitAuth(config())
    const ask: Ask = async (path, init) => {
      const request = new Request(port + path, init)
      const event = {
        ...{ request, url: new URL(request.url), locals: {}, platform: { env: shared } },
        ...{ isDataRequest: false, isRemoteRequest: false, cookies: { set() {} } },
        getClientAddress: () => '192.0.2.7',
      }
      return handle({ event, resolve: async () => new Response('page') } as never)
    }
    return { origin: port, ask }
  },
  ...Object.fromEntries(
    versions.map((version) => [
      version.name,
      async () => {
        const { url: origin } = await startApp(version, config(), undefined, stops)
        return { origin, ask: ((path, init) => fetch(origin + path, init)) as Ask }
      },
    ]),
  ),
}

/** A browser’s cookies at one origin. */
function browserAt({ origin, ask }: Service) {
  const jar = new Map<string, string>()
  const go = async (path: string, init: RequestInit = {}) => {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const answer = await ask(path, { redirect: 'manual', ...init, headers: { cookie } })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
  const locationOf = (answer: Response) => new URL(answer.headers.get('location') ?? '', origin)
  return { go, locationOf }
}

test.each(Object.entries(services))('%s is a preview of the deployed service', async (_, start) => {
  for (const [name, value] of Object.entries(shared)) vi.stubEnv(name, value)
  const service = await start()
  const { go, locationOf } = browserAt(service)
  const { csrfToken } = (await (await go('/auth/csrf')).json()) as { csrfToken: string }
  const fields = { csrfToken, callbackUrl: '/inbox' }
  const sent = { method: 'POST', body: new URLSearchParams(fields) }
  const consent = locationOf(await go('/auth/signin/videoapp', sent))
  expect(consent.searchParams.get('redirect_uri')).toBe(redirectUri)

  const decision = { person: 'ada', decision: 'allow', scope: 'user.info.profile' }
  const body = new URLSearchParams(decision)
  const back = (await sandbox.request(consent.href, { method: 'POST', body })).headers
  const proxy = createAuth({ ...config(), basePath: '/auth' })
  const passed = await proxy.fetch(new Request(back.get('location') ?? ''), shared)
  const to = locationOf(passed)
  expect(to.origin + to.pathname).toBe(`${service.origin}/auth/callback/videoapp`)

  expect(locationOf(await go(to.pathname + to.search)).href).toBe(`${service.origin}/inbox`)
  const session = (await (await go('/auth/session')).json()) as { user: { name: string } }
  expect(session.user.name).toContain('Ada')
})
