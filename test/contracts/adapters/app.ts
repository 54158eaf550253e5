import type { HostConfigOf } from '@latchkey/host'
import type { Session } from '@latchkey/session'
import { type AuthConfig, createAuth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import github from '@latchkey/worker/providers/github'
import { memoryStore } from '@latchkey/worker/stores/memory'

export const SECRET = 'a-secret-of-the-contract-0123456789abcdef'
export const ORIGIN = 'http://localhost:3000'
export const BASE = '/auth'
/** The app's own sign-in page. */
export const LOGIN = { redirectTo: '/login?from=app#form' }
/** What the guards of two pages demand. */
export const VAULT = { bound: true } as const
export const SAFE = { maxAge: 60, bound: true } as const
export const NAME = 'auth.session-token'

/** What every adapter takes. */
export type Config = HostConfigOf<AuthConfig>

type Read = () => Promise<Session | null>

/** An app of a framework, in production as a browser reaches it. */
export type App = (request: Request) => Promise<Response>

export interface Adapter {
  /**
   * Starts an app: its auth routes at {@link BASE}, and {@link page} for every other path. At `/members` a guard
   * demands a session, or sends the browser to {@link LOGIN}; at `/pay` it demands a sign-in of the last minute, at
   * `/vault` a session that is bound to its device, and at `/safe` both.
   */
  start(config: Config): App | Promise<App>
  /** Ends what the app has started. */
  stop?(): Promise<void>
  /** Leaves the guard to the app. */
  readonly hasGuard: boolean
}

/** The pages of the app, before a framework makes its own answer of them. `/plain` must not read the session. */
export async function page(request: Request, read: Read): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const name = async () => (await read())?.user?.name ?? null
  if (pathname === '/plain') return new Response('plain')
  if (['/me', '/members', '/pay', '/vault', '/safe'].includes(pathname)) {
    return Response.json(await name())
  }
  if (pathname === '/device') return Response.json((await read())?.bound ?? null)
  if (pathname === '/often') {
    const both = await Promise.all([name(), name()])
    return Response.json([...both, await name()], { headers: { 'set-cookie': 'theme=dark' } })
  }
  // With the headers that its query names.
  if (pathname === '/answer') return new Response(await name(), { headers: [...searchParams] })
  return new Response('the app has no such page', { status: 404 })
}

/** A password, and a provider that nobody asks. */
export const providers: AuthConfig['providers'] = [
  credentials({
    authorize: ({ username, password }) =>
      password === 'right' ? { id: String(username), name: String(username) } : null,
  }),
  github({ clientId: 'id', clientSecret: 'secret' }),
]
export const quiet = { error() {}, warn() {} }

/** With a logger and a store of its own: a copy of another configuration would share its state. */
export function inProcess(more: Partial<AuthConfig> = {}): Config {
  return { secret: SECRET, providers, store: memoryStore(), logger: { ...quiet }, ...more }
}

/** The service as a binding. @param asked gets the path of each call */
export function binding(more: Partial<AuthConfig> = {}, asked: string[] = []) {
  const trust = { trustHost: true, basePath: BASE, store: memoryStore() }
  const auth = createAuth({ secret: SECRET, providers, logger: quiet, ...trust, ...more })
  return {
    fetch: (url: string, init?: RequestInit) => {
      asked.push(new URL(url).pathname)
      return auth.fetch(new Request(url, init), {})
    },
  }
}

export const bound = (asked?: string[]): Config => over(binding({}, asked).fetch)

/** Over a service that answers so. */
export function over(fetch: (url: string, init?: RequestInit) => Promise<Response>): Config {
  return { worker: { fetch }, secret: SECRET, logger: { ...quiet } }
}

/** What a service that binds sessions says in each answer that begins one. */
export const OFFER = '(ES256 RS256);path="/auth/bound/register";challenge="c1"'

/** The service as a binding, which offers to bind the sessions that it begins. */
export function offering(more: Partial<AuthConfig> = {}) {
  const { fetch } = binding(more)
  return {
    fetch: async (url: string, init?: RequestInit) => {
      const answer = await fetch(url, init)
      const begins = answer.headers.getSetCookie().some((line) => /session-token=[^;]/.test(line))
      if (begins) answer.headers.set('secure-session-registration', OFFER)
      return answer
    },
  }
}

/** A service that does not answer. */
export const silent = {
  fetch: () => Promise.reject<Response>(new TypeError('The network is down.')),
}

/** A browser at an app, which keeps cookies and follows no redirect. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #app: App
  readonly #origin: string

  constructor(app: App, origin = ORIGIN) {
    this.#app = app
    this.#origin = origin
  }

  async go(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (this.cookies.size > 0 && !headers.has('cookie')) headers.set('cookie', this.cookie)
    const answer = await this.#app(new Request(this.#origin + path, { ...init, headers }))
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0/i.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }

  /** The name that a page sees; `null`: no user is signed in. */
  async who(headers: HeadersInit = {}): Promise<string | null> {
    return (await (await this.go('/me', { headers })).json()) as string | null
  }

  async csrfToken(): Promise<string> {
    const { csrfToken } = (await (await this.go(`${BASE}/csrf`)).json()) as { csrfToken: string }
    return csrfToken
  }

  /** Posts a form of the app's own. */
  submit(path: string, fields: Record<string, string> = {}, headers: HeadersInit = {}) {
    const own = { 'sec-fetch-site': 'same-origin', ...headers }
    return this.go(path, { method: 'POST', body: new URLSearchParams(fields), headers: own })
  }

  async post(route: string, fields: Record<string, string> = {}): Promise<Response> {
    const body = new URLSearchParams({ csrfToken: await this.csrfToken(), ...fields })
    return this.go(BASE + route, { method: 'POST', body })
  }

  signIn(fields: Record<string, string> = {}): Promise<Response> {
    return this.post('/callback/credentials', { username: 'ann', password: 'right', ...fields })
  }

  /** Gives the browser an ended token of its live session. @param left seconds of the token */
  async age(left = -100): Promise<void> {
    const { deriveSessionKeys, signSessionToken } = await import('@latchkey/session/issue')
    const { signing } = await deriveSessionKeys([SECRET])
    const payload = this.cookies.get(NAME)?.split('.')[1] ?? ''
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const now = Math.floor(Date.now() / 1000)
    const times = { iat: now + left - 300, exp: now + left, auth_time: now + left - 300 }
    this.cookies.set(NAME, await signSessionToken({ ...claims, ...times }, signing))
  }

  get cookie(): string {
    return [...this.cookies].map((pair) => pair.join('=')).join('; ')
  }
}

/** The lines for the session cookie, chunks included. */
export const ofSession = (answer: Response): string[] =>
  answer.headers.getSetCookie().filter((line) => line.startsWith(NAME))
