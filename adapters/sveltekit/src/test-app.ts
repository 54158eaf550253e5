import { type AuthConfig, createAuth } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'
import { isHttpError, isRedirect } from '@sveltejs/kit'
import type { ComponentKitAuthHandlers } from './kit-auth.js'
import type { InProcessConfig, KitEvent } from './types.js'

export const ORIGIN = 'http://localhost:5173'
export const SECRET = 'a-secret-of-the-adapter-tests-0123456789'

/** `ada` signs in with `lovelace`. */
export const ada = credentials({
  authorize: ({ username, password }) =>
    username === 'ada' && password === 'lovelace' ? { id: 'ada', name: 'Ada' } : null,
})

export const config: InProcessConfig = {
  providers: [ada],
  secret: SECRET,
  logger: { error() {}, warn() {} },
}

/** The code of a page, an endpoint or an action. */
export type Page = (event: Required<Pick<KitEvent, 'request'>> & TestEvent) => unknown

export type TestEvent = KitEvent & { readonly locals: App.Locals }

export interface Options {
  readonly platform?: unknown
  readonly isDataRequest?: boolean
  readonly isRemoteRequest?: boolean
  /** Answers instead of the page. */
  readonly respond?: (event: TestEvent) => Response | Promise<Response>
  readonly origin?: string
  readonly cookies?: KitEvent['cookies']
  readonly client?: string
}

/**
 * A browser and, behind the hook, a stand-in for Kit that handles errors and redirects like the
 * real one.
 */
export class TestApp {
  readonly auth: ComponentKitAuthHandlers
  readonly cookies = new Map<string, string>()
  /** Did the last request reach the app's own routes? */
  wasResolved = false

  constructor(auth: ComponentKitAuthHandlers) {
    this.auth = auth
  }

  async visit(
    path: string,
    page: Page = () => undefined,
    init: RequestInit = {},
    options: Options = {},
  ): Promise<Response> {
    const { origin = ORIGIN } = options
    const headers = new Headers(init.headers)
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ')
    if (cookie && !headers.has('cookie')) headers.set('cookie', cookie)
    const request = new Request(origin + path, { ...init, headers })
    const event = eventOf(request, options)
    this.wasResolved = false
    const response = await this.auth.handle({
      event,
      resolve: async (event) => {
        this.wasResolved = true
        return options.respond?.(event) ?? answer(() => page({ ...event } as TestEvent))
      },
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    return response
  }

  /** Posts a form as a browser does, to an action of the app. */
  submit(
    action: (event: KitEvent) => Promise<unknown>,
    fields: Record<string, string>,
    init: RequestInit = {},
    options: Options = {},
  ): Promise<Response> {
    const { origin = ORIGIN } = options
    const headers = new Headers({ origin, 'sec-fetch-site': 'same-origin' })
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    const form = { method: 'POST', body: new URLSearchParams(fields), ...init, headers }
    return this.visit('/form', action as Page, form, options)
  }

  signIn(options?: Options): Promise<Response> {
    const fields = { providerId: 'credentials', username: 'ada', password: 'lovelace' }
    return this.submit(this.auth.signIn, fields, {}, options)
  }

  /** The name of the signed-in person, as a page reads it. */
  async who(options?: Options): Promise<string | null> {
    const page: Page = async ({ locals }) => (await locals.auth())?.user?.name ?? null
    const response = await this.visit('/who', page, {}, options)
    return response.ok ? ((await response.json()) as string | null) : `status ${response.status}`
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';', 1)
    const at = pair.indexOf('=')
    const value = pair.slice(at + 1)
    if (value === '' || /max-age=0/i.test(line)) this.cookies.delete(pair.slice(0, at))
    else this.cookies.set(pair.slice(0, at), value)
  }
}

export function eventOf(request: Request, options: Options = {}): TestEvent {
  const { platform, isDataRequest = false, isRemoteRequest = false } = options
  return {
    request,
    url: new URL(request.url),
    locals: {} as App.Locals,
    platform,
    isDataRequest,
    isRemoteRequest,
    getClientAddress: () => options.client ?? '192.0.2.7',
    cookies: options.cookies ?? { set() {} },
  }
}

async function answer(page: () => unknown): Promise<Response> {
  try {
    const data = await page()
    return data === undefined ? new Response('page') : Response.json(data)
  } catch (thrown) {
    // Failed assertions inside a page are rethrown for the test.
    if (thrown instanceof Error && thrown.name === 'AssertionError') throw thrown
    if (isRedirect(thrown)) {
      return new Response(null, { status: thrown.status, headers: { location: thrown.location } })
    }
    if (isHttpError(thrown)) return Response.json(thrown.body, { status: thrown.status })
    return Response.json({ thrown: String(thrown) }, { status: 500 })
  }
}

/** The Worker behind a URL, with its recorded requests. */
export function testWorker(changes: Partial<AuthConfig> = {}) {
  const handler = createAuth({
    ...(config as AuthConfig),
    basePath: '/auth',
    store: memoryStore(),
    trustedOrigins: [ORIGIN, 'https://app.example'],
    ...changes,
  })
  const requests: { readonly url: string; readonly headers: Headers }[] = []
  return {
    requests,
    fetch: (url: string, init?: RequestInit) => {
      const request = new Request(url, init)
      requests.push({ url: request.url, headers: request.headers })
      return handler.fetch(request, {})
    },
  }
}
