import { AuthError } from '@latchkey/session'

type FieldValue = string | number | boolean | null | undefined

/** Where to go, and the fields that the provider takes, such as `password` or `email`. */
export interface SignInOptions extends SignOutOptions {
  /** Called `redirectTo` here. */
  readonly callbackUrl?: never
  readonly [field: string]: FieldValue
}

/** Sent to the provider's authorization endpoint, as far as the service lets them. */
export type AuthorizationParams = ConstructorParameters<typeof URLSearchParams>[0]

export interface SignOutOptions {
  /** Where to go afterwards; this page, unless given. */
  readonly redirectTo?: string | undefined
  /** `false`: stay on this page and return what happened. */
  readonly redirect?: boolean | undefined
  /** Where the auth routes are, below Kit's base; `/auth` unless given. */
  readonly basePath?: string | undefined
}

/** What came of it, for a caller that asked not to be redirected. */
export interface AuthResult {
  /** A public error word, such as `CredentialsSignin`. */
  readonly error: string | undefined
  /** Says more about the error, such as the `code` of an app's own `CredentialsSignin`. */
  readonly code: string | undefined
  /** The HTTP status of the service's answer. */
  readonly status: number
  readonly ok: boolean
  /** Where to go next: with an OAuth provider, its page. `null` where there was an error. */
  readonly url: string | null
}

/** What the client needs of a browser; read when it is needed, since a server has none of it. */
export interface Browser {
  readonly fetch: typeof globalThis.fetch
  readonly location: Pick<Location, 'href' | 'origin' | 'assign' | 'reload'>
}

export interface Client {
  signIn(
    providerId?: string,
    options?: SignInOptions,
    authorizationParams?: AuthorizationParams,
  ): Promise<AuthResult | undefined>
  signOut(options?: SignOutOptions): Promise<AuthResult | undefined>
  /** Who is signed in; `undefined` when that cannot be known now. */
  session(): Promise<unknown>
}

/** What the auth service answered. */
interface Answer {
  readonly status: number
  readonly ok: boolean
  /** `undefined` where it was no JSON, such as a proxy's error page. */
  readonly data?: unknown
}

/**
 * The client of one page.
 *
 * @param resolve the path of one of the app's pages, with Kit's base
 * @param refresh reads the page's data again
 * @param announce tells the other tabs that who is signed in has changed
 */
export function createClient(
  browser: Browser,
  resolve: (path: string) => string,
  refresh: () => Promise<unknown>,
  announce: () => void,
): Client {
  /** What each service answered to `/providers`, for the life of the page. */
  const known: Record<string, Answer> = {}
  let lastService: string | undefined

  /** The URL of the service. @throws {AuthError} when `basePath` is no path */
  function serviceAt(basePath = '/auth'): string {
    // A second slash or a backslash would begin the name of a host.
    if (!/^\/(?![/\\])/.test(basePath)) {
      throw new AuthError('The basePath must be a path, such as /auth.')
    }
    lastService = browser.location.origin + resolve(basePath).replace(/\/$/, '')
    return lastService
  }

  /** Posts the form, if there is one; gets otherwise. @throws {AuthError} when nobody answers */
  async function ask(url: string, body?: URLSearchParams): Promise<Answer> {
    try {
      const response = await browser.fetch(url, {
        ...(body && { method: 'POST', body }),
        headers: { 'x-auth-return-redirect': '1' },
        // A redirect to elsewhere must not take a password along.
        mode: 'same-origin',
        cache: 'no-store',
      })
      const { status, ok } = response
      return { status, ok, data: await response.json().catch(() => undefined) }
    } catch (cause) {
      throw new AuthError('The auth service cannot be reached.', { cause })
    }
  }

  /**
   * Sends a form, and leads the browser to where the answer says, or else to `path`.
   *
   * @param findRoute finds the route that the form goes to, or answers itself
   * @returns what came of it, for a caller that stays
   */
  async function submit(
    path: string,
    { redirectTo, redirect = true, basePath, ...fields }: SignInOptions = {},
    findRoute: (service: string, page: string) => Promise<string | Answer>,
  ): Promise<AuthResult | undefined> {
    const { location } = browser
    const callbackUrl = redirectTo ?? location.href
    const service = serviceAt(basePath)
    const page = `${service}${path}?${queryOf({ callbackUrl })}`
    const route = await findRoute(service, page)
    let answer = route as Answer
    if (typeof route === 'string') {
      answer = await ask(`${service}/csrf`)
      const csrfToken = textIn(answer.data, 'csrfToken')
      answer = csrfToken
        ? await ask(service + route, queryOf({ ...fields, callbackUrl, csrfToken }))
        : { ...answer, ok: false }
    }
    const { status, data } = answer
    const url = textIn(data, 'url')
    // Nothing that could run as a script is ever gone to.
    const target = url && /^https?:/.test(url) ? url : null
    const ok = answer.ok && target !== null
    const isSessionChange = ok && /^\/(callback|signout)/.test(String(route))
    if (isSessionChange) announce()
    if (redirect) return go(location, target ?? page)
    if (isSessionChange) await refresh()
    return {
      error: ok ? undefined : (textIn(data, 'error') ?? 'Configuration'),
      code: textIn(data, 'code'),
      status,
      ok,
      url: ok ? target : null,
    }
  }

  return {
    signIn: (providerId, options, authorizationParams) =>
      submit('/signin', options, async (service, page) => {
        if (!providerId) return { status: 200, ok: true, data: { url: page } }
        const answer = known[service] ?? (await ask(`${service}/providers`))
        if (!answer.ok || !answer.data) return answer
        known[service] = answer
        const type = textIn(memberOf(answer.data, providerId), 'type')
        const id = encodeURIComponent(providerId)
        if (type === 'credentials') return `/callback/${id}`
        // As the service answers for a provider that it does not have.
        return type ? `/signin/${id}?${queryOf(authorizationParams)}` : { status: 400, ok: false }
      }),
    signOut: ({ redirectTo, redirect, basePath } = {}) =>
      submit('/signout', { redirectTo, redirect, basePath }, async () => '/signout'),
    async session() {
      const { ok, data } = await ask(`${lastService ?? serviceAt()}/session`)
      return ok ? data : undefined
    },
  }
}

/** Parameters or fields as a query. What a page has not set is left out. */
export function queryOf(
  given: AuthorizationParams | Readonly<Record<string, FieldValue>>,
): URLSearchParams {
  const all = Object(given)
  const pairs = Object.entries(all).filter(([, value]) => value != null)
  // Text, pairs and a URLSearchParams are as they should be; values become text by themselves.
  return new URLSearchParams((Symbol.iterator in all ? given : pairs) as AuthorizationParams)
}

/** A member of an answer that is text; anything else is as if it were not there. */
function textIn(data: unknown, name: string): string | undefined {
  const value = memberOf(data, name)
  return typeof value === 'string' ? value : undefined
}

/** A member of an answer, whatever the answer is. */
export function memberOf(data: unknown, name: string): unknown {
  return Object(data)[name]
}

function go(location: Browser['location'], url: string): undefined {
  const [here] = location.href.split('#')
  const [there, hash] = url.split('#')
  location.assign(url)
  // A browser that goes to another place on the same page asks the server for nothing.
  if (hash !== undefined && here === there) location.reload()
}
