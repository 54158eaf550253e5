import type { AuthConfig } from '@latchkey/worker'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { workAsyncStorage } from 'next/dist/server/app-render/work-async-storage.external.js'
import { workUnitAsyncStorage } from 'next/dist/server/app-render/work-unit-async-storage.external.js'
import {
  createRequestStoreForAPI,
  createRequestStoreForRender,
} from 'next/dist/server/async-storage/request-store.js'
import { appendMutableCookies } from 'next/dist/server/web/spec-extension/adapters/request-cookies.js'
import { type NextFetchEvent, NextRequest } from 'next/server.js'
import {
  binding,
  NAME,
  OFFER,
  ORIGIN,
  offering,
  providers,
  quiet,
  SECRET,
  silent,
} from '../../../test/contracts/adapters/app.js'
import type { NextAuthConfig } from './index.js'

export { binding, NAME, OFFER, offering, quiet, SECRET, silent }

/** A configuration with a store of its own: otherwise all tests of the process would share one. */
export function inProcess(more: Partial<AuthConfig> = {}): NextAuthConfig {
  return { secret: SECRET, providers, store: memoryStore(), logger: { ...quiet }, ...more }
}

/** The ways to serve the auth routes, and the base path of each. */
export const modes: readonly (readonly [
  name: string,
  config: () => NextAuthConfig,
  base: string,
])[] = [
  ['in process', () => inProcess(), '/api/auth'],
  ['bound', () => ({ worker: binding(), logger: { ...quiet } }), '/auth'],
]

type Handler = (request: NextRequest, context: never) => unknown

/** What a page was rendered to, or where it redirects. */
export interface Rendered<Result> {
  readonly value?: Result
  readonly location?: string
  /** Set-Cookie lines: none of a page that is only rendered. */
  readonly lines: readonly string[]
}

