import { memberOf, type Requests, requestsTo, textMember } from './client-requests.js'

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

/** As a query. What a page has not set is left out. */
export function authorizationQuery(given: AuthorizationParams): URLSearchParams {
  const params = given ?? {}
  if (typeof params !== 'object' || Symbol.iterator in params) return new URLSearchParams(params)
  return new URLSearchParams(Object.entries(params).filter(([, value]) => value != null))
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
export interface Surroundings {
  readonly fetch: typeof globalThis.fetch
  readonly location: Pick<Location, 'href' | 'assign' | 'reload'>
  /** The app's own root, with Kit's base. */
  root(): URL
  /** Reads the page's data again. */
  refresh(): Promise<unknown>
  /** Tells the other tabs that who is signed in has changed. */
  announce(): void
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

/** The client of one page. */
export function createClient(surroundings: Surroundings): Client {
  /** The providers of each base path, for the life of the page. */
  const known = new Map<string, unknown>()
  let lastBasePath = DEFAULT_BASE_PATH

  function service(basePath: string): Requests {
    const requests = requestsTo(surroundings.root(), basePath, surroundings.fetch)
    lastBasePath = basePath
    return requests
  }

  /** The provider's type, or why there is none: it is unknown, or the service did not say. */
  async function typeOf(requests: Requests, id: string): Promise<string | AuthResult> {
    const key = requests.urlOf('').href
    if (!known.has(key)) {
      const { status, ok, data } = await requests.get('/providers')
      if (!ok || typeof data !== 'object') return failure(status, data)
      known.set(key, data)
    }
    const type = textMember(memberOf(known.get(key), id), 'type')
    return type ?? failure(UNKNOWN_PROVIDER)
  }

  return {
    async signIn(providerId, options = {}, authorizationParams) {
      const { redirectTo, redirect = true, basePath = DEFAULT_BASE_PATH, ...fields } = options
      const { location } = surroundings
      const callbackUrl = redirectTo ?? location.href
      const requests = service(basePath)
      const signInPage = pageFor(requests, '/signin', callbackUrl)
      if (!providerId) return redirect ? go(location, signInPage) : success(signInPage)

      const type = await typeOf(requests, providerId)
      if (typeof type !== 'string') return redirect ? go(location, signInPage) : type
      const id = encodeURIComponent(providerId)
      const query = authorizationQuery(authorizationParams).toString()
      const path =
        type === 'credentials' ? `/callback/${id}` : `/signin/${id}${query && `?${query}`}`
      const { status, ok, data } = await requests.post(path, { ...texts(fields), callbackUrl })
      const url = webUrl(textMember(data, 'url'), location)
      const isDone = ok && url !== undefined
      const isSignedIn = isDone && type === 'credentials'
      if (isSignedIn) surroundings.announce()
      if (redirect) return go(location, url ?? signInPage)
      if (isSignedIn) await surroundings.refresh()
      return isDone ? success(url, status) : failure(status, data)
    },

    async signOut(options = {}) {
      const { redirectTo, redirect = true, basePath = DEFAULT_BASE_PATH } = options
      const { location } = surroundings
      const callbackUrl = redirectTo ?? location.href
      const requests = service(basePath)
      const { status, ok, data } = await requests.post('/signout', { callbackUrl })
      const url = webUrl(textMember(data, 'url'), location)
      const isDone = ok && url !== undefined
      if (isDone) surroundings.announce()
      // Still signed in: the service's own page says so, and can be tried again.
      if (redirect) return go(location, url ?? pageFor(requests, '/signout', callbackUrl))
      if (isDone) await surroundings.refresh()
      return isDone ? success(url, status) : failure(status, data)
    },

    async session() {
      const { ok, data } = await service(lastBasePath).get('/session')
      return ok ? data : undefined
    },
  }
}

const DEFAULT_BASE_PATH = '/auth'

/** What the service answers for a provider that it does not have. */
const UNKNOWN_PROVIDER = 400

function pageFor(requests: Requests, path: string, callbackUrl: string): string {
  const page = requests.urlOf(path)
  page.searchParams.set('callbackUrl', callbackUrl)
  return page.href
}

function success(url: string, status = 200): AuthResult {
  return { error: undefined, code: undefined, status, ok: true, url }
}

/** An answer that is not the service's own, such as a proxy's error page, names no error. */
function failure(status: number, data?: unknown): AuthResult {
  const error = textMember(data, 'error') ?? 'Configuration'
  return { error, code: textMember(data, 'code'), status, ok: false, url: null }
}

function texts(fields: Readonly<Record<string, FieldValue>>): Record<string, string> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
}

/** Nothing that could run as a script is ever gone to. */
function webUrl(url: string | undefined, { href }: Pick<Location, 'href'>): string | undefined {
  if (url === undefined || !URL.canParse(url, href)) return undefined
  const parsed = new URL(url, href)
  return parsed.protocol === 'https:' || parsed.protocol === 'http:' ? parsed.href : undefined
}

function go(location: Surroundings['location'], url: string): undefined {
  const [here] = location.href.split('#')
  const [there, hash] = url.split('#')
  location.assign(url)
  // A browser that goes to another place on the same page asks the server for nothing.
  if (hash !== undefined && here === there) location.reload()
}
