import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type ForwardedConfig,
  getSession,
  type InProcessConfig,
  MiddlewareAuth,
  type MiddlewareAuthConfig,
} from '@latchkey/express'
import { type AuthConfig, createAuth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import videoapp from '@latchkey/worker/providers/videoapp'
import { memoryStore } from '@latchkey/worker/stores/memory'
import express4 from 'express4'
import express5, { type Express } from 'express5'

export const SECRET = 'a-secret-of-the-express-tests-0123456789'

/** Two versions with one set of types: the parts that the tests use are the same in both. */
export const versions = [
  { name: 'Express 4', express: express4 as unknown as typeof express5, wildcard: '/*' },
  { name: 'Express 5', express: express5, wildcard: '/*splat' },
]

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly cookies: readonly string[]
  readonly text: string
}

/**
 * An app with the auth routes at /auth by a wildcard, the session at /me, and middleware before
 * them.
 */
export async function startApp(
  { express, wildcard }: Pick<(typeof versions)[number], 'express' | 'wildcard'>,
  config: MiddlewareAuthConfig,
  build: (app: Express) => void = () => {},
  stops: (() => Promise<void>)[] = [],
): Promise<Running> {
  const app = express()
  build(app)
  app.use(`/auth${wildcard}`, MiddlewareAuth(config))
  app.get('/me', (req, res, next) => {
    getSession(req, config).then((session) => res.json(session), next)
  })
  const running = await listen(app)
  stops.push(running.stop)
  return running
}

export interface Ask {
  readonly method?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Uint8Array
}

export interface Running {
  readonly url: string
  readonly port: number
  ask(path: string, options?: Ask): Promise<Answer>
  stop(): Promise<void>
}

/** A listener on a socket of its own. */
export async function listen(listener: RequestListener): Promise<Running> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    ask: (path, options) => ask(port, path, options),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A raw request: `fetch` would not send another Host. */
export async function ask(port: number, path: string, options: Ask = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = options
  const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false })
  sent.end(body)
  const [answer] = await once(sent, 'response')
  const chunks: Uint8Array[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return {
    status: answer.statusCode,
    headers: answer.headers,
    cookies: answer.headers['set-cookie'] ?? [],
    text: Buffer.concat(chunks).toString(),
  }
}

/** A Cookie header of the cookies that were set. */
export function cookieOf(...answers: readonly Answer[]): string {
  const jar = new Map<string, string>()
  for (const line of answers.flatMap(({ cookies }) => cookies)) {
    const [pair = ''] = line.split(';')
    const name = pair.slice(0, pair.indexOf('='))
    if (/max-age=0/i.test(line)) jar.delete(name)
    else jar.set(name, pair.slice(name.length + 1))
  }
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
}

export function form(fields: Record<string, string>): Pick<Ask, 'method' | 'headers' | 'body'> {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  }
}

/** A csrf token, and the cookie that goes with it. */
export async function csrf(app: Running, base = '/auth', headers: Ask['headers'] = {}) {
  const answer = await app.ask(`${base}/csrf`, { headers })
  const { csrfToken } = JSON.parse(answer.text) as { csrfToken: string }
  return { csrfToken, answer, cookie: cookieOf(answer) }
}

/** Signs `ann` in with the password `right`, and returns the browser's cookies. */
export async function signIn(
  app: Running,
  { base = '/auth', headers = {}, fields = {} } = {} as {
    base?: string
    headers?: Record<string, string>
    fields?: Record<string, string>
  },
): Promise<{ answer: Answer; cookie: string }> {
  const { csrfToken, answer: first } = await csrf(app, base, headers)
  const sent = form({ csrfToken, username: 'ann', password: 'right', ...fields })
  const answer = await app.ask(`${base}/callback/credentials`, {
    ...sent,
    headers: { ...sent.headers, ...headers, cookie: cookieOf(first) },
  })
  return { answer, cookie: cookieOf(first, answer) }
}

export async function signOut(app: Running, cookie: string, base = '/auth'): Promise<Answer> {
  const answer = await app.ask(`${base}/csrf`, { headers: { cookie } })
  const { csrfToken } = JSON.parse(answer.text) as { csrfToken: string }
  const sent = form({ csrfToken })
  const both = [cookie, cookieOf(answer)].filter(Boolean).join('; ')
  return app.ask(`${base}/signout`, { ...sent, headers: { ...sent.headers, cookie: both } })
}

const providers: AuthConfig['providers'] = [
  videoapp({ clientId: 'client', clientSecret: 'client-secret' }),
  credentials({
    authorize: ({ username, password }) =>
      password === 'right' ? { id: String(username), name: String(username) } : null,
  }),
]

const quiet = { error() {}, warn() {} }

export function inProcess(more: Partial<InProcessConfig> = {}): InProcessConfig {
  return { secret: SECRET, providers, logger: quiet, ...more }
}

/** The service in this process, behind Node's own server, in the place of `wrangler dev`. */
export async function startService(
  more: Partial<AuthConfig> = {},
  env: Readonly<Record<string, unknown>> = {},
): Promise<Running> {
  const store = memoryStore()
  const trust = { trustHost: true, basePath: '/auth', store }
  const auth = createAuth({ secret: SECRET, providers, logger: quiet, ...trust, ...more })
  return listen(async (req, res) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of req) chunks.push(chunk)
    const headers = new Headers(req.headers as Record<string, string>)
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined
    const url = `http://${req.headers.host}${req.url}`
    const method = req.method ?? 'GET'
    const answer = await auth.fetch(new Request(url, { method, headers, body: body ?? null }), env)
    const lines = [...answer.headers].filter(([name]) => name !== 'set-cookie').flat()
    for (const line of answer.headers.getSetCookie()) lines.push('set-cookie', line)
    res.writeHead(answer.status, lines).end(Buffer.from(await answer.arrayBuffer()))
  })
}

/** Both ways to serve the auth routes; each test has a config object of its own. */
export const modes: readonly {
  readonly name: string
  start(): Promise<{ config: MiddlewareAuthConfig; stop(): Promise<void> }>
}[] = [
  {
    name: 'in process',
    start: async () => ({ config: inProcess(), stop: async () => {} }),
  },
  {
    name: 'forwarded',
    async start() {
      const service = await startService()
      const config: ForwardedConfig = { worker: `${service.url}/auth`, logger: quiet }
      return { config, stop: service.stop }
    },
  },
]
