import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type * as ExpressAdapter from '@latchkey/express'
import type * as SessionPackage from '@latchkey/session'
import type * as KitAdapter from '@latchkey/sveltekit'
import type * as WorkerPackage from '@latchkey/worker'
import type credentials from '@latchkey/worker/providers/credentials'
import type { memoryStore } from '@latchkey/worker/stores/memory'
import express from 'express'
import { installed } from './versions.ts'

/** The packages of one version in this process. */
export interface Loaded {
  readonly session: Pick<typeof SessionPackage, 'createVerifier'>
  readonly express: Pick<typeof ExpressAdapter, 'MiddlewareAuth' | 'getSession'>
  readonly sveltekit: Pick<typeof KitAdapter, 'ComponentKitAuth'>
  readonly worker: Pick<typeof WorkerPackage, 'createAuth'>
  readonly credentials: typeof credentials
  readonly memoryStore: typeof memoryStore
  remove(): void
}

export async function loadCurrent(): Promise<Loaded> {
  return {
    session: await import('@latchkey/session'),
    express: await import('@latchkey/express'),
    sveltekit: await import('@latchkey/sveltekit'),
    worker: await import('@latchkey/worker'),
    credentials: (await import('@latchkey/worker/providers/credentials')).default,
    memoryStore: (await import('@latchkey/worker/stores/memory')).memoryStore,
    remove() {},
  }
}

export async function loadVersion(version: string): Promise<Loaded> {
  const { load, remove } = installed(version)
  const { default: credentials } = await load<{ default: Loaded['credentials'] }>(
    '@latchkey/worker/providers/credentials',
  )
  const { memoryStore } = await load<Loaded>('@latchkey/worker/stores/memory')
  return {
    session: await load('@latchkey/session'),
    express: await load('@latchkey/express'),
    sveltekit: await load('@latchkey/sveltekit'),
    worker: await load('@latchkey/worker'),
    credentials,
    memoryStore,
    remove,
  }
}

export const SECRET = 'a-secret-of-apps-and-workers-0123456789'

const quiet = { error() {}, warn() {} }

/** The Worker of one version behind Node's own server. */
export async function startWorker({ worker, credentials, memoryStore }: Loaded) {
  const auth = worker.createAuth({
    basePath: '/auth',
    secret: SECRET,
    trustHost: true,
    store: memoryStore(),
    logger: quiet,
    providers: [
      credentials({
        authorize: ({ username, password }) =>
          password === 'right' ? { id: String(username), name: String(username) } : null,
      }),
    ],
  })
  const requests: string[] = []
  const running = await listen(async (req, res) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of req) chunks.push(chunk)
    const { method = 'GET' } = req
    requests.push(`${method} ${req.url?.split('?')[0]}`)
    const headers = new Headers(req.headers as Record<string, string>)
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null
    const url = `http://${req.headers.host}${req.url}`
    const answer = await auth.fetch(new Request(url, { method, headers, body }), {})
    const lines = [...answer.headers].filter(([name]) => name !== 'set-cookie').flat()
    for (const line of answer.headers.getSetCookie()) lines.push('set-cookie', line)
    res.writeHead(answer.status, lines).end(Buffer.from(await answer.arrayBuffer()))
  })
  const binding = {
    fetch: (url: string, init?: RequestInit) => auth.fetch(new Request(url, init), {}),
  }
  return { ...running, requests, address: `${running.url}/auth`, binding }
}

/** An app that forwards the auth routes, and answers with the session at /me. */
export interface App {
  readonly origin: string
  send(path: string, init: RequestInit): Promise<Response>
  stop(): Promise<void>
}

/**
 * The source of the keys: the Worker's address alone, the secret that it signs with, or its public
 * keys.
 */
export interface AppConfig {
  /** Its URL, or a service binding. */
  readonly worker: string | { fetch(url: string, init?: RequestInit): Promise<Response> }
  readonly secret?: string
  readonly publicKeys?: string
}

