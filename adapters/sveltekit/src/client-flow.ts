import { AuthError } from '@latchkey/session'
import {
  type Answer,
  type Asking,
  type Browser,
  type FieldValue,
  type Form,
  memberOf,
  textIn,
} from './client-answer.js'

/** The target, and the provider's fields, such as `password` or `email`. */
export interface SignInOptions extends SignOutOptions {
  /** Called `redirectTo` here. */
  readonly callbackUrl?: never
  /**
   * Adds the provider to the signed-in user's sign-in methods, instead of signing in. Five minutes
   * after a sign-in the user has to sign in again first: the outcome is `FreshSignInRequired`.
   */
  readonly link?: boolean | undefined
  /** With passkeys: `register` creates an account, called `name` if that is given; default: sign in. */
  readonly action?: 'register' | 'authenticate' | undefined
  readonly [field: string]: FieldValue
}

/** Sent to the provider's authorization endpoint, except those that the service reserves. */
export type AuthorizationParams = ConstructorParameters<typeof URLSearchParams>[0]

/** Options of `signOut` of the client. */
export interface SignOutOptions {
  /** The target afterwards; default: this page. */
  readonly redirectTo?: string | undefined
  /** `false`: stay on this page and return the outcome. */
  readonly redirect?: boolean | undefined
  /** The path of the auth routes, below Kit's base; default: `/auth`. */
  readonly basePath?: string | undefined
}

/** The outcome, for a caller with `redirect: false`. */
export interface AuthResult {
  /** A public error word, such as `CredentialsSignin`. */
  readonly error: string | undefined
  /** Details of the error, such as the `code` of an app's own `CredentialsSignin`. */
  readonly code: string | undefined
  /** The HTTP status of the service's answer. */
  readonly status: number
  readonly ok: boolean
  /** The next URL: with an OAuth provider, its page. `null` if there was an error. */
  readonly url: string | null
}

export interface Client {
  signIn(
    providerId?: string,
    options?: SignInOptions,
    authorizationParams?: AuthorizationParams,
  ): Promise<AuthResult | undefined>
  signOut(options?: SignOutOptions): Promise<AuthResult | undefined>
  /** The session; `undefined` when it cannot be known now. */
  session(): Promise<unknown>
}

/**
 * The client of one page.
 *
 * @param resolve the path of one of the app's pages, with Kit's base
 * @param refresh reads the page's data again
 * @param announce notifies the other tabs of a sign-in or sign-out
 */
export function createClient(
  browser: Browser,
  resolve: (path: string) => string,
  refresh: () => Promise<unknown>,
  announce: () => void,
): Client {
  /** The answers of `/providers`, for the life of the page. */
  const answers: Record<string, Answer> = {}
  let lastService: string | undefined

  /** The URL of the service. @throws {AuthError} when `basePath` is not a path */
  function serviceAt(basePath = '/auth'): string {
    // A second slash or a backslash would begin the name of a host.
    if (!/^\/(?![/\\])/.test(basePath)) {
      throw new AuthError('The basePath must be a path, such as /auth.')
    }
    lastService = browser.location.origin + resolve(basePath).replace(/\/$/, '')
    return lastService
  }

  const ask: Asking = async (url, parameters) => {
    const isForm = parameters instanceof URLSearchParams
    const body = isForm ? parameters : JSON.stringify(parameters)
    try {
      const response = await browser.fetch(url, {
        ...(body && { method: 'POST', body }),
        headers: {
          'x-auth-return-redirect': '1',
          ...(!isForm && body && { 'content-type': 'application/json' }),
        },
        // A redirect to another site must not get a password.
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
   * Sends a form, and navigates to the answer's URL, or else to `path`.
   *
   * @param findRoute finds the route that the form goes to, or answers itself
   * @returns the outcome, for a caller with `redirect: false`
   */
  async function submit(
    path: string,
    { redirectTo, redirect = true, basePath, ...fields }: SignInOptions = {},
    findRoute: (service: string, page: string, form: Form) => Promise<string | Answer>,
  ): Promise<AuthResult | undefined> {
    const { location } = browser
    const callbackUrl = redirectTo ?? location.href
    const service = serviceAt(basePath)
    const { maxAge, acr } = fields
    const page = `${service}${path}?${queryOf({ callbackUrl, maxAge, acr })}`
    const route = await findRoute(service, page, { ...fields, callbackUrl })
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
    // Never navigate to a URL that could run as a script.
    const target = url && /^https?:/.test(url) ? url : null
    const ok = answer.ok && target !== null
    const { ceremony = /^\/(callback|signout)/.test(String(route)) } = answer
    const isSessionChange = ok && ceremony
    if (isSessionChange) announce()
    if (redirect && ceremony !== 'stopped') return go(location, target ?? page)
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
    signIn: (providerId, { link, ...options } = {}, authorizationParams) => {
      const query = queryOf(authorizationParams)
      const fields = link ? { ...options, provider: providerId } : options
      return submit('/signin', fields, async (service, page, form) => {
        if (!providerId) return { status: 200, ok: true, data: { url: page } }
        if (providerId === 'passkey') {
          // Only calls that use it load it.
          const { holdCeremony } = await import('./client-passkey.js')
          return holdCeremony(browser, ask, service, { ...form, link })
        }
        if (link) return `/ways/add?${query}`
        const answer = answers[service] ?? (await ask(`${service}/providers`))
        if (!answer.ok || !answer.data) return answer
        answers[service] = answer
        const type = textIn(memberOf(answer.data, providerId), 'type')
        const id = encodeURIComponent(providerId)
        if (type === 'credentials') return `/callback/${id}`
        // The service gives the same answer for an unknown provider.
        return type ? `/signin/${id}?${query}` : { status: 400, ok: false }
      })
    },
    signOut: ({ redirectTo, redirect, basePath } = {}) =>
      submit('/signout', { redirectTo, redirect, basePath }, async () => '/signout'),
    async session() {
      const { ok, data } = await ask(`${lastService ?? serviceAt()}/session`)
      return ok ? data : undefined
    },
  }
}

/** Parameters or fields as a query. Unset ones are left out. */
export function queryOf(
  parameters: AuthorizationParams | Readonly<Record<string, FieldValue>>,
): URLSearchParams {
  const all = Object(parameters)
  const pairs = Object.entries(all).filter(([, value]) => value != null)
  // Text, pairs and a URLSearchParams are taken unchanged; values become text.
  return new URLSearchParams((Symbol.iterator in all ? parameters : pairs) as AuthorizationParams)
}

function go(location: Browser['location'], url: string): undefined {
  const [here] = location.href.split('#')
  const [there, hash] = url.split('#')
  location.assign(url)
  // A browser that navigates within the same page makes no request.
  if (hash !== undefined && here === there) location.reload()
}
