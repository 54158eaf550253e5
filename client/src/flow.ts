import { type Answer, type FieldValue, type Form, memberOf, textIn } from './answer.js'
import { type Service, unreachable } from './service.js'

/** The target, and the provider's fields, such as `password` or `email`. */
export interface SignInOptions extends SignOutOptions {
  /** Called `redirectTo` here. */
  readonly callbackUrl?: never
  /**
   * Adds the provider to the ways of the signed-in user, instead of signing in. Five minutes
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
  /** The path of the auth routes, below the base of the framework; default: `/auth`, or that of the client. */
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

/** The types of `signIn`: with `redirect: false` there is always an outcome. */
export interface SignIn {
  (
    providerId: string | undefined,
    options: SignInOptions & { readonly redirect: false },
    authorizationParams?: AuthorizationParams,
  ): Promise<AuthResult>
  (
    providerId?: string,
    options?: SignInOptions,
    authorizationParams?: AuthorizationParams,
  ): Promise<AuthResult | undefined>
}

/** The types of `signOut`: with `redirect: false` there is always an outcome. */
export interface SignOut {
  (options: SignOutOptions & { readonly redirect: false }): Promise<AuthResult>
  (options?: SignOutOptions): Promise<AuthResult | undefined>
}

/** The two ways in which a page changes its session. */
export interface Flow {
  readonly signIn: SignIn
  readonly signOut: SignOut
}

/**
 * Sign-in and sign-out of one page.
 *
 * @param changed is called after a sign-in or sign-out; `leaves` says that the browser goes to another page then
 */
export function flowOf(
  { browser, ask, at }: Service,
  changed: (leaves: boolean, path: '/signin' | '/signout') => unknown,
): Flow {
  /** The answers of `/providers`, for the life of the page. */
  const answers: Record<string, Answer> = {}

  /**
   * Sends a form, and navigates to the answer's URL, or else to `path`.
   *
   * @param findRoute finds the route that the form goes to, or answers itself
   * @returns the outcome, for a caller with `redirect: false`
   */
  async function submit(
    path: '/signin' | '/signout',
    { redirectTo, redirect = true, basePath, ...fields }: SignInOptions = {},
    findRoute?: (service: string, page: string, form: Form) => Promise<string | Answer>,
  ): Promise<AuthResult | undefined> {
    const { location } = browser
    const callbackUrl = redirectTo ?? location.href
    const service = at(basePath)
    const { maxAge, acr } = fields
    const page = `${service}${path}?${queryOf({ callbackUrl, maxAge, acr })}`
    const form = { ...fields, callbackUrl }
    const route = (await findRoute?.(service, page, form)) ?? path
    let answer = route as Answer
    if (typeof route === 'string') {
      answer = await ask(`${service}/csrf`)
      const csrfToken = textIn(answer.data, 'csrfToken')
      answer = csrfToken
        ? await ask(service + route, queryOf({ ...form, csrfToken }))
        : { ...answer, ok: false }
    }
    const { status, data } = answer
    const url = textIn(data, 'url') as string
    // Never navigate to a URL that could run as a script. An absent one, read as text, fails as well.
    const isSafe = /^https?:/.test(url)
    const ok = answer.ok && isSafe
    const { ceremony = /^\/(callback|signout)/.test(route as string) } = answer
    const leaves = redirect && ceremony !== 'stopped'
    if (ok && ceremony) await changed(leaves, path)
    if (leaves) {
      const next = isSafe ? url : page
      const [here] = location.href.split('#')
      location.assign(next)
      // A browser that navigates within the same page makes no request.
      if (next.startsWith(`${here}#`)) location.reload()
      return undefined
    }
    return {
      error: ok ? undefined : (textIn(data, 'error') ?? 'Configuration'),
      code: textIn(data, 'code'),
      ok,
      status,
      url: ok ? url : null,
    }
  }

  const flow = {
    signIn: (
      providerId?: string,
      { link, ...options }: SignInOptions = {},
      authorizationParams?: AuthorizationParams,
    ) => {
      const query = queryOf(authorizationParams)
      const fields = link ? { ...options, provider: providerId } : options
      return submit('/signin', fields, async (service, page, form) => {
        if (!providerId) return { status: 200, ok: true, data: { url: page } }
        if (providerId === 'passkey') {
          // Only calls that use it load it.
          const { holdCeremony } = await import('./passkey.js').catch(unreachable)
          return holdCeremony(browser, memberOf, ask, service, { ...form, link })
        }
        if (link) return `/ways/add?${query}`
        const answer = answers[service] ?? (await ask(`${service}/providers`))
        if (!answer.ok || !answer.data) return answer
        answers[service] = answer
        const type = textIn(memberOf(answer.data, providerId), 'type')
        const id = encodeURIComponent(providerId)
        // Without a password, that provider sends a mail.
        const isPassword = type === 'password' && (form as Record<string, unknown>).password != null
        if (type === 'credentials' || isPassword) return `/callback/${id}`
        // The service gives the same answer for an unknown provider.
        return type ? `/signin/${id}?${query}` : { status: 400, ok: false }
      })
    },
    signOut: (options?: SignInOptions) => submit('/signout', options),
  }
  return flow as Flow
}

/** Parameters or fields as a query. Unset ones are left out. */
export function queryOf(
  parameters: AuthorizationParams | Readonly<Record<string, FieldValue>>,
): URLSearchParams {
  const all = Object(parameters)
  const pairs = Object.entries(all).filter(([, value]) => value != null)
  // Text, pairs and a URLSearchParams are taken unchanged; values become text.
  return new URLSearchParams((all[Symbol.iterator] ? parameters : pairs) as AuthorizationParams)
}