export async function expressApp({ express: adapter }: Loaded, given: AppConfig): Promise<App> {
  const config = { ...given, logger: quiet }
  const app = express()
  app.use('/auth', adapter.MiddlewareAuth(config))
  app.get('/me', async (req, res) => {
    res.json(await adapter.getSession(req, config))
  })
  const { url, stop } = await listen(app)
  return {
    origin: url,
    send: (path, init) => fetch(url + path, { redirect: 'manual', ...init }),
    stop,
  }
}

/**
 * An app without Kit itself: the hook and the actions are the whole of the adapter on the server.
 */
export async function kitApp({ sveltekit }: Loaded, given: AppConfig): Promise<App> {
  const origin = 'http://localhost:5173'
  const auth = sveltekit.ComponentKitAuth({ ...given, logger: quiet })
  return {
    origin,
    async send(path, init) {
      const request = new Request(origin + path, init)
      const locals = {} as App.Locals
      const event = {
        request,
        url: new URL(request.url),
        locals,
        platform: undefined,
        isDataRequest: false,
        isRemoteRequest: false,
        getClientAddress: () => '192.0.2.7',
        cookies: { set() {} },
      }
      const page = async () => {
        if (path === '/act/sign-in') return auth.signIn(event)
        return path === '/act/sign-out' ? auth.signOut(event) : locals.auth()
      }
      return auth.handle({
        event,
        resolve: async () => page().then((data) => Response.json(data), thrownByAction),
      })
    },
    async stop() {},
  }
}

/** Handles a redirect as Kit does, and wrong credentials as an app does. */
function thrownByAction(thrown: { status?: number; location?: string; code?: string }): Response {
  const { status = 400, location, code } = thrown
  if (location === undefined) return Response.json({ code }, { status })
  return new Response(null, { status, headers: { location } })
}

async function listen(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A browser of one app. */
export class Visitor {
  readonly cookies = new Map<string, string>()
  readonly #app: App

  constructor(app: App, cookies: Iterable<readonly [string, string]> = []) {
    this.#app = app
    this.cookies = new Map(cookies)
  }

  async send(path: string, init: RequestInit = {}, through = this.#app.send): Promise<Response> {
    const headers = new Headers(init.headers)
    if (this.cookies.size > 0) headers.set('cookie', this.cookie)
    const answer = await through(path, { ...init, headers })
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';', 1)
      const name = pair.slice(0, pair.indexOf('='))
      if (/max-age=0(?:;|$)/i.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, pair.slice(name.length + 1))
    }
    return answer
  }

  /** A form with the csrf token of this browser. */
  async post(path: string, fields: Record<string, string>, through = this.#app.send) {
    const csrf = await this.send('/auth/csrf', {}, through)
    const { csrfToken } = (await csrf.json()) as { csrfToken: string }
    const body = new URLSearchParams({ csrfToken, ...fields })
    return this.send(path, { method: 'POST', body, headers: { origin: this.#app.origin } }, through)
  }

  signIn(username = 'ada'): Promise<Response> {
    return this.post('/auth/callback/credentials', { username, password: 'right' })
  }

  /** The session as the app reads it. */
  async me(): Promise<{ user: { id?: string; name?: string }; expires: string } | null> {
    return (await (await this.send('/me')).json()) as never
  }

  get cookie(): string {
    return [...this.cookies].map((pair) => pair.join('=')).join('; ')
  }

  get token(): string {
    return this.cookies.get('auth.session-token') ?? ''
  }

  get claims(): { sub: string; sid: string; exp: number } {
    return JSON.parse(Buffer.from(this.token.split('.')[1] ?? '', 'base64url').toString())
  }
}

/** The same app in another process, which forwards to the Worker past this one. */
export function elsewhere({ origin }: App, worker: string): App['send'] {
  const { host, protocol } = new URL(origin)
  return (path, init) => {
    const headers = new Headers(init.headers)
    headers.set('x-forwarded-host', host)
    headers.set('x-forwarded-proto', protocol.slice(0, -1))
    return fetch(new URL(path, worker), { redirect: 'manual', ...init, headers })
  }
}
