import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Browser } from '@latchkey/next/test-app'
import { eventOf } from '@latchkey/sveltekit/test-app'
import type { AuthConfig } from '@latchkey/worker'
import express from 'express5'
import { Hono } from 'hono'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listen, SECRET } from '../express/support.js'
import { newOperatorKey } from '../support/operator-key.js'

const ORIGIN = 'https://example.com'
const folder = mkdtempSync(join(tmpdir(), 'one-service-'))
let count = 0
let file = ''
const stops: (() => Promise<void>)[] = []
beforeEach(() => {
  file = `file:${join(folder, `${++count}.db`)}`
  vi.stubEnv('AUTH_SECRET', SECRET)
  vi.stubEnv('AUTH_STORE', file)
  vi.stubEnv('AUTH_URL', `${ORIGIN}/auth`)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await Promise.all(stops.splice(0).map((stop) => stop()))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The configuration of an app, from modules of its own: each app is the only one of its process. */
async function configured(feature: keyof typeof FEATURES): Promise<Config> {
  const { default: credentials } = await import('@latchkey/worker/providers/credentials')
  const password = credentials({
    authorize: ({ username, password }) =>
      password === 'right' ? { id: String(username), name: String(username) } : null,
  })
  return { providers: [password], features: [await FEATURES[feature].make()] }
}

type Config = Required<Pick<AuthConfig, 'features' | 'providers'>>

const FEATURES = {
  'operate() and AUTH_OPERATOR_KEYS': {
    variable: ['AUTH_OPERATOR_KEYS', newOperatorKey('night', 'read').entry],
    make: async () => (await import('@latchkey/worker/features/operate')).operate(),
  },
  'authorizationServer() and AUTH_APP_…': {
    variable: ['AUTH_APP_SPA_REDIRECT_URIS', 'https://spa.example.com/callback'],
    make: async () =>
      (await import('@latchkey/worker/features/authorization-server')).authorizationServer(),
  },
} as const

/** An app: its auth routes, and `/me` with the name of the user. */
type App = (request: Request) => Promise<Response>

type Source = (Config & Hearing) | (() => Config & Hearing)
type Hearing = { readonly logger: object; readonly revocation: { readonly maxDelay: number } }
type Start = (config: Source) => Promise<App>

const nameIn = (session: { user?: { name?: string | null } } | null) => session?.user?.name ?? null

/** `config` of a reader is left out: then the only one of the process counts. */
const FRAMEWORKS: Record<string, Start> = {
  async express(config) {
    const { getSession, MiddlewareAuth } = await import('@latchkey/express')
    // It takes no function.
    const app = express().use('/auth', MiddlewareAuth(objectOf(config)))
    app.get('/me', async (req, res) => res.json(nameIn(await getSession(req))))
    const { url, stop } = await listen(app)
    stops.push(stop)
    return (request) => fetch(new Request(url + new URL(request.url).pathname, request), MANUAL)
  },
  async hono(config) {
    const { authHandler, getSession } = await import('@latchkey/hono')
    const app = new Hono().all('/auth/*', authHandler(config))
    app.get('/me', async (c) => c.json(nameIn(await getSession(c))))
    return async (request) => app.request(request)
  },
  async web(config) {
    const { webAuth } = await import('@latchkey/web')
    const { handle } = webAuth(config)
    return (request) => handle(request, async (auth) => Response.json(nameIn(await auth())))
  },
  async sveltekit(config) {
    const { ComponentKitAuth } = await import('@latchkey/sveltekit')
    const { handle } = ComponentKitAuth(config)
    return (request) => {
      const event = eventOf(request)
      return handle({
        event,
        resolve: async () => Response.json(nameIn(await event.locals.auth())),
      })
    }
  },
  async next(config) {
    const { default: NextAuth } = await import('@latchkey/next')
    const { handlers, auth } = NextAuth(config)
    return async (request) => {
      const { pathname } = new URL(request.url)
      const browser = new Browser('/auth', ORIGIN)
      const { method, headers } = request
      if (pathname === '/me') {
        const cookie = headers.get('cookie') ?? ''
        return Response.json(nameIn((await browser.render(() => auth(), { cookie })).value ?? null))
      }
      const body = method === 'POST' ? await request.text() : null
      const handler = method === 'POST' ? handlers.POST : handlers.GET
      return browser.handle(pathname, handler, { method, headers, body })
    }
  },
}

function objectOf(config: Source): Config & Hearing {
  return typeof config === 'function' ? config() : config
}

const MANUAL = { redirect: 'manual' } as const

/** A browser that keeps cookies. */
function browser(jar = new Map<string, string>()) {
  return async (app: App, path: string, fields?: Record<string, string>): Promise<Response> => {
    const headers = new Headers({ cookie: [...jar].map((pair) => pair.join('=')).join('; ') })
    const body = fields && new URLSearchParams(fields)
    const method = fields ? 'POST' : 'GET'
    const answer = await app(new Request(ORIGIN + path, { method, headers, body: body ?? null }))
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0/i.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
}

async function post(
  go: ReturnType<typeof browser>,
  app: App,
  route: string,
  fields: Record<string, string> = {},
) {
  const { csrfToken } = (await (await go(app, '/auth/csrf')).json()) as { csrfToken: string }
  return go(app, `/auth${route}`, { csrfToken, ...fields })
}

const FEATURE_NAMES = Object.keys(FEATURES) as (keyof typeof FEATURES)[]
const CASES = FEATURE_NAMES.flatMap((feature) => [
  [feature, 'an object'] as const,
  [feature, 'a function'] as const,
])

test.each(CASES)(
  'with %s, configured by %s, each framework hears a sign-out of another process in time',
  async (feature, form) => {
    const [name = '', value = ''] = FEATURES[feature].variable
    vi.stubEnv(name, value)
    // The other process: a service of its own over the same file.
    vi.resetModules()
    const { createAuth } = await import('@latchkey/worker')
    const store = (await import('@latchkey/worker/stores/sqlite')).openStore(file)
    const { features, providers } = await configured(feature)
    const other = createAuth({ providers, features, store, basePath: '/auth' })
    const elsewhere: App = (request) => other.fetch(request, { ...process.env })
    const faults: Error[] = []
    vi.resetModules()
    const config = await configured(feature)
    const make = () => {
      const logger = { error: (fault: Error) => void faults.push(fault), warn() {} }
      return { ...config, logger, revocation: { maxDelay: 10 } }
    }
    const outcomes = await Promise.all(
      Object.entries(FRAMEWORKS).map(async ([framework, start]) => {
        const app = await start(form === 'a function' ? make : make())
        const jar = new Map<string, string>()
        const go = browser(jar)
        await post(go, app, '/callback/credentials', { username: 'ann', password: 'right' })
        const before = await (await go(app, '/me')).json()
        const thief = browser(new Map(jar))
        const stolen = async () => (await thief(app, '/me')).json()
        await post(go, elsewhere, '/signout')
        const began = Date.now()
        while ((await stolen()) !== null && Date.now() - began < 15_000) await setTimeout(250)
        return [framework, before, await stolen()]
      }),
    )
    await store.close()
    expect(outcomes).toEqual(Object.keys(FRAMEWORKS).map((name) => [name, 'ann', null]))
    expect(faults).toEqual([])
  },
)