/**
 * A browser at a Next app, in the stores that Next itself lays around pages, actions, handlers and the proxy. It
 * keeps cookies and follows no redirect.
 */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly base: string
  readonly #origin: string
  readonly #work: object

  /** @param work what Next knows of the page beside the request */
  constructor(base = '/api/auth', origin = ORIGIN, work: object = {}) {
    this.base = base
    this.#work = work
    this.#origin = origin
  }

  /** A route handler, as Next calls it. */
  async handle(path: string, handler: Handler, init: RequestInit = {}): Promise<Response> {
    const request = this.#request(path, init)
    const store = this.#apiStore(request)
    const context = { params: Promise.resolve({}) } as never
    const answer = await this.#inStores(store, async () => {
      try {
        return (await handler(request, context)) as Response
      } catch (thrown) {
        return redirectOf(thrown)
      }
    })
    const headers = new Headers(answer.headers)
    appendMutableCookies(headers, store.mutableCookies)
    this.#keep(headers.getSetCookie())
    return new Response(answer.body, { status: answer.status, headers })
  }

  /** The proxy. @param work gets the promises of `waitUntil` */
  async proxy(path: string, handler: Handler, init: RequestInit = {}, work: unknown[] = []) {
    const request = this.#request(path, init)
    const event = { waitUntil: (it: unknown) => void work.push(it) } as NextFetchEvent
    let changed: string[] | undefined
    const store = this.#apiStore(request, (lines) => {
      changed = lines
    })
    const response = (await this.#inStores(store, () =>
      handler(request, event as never),
    )) as Response
    // As Next's own adapter of the proxy does.
    if (changed) response.headers.delete('set-cookie')
    for (const line of changed ?? []) response.headers.append('set-cookie', line)
    this.#keep(response.headers.getSetCookie())
    return response
  }

  /** The headers of the page behind an answer of the proxy; `undefined`: the answer ends there. */
  static behind(answer: Response): Headers | undefined {
    if (!answer.headers.has('x-middleware-next')) return undefined
    const names = answer.headers.get('x-middleware-override-headers')?.split(',') ?? []
    return new Headers(
      names.map((name) => [name, answer.headers.get(`x-middleware-request-${name}`) ?? '']),
    )
  }

  /** A server component. @param headers the request's, also as the proxy has handed them on */
  render<Result>(
    work: () => Promise<Result>,
    headers: HeadersInit = {},
  ): Promise<Rendered<Result>> {
    return this.#page('render', work, headers)
  }

  /** A server action, called by a form of this site. */
  act<Result>(work: () => Promise<Result>, headers: HeadersInit = {}): Promise<Rendered<Result>> {
    return this.#page('action', work, { 'sec-fetch-site': 'same-origin', ...headers })
  }

  async #page<Result>(phase: 'render' | 'action', work: () => Promise<Result>, given: HeadersInit) {
    const headers = Object.fromEntries(this.#headers(given))
    const lines: string[] = []
    const store = createRequestStoreForRender(
      { headers } as never,
      {
        setHeader: (_: string, cookies: string[]) => lines.splice(0, Infinity, ...cookies),
      } as never,
      { pathname: '/', search: '' } as never,
      {},
      { tags: [] } as never,
      undefined,
      undefined as never,
      false,
      undefined,
      null,
      null,
      undefined,
    )
    store.phase = phase
    const outcome = await this.#inStores(store, async () => {
      try {
        return { value: await work() }
      } catch (thrown) {
        return { location: redirectOf(thrown).headers.get('location') ?? '' }
      }
    })
    this.#keep(lines)
    return { ...outcome, lines }
  }

  async post(GET: Handler, POST: Handler, route: string, fields: Record<string, string> = {}) {
    const { csrfToken } = (await (await this.handle(`${this.base}/csrf`, GET)).json()) as {
      csrfToken: string
    }
    const body = new URLSearchParams({ csrfToken, ...fields })
    return this.handle(this.base + route, POST, { method: 'POST', body })
  }

  signIn({ GET, POST }: { GET: Handler; POST: Handler }, username = 'ann'): Promise<Response> {
    return this.post(GET, POST, '/callback/credentials', { username, password: 'right' })
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

  #inStores<Result>(store: object, work: () => Result): Result {
    const common = { route: '/', page: '/', forceStatic: false, dynamicShouldError: false }
    return workAsyncStorage.run({ ...common, ...this.#work } as never, () =>
      workUnitAsyncStorage.run(store as never, work),
    )
  }

  #headers(given: HeadersInit): Headers {
    // An empty one takes a default away.
    const headers = new Headers([...new Headers(given)].filter(([, value]) => value))
    if (!headers.has('host')) headers.set('host', new URL(this.#origin).host)
    if (this.cookies.size > 0 && !headers.has('cookie')) headers.set('cookie', this.cookie)
    // Next fills these in.
    if (!headers.has('x-forwarded-host')) headers.set('x-forwarded-host', headers.get('host') ?? '')
    if (!headers.has('x-forwarded-proto')) headers.set('x-forwarded-proto', 'http')
    return headers
  }

  /** `next start` names `localhost` in each URL. */
  #request(path: string, init: RequestInit): NextRequest {
    const headers = this.#headers(init.headers ?? {})
    return new NextRequest(`http://localhost:3000${path}`, { ...init, headers } as never)
  }

  #apiStore(request: NextRequest, onUpdateCookies?: (lines: string[]) => void) {
    return createRequestStoreForAPI(
      request,
      request.nextUrl as never,
      { tags: [] } as never,
      onUpdateCookies,
      undefined as never,
      undefined,
    )
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0/i.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

/** Next's answer to what `redirect` throws. @throws anything else */
function redirectOf(thrown: unknown): Response {
  const { digest } = thrown as { digest?: string }
  const [name, , ...rest] = digest?.split(';') ?? []
  if (name !== 'NEXT_REDIRECT') throw thrown
  return new Response(null, {
    status: Number(rest.at(-2)),
    headers: { location: rest.slice(0, -2).join(';') },
  })
}

/** The lines for the session cookie, chunks included. */
export function ofSession(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith(NAME))
}
