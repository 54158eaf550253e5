import { type AuthConfig, createAuth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import github from '@latchkey/worker/providers/github'
import { memoryStore } from '@latchkey/worker/stores/memory'
import type { WebAuthConfig } from './index.js'

export const SECRET = 'a-secret-of-the-web-tests-0123456789abc'
export const ORIGIN = 'http://localhost:3000'
export const NAME = 'auth.session-token'

const providers = [
  credentials({
    authorize: ({ username, password }) =>
      password === 'right' ? { id: String(username), name: String(username) } : null,
  }),
  github({ clientId: 'id', clientSecret: 'secret' }),
]
const quiet = { error() {}, warn() {} }

/** A configuration with a logger of its own, so that it does not count as a copy of another one. */
export function inProcess(more: Partial<AuthConfig> = {}): WebAuthConfig {
  return { secret: SECRET, providers, logger: { ...quiet }, ...more }
}

/** The Worker as a service binding. @param asked gets the path of each call */
export function binding(more: Partial<AuthConfig> = {}, asked: string[] = []) {
  const trust = { trustHost: true, basePath: '/auth', store: memoryStore() }
  const auth = createAuth({ secret: SECRET, providers, logger: quiet, ...trust, ...more })
  return {
    fetch: (url: string, init?: RequestInit) => {
      asked.push(new URL(url).pathname)
      return auth.fetch(new Request(url, init), {})
    },
  }
}

/** A service that does not answer. */
export const silent = {
  fetch: () => Promise.reject<Response>(new TypeError('The network is down.')),
}

/** The ways to serve the auth routes. */
export const modes: readonly (readonly [name: string, config: () => WebAuthConfig])[] = [
  ['in process', () => inProcess()],
  ['bound', () => ({ worker: binding(), logger: { ...quiet } })],
]

/** A browser at an app, which keeps cookies and does not follow redirects. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #app: (request: Request) => Promise<Response>
  readonly #origin: string

  constructor(app: (request: Request) => Promise<Response>, origin = ORIGIN) {
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

  /** Posts a form of the app's own. */
  submit(path: string, fields: Record<string, string> = {}, headers: HeadersInit = {}) {
    const own = { 'sec-fetch-site': 'same-origin', ...headers }
    return this.go(path, { method: 'POST', body: new URLSearchParams(fields), headers: own })
  }

  async post(route: string, fields: Record<string, string> = {}): Promise<Response> {
    const { csrfToken } = (await (await this.go('/auth/csrf')).json()) as { csrfToken: string }
    const body = new URLSearchParams({ csrfToken, ...fields })
    return this.go(`/auth${route}`, { method: 'POST', body })
  }

  signIn(username = 'ann'): Promise<Response> {
    return this.post('/callback/credentials', { username, password: 'right' })
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
export function ofSession(answer: Response): string[] {
  return answer.headers.getSetCookie().filter((line) => line.startsWith(NAME))
}
