import { env } from 'cloudflare:workers'
import { createSandbox, defaultClient, type Sandbox } from '@latchkey/sandbox'
import { type AuthConfig, type AuthHandler, createAuth, customFetch } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import credentials from '@latchkey/worker/providers/credentials'
import videoapp from '@latchkey/worker/providers/videoapp'

export const bindings = env as unknown as AuthBindings & { readonly AUTH_SECRET: string }

const ORIGIN = 'http://localhost:8787'

/** The bindings of a Worker under test. */
export type TestEnv = AuthBindings & { readonly AUTH_SECRET: string }

export interface Service {
  readonly auth: AuthHandler<TestEnv>
  readonly env: TestEnv
  readonly sandbox: Sandbox
  /** Types and messages of the logged errors. */
  readonly errors: Error[]
}

/** The service with real bindings, and the sandbox as its network. */
export function service(
  overrides: Partial<AuthConfig> = {},
  changed: Partial<Record<keyof TestEnv, unknown>> = {},
): Service {
  const sandbox = createSandbox()
  const errors: Error[] = []
  const client = {
    clientId: defaultClient.clientKey,
    clientSecret: defaultClient.clientSecret,
    [customFetch]: async (input: RequestInfo | URL, init?: RequestInit) =>
      sandbox.request(input as string, init),
  }
  const config: AuthConfig = {
    basePath: '/auth',
    logger: { error: (error) => void errors.push(error) },
    providers: [
      videoapp(client),
      videoapp({ ...client, id: 'other', name: 'Other App' }),
      credentials({
        credentials: { username: {}, password: { type: 'password' } },
        authorize: ({ username, password }) =>
          password === 'open sesame' && /^\S.{0,99}$/.test(String(username))
            ? { id: String(username), name: String(username) }
            : null,
      }),
    ],
    ...overrides,
  }
  return {
    auth: createAuth<TestEnv>(config),
    env: { ...bindings, ...changed } as TestEnv,
    sandbox,
    errors,
  }
}

/** A browser that keeps cookies and does not follow redirects by itself. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #service: Service
  readonly #waiting: Promise<unknown>[] = []

  constructor(of: Service) {
    this.#service = of
  }

  async go(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (!headers.has('cookie')) headers.set('cookie', this.cookieHeader)
    const request = new Request(new URL(path, ORIGIN), { redirect: 'manual', ...init, headers })
    const waitUntil = (work: Promise<unknown>) => void this.#waiting.push(work)
    const ctx = { waitUntil, passThroughOnException() {}, props: {} } as unknown as ExecutionContext
    const response = await this.#service.auth.fetch(request, this.#service.env, ctx)
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  /** Posts a form with this browser's csrf token. */
  async post(path: string, fields: Record<string, string> = {}): Promise<Response> {
    const { csrfToken } = await (await this.go('/auth/csrf')).json<{ csrfToken: string }>()
    return this.go(path, { method: 'POST', body: new URLSearchParams({ csrfToken, ...fields }) })
  }

  async session(): Promise<{ user: Record<string, unknown>; expires: string } | null> {
    return (await this.go('/auth/session')).json()
  }

  /** Starts a sign-in and decides at the video app; the path that the browser is sent back to. */
  async decide(decision: Record<string, string>, callbackUrl = '/inbox'): Promise<string> {
    const started = await this.post('/auth/signin/videoapp', { callbackUrl })
    const consent = started.headers.get('location') ?? ''
    const body = new URLSearchParams(decision)
    const decided = await this.#service.sandbox.request(consent, { method: 'POST', body })
    const back = new URL(decided.headers.get('location') ?? 'about:blank')
    return back.pathname + back.search
  }

  allow(callbackUrl?: string): Promise<string> {
    const scope = 'user.info.profile'
    return this.decide({ person: 'vic', decision: 'allow', scope }, callbackUrl)
  }

  async signIn(): Promise<Response> {
    return this.go(await this.allow())
  }

  /** Waits for work that a Worker does after it has answered. */
  async settle(): Promise<void> {
    await Promise.all(this.#waiting)
  }

  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  get sessionToken(): string {
    return this.cookies.get('auth.session-token') ?? ''
  }

  /** The claims of the session token, read without verification. */
  get claims(): Record<string, unknown> & { sub: string; sid: string } {
    const [, payload = ''] = this.sessionToken.split('.')
    const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0))))
  }

  #keep(line: string): void {
    const pair = line.split(';', 1)[0] ?? ''
    const at = pair.indexOf('=')
    if (/; Max-Age=0(;|$)/.test(line)) this.cookies.delete(pair.slice(0, at))
    else this.cookies.set(pair.slice(0, at), pair.slice(at + 1))
  }
}

/** A user after a sign-in with the video app. */
export async function signedIn(
  of: Service = service(),
): Promise<{ of: Service; browser: Browser }> {
  const browser = new Browser(of)
  await browser.signIn()
  return { of, browser }
}

/** A browser with the same session cookie, in front of another isolate. */
export function copyAt({ sessionToken }: Browser, of: Service = service()): Browser {
  const copy = new Browser(of)
  copy.cookies.set('auth.session-token', sessionToken)
  return copy
}

/** The real KV, with a count of its calls. */
export function countingKv(): { kv: KVNamespace; calls: string[] } {
  const calls: string[] = []
  const kv = new Proxy(bindings.SESSIONS, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        calls.push(String(name))
        return member.apply(target, args)
      }
    },
  })
  return { kv, calls }
}

/** Every key in KV with this prefix. */
export async function keysOf(prefix: string): Promise<string[]> {
  return (await bindings.SESSIONS.list({ prefix })).keys.map(({ name }) => name)
}

export function location(response: Response): URL {
  return new URL(response.headers.get('location') ?? '', ORIGIN)
}
