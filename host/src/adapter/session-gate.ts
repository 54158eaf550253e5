import type { Reading, SessionClaims, SessionNeeds } from '@latchkey/session'
import { isEnough, lackOf } from '@latchkey/session/issue'
import { checkNeeds } from '../shared/check-needs.js'
import { InvalidConfiguration } from '../shared/invalid-configuration.js'
import { DEFAULT_BASE_PATH, isBasePath } from '../shared/service-routes.js'
import type { HostRequest } from './host-request.js'
import { ownReferer } from './own-referer.js'
import { withPrefix } from './path-prefix.js'

/** The needs of a request, and the page for a user without a session. */
export interface RequireSessionOptions extends SessionNeeds {
  /** Your page for users who are not signed in: a path or a URL. Default `/login`. */
  readonly redirectTo?: string
}

/**
 * The answer to a request that may not pass; `undefined` lets it pass.
 *
 * @param host says what a proxy has taken off the path: asked only for a request that may not pass
 */
export type SessionGate = (
  request: HostRequest,
  reading: Reading,
  host: Prefixes,
) => Promise<Response | undefined> | undefined

/** The part of a host that a gate needs. */
interface Prefixes {
  prefixOf(request: HostRequest): string | Promise<string>
}

/**
 * A gate for requests that need a session, made once for all of them. A browser that asks for a page is
 * sent to a page: without a session to `redirectTo`, and with one that does not suffice to the service's
 * sign-in page, with the path as `callbackUrl`. Any other client gets 401 and JSON. The page at
 * `redirectTo` itself passes, in exactly that spelling. Behind a proxy that takes a part of the path off, the browser's
 * paths have that part again.
 *
 * @param now milliseconds since the epoch
 * @throws {InvalidConfiguration} naming an option that is invalid
 */
export function sessionGate(options: RequireSessionOptions, now = Date.now): SessionGate {
  const { redirectTo, needs } = checked(options)
  const page = redirectTo.split(/[?#]/, 1)[0]

  const refuse = async (
    request: HostRequest,
    person: SessionClaims | null,
    host: Prefixes,
  ): Promise<Response | undefined> => {
    const prefix = await host.prefixOf(request)
    const at = request.target.split('?', 1)[0] ?? ''
    if (withPrefix(prefix, at) === page) return undefined
    if (person) return signInAfresh(request, person, { needs, now: now(), prefix })
    if (!wantsPage(request)) return refusal({ error: 'SessionRequired' })
    return redirect(withCallback(withPrefix(prefix, redirectTo), targetOf(request, prefix)))
  }

  return (request, reading, host) => {
    const person = personIn(reading)
    if (person && suffices(person, needs, now())) return undefined
    // The raw path: another spelling of the login page does not pass.
    if (request.target.split('?', 1)[0] === page) return undefined
    return refuse(request, person, host)
  }
}

/**
 * Where a page sends a person who may not see it, for frameworks whose pages have no request.
 *
 * @param callbackUrl the page itself, if it is known
 * @param now milliseconds since the epoch
 * @returns a path, or `redirectTo`; `undefined`: the person may see the page
 * @throws {InvalidConfiguration} naming an option that is invalid
 */
export function detourOf(
  options: RequireSessionOptions,
  reading: Reading,
  callbackUrl: string | undefined,
  now = Date.now(),
): string | undefined {
  const { redirectTo, needs } = checked(options)
  const person = personIn(reading)
  if (person && suffices(person, needs, now)) return undefined
  const page = person ? freshSignIn(person, needs) : redirectTo
  return callbackUrl === undefined ? page : withCallback(page, callbackUrl)
}

function checked(options: RequireSessionOptions) {
  checkNeeds(options, ['redirectTo'])
  const { redirectTo = '/login', maxAge, acr, bound } = options
  if (typeof redirectTo !== 'string' || !isPage(redirectTo)) {
    throw new InvalidConfiguration('`redirectTo` must be a path or a URL.')
  }
  return { redirectTo, needs: { maxAge, acr, bound } }
}

function personIn({ session, claims }: Reading): SessionClaims | null {
  return session?.user ? claims : null
}

function suffices(person: SessionClaims, needs: SessionNeeds, now: number): boolean {
  return asked(needs).length === 0 || isEnough(person, now, needs)
}

/** The page for a fresh sign-in, or for one that binds the session, at the service that signed it. */
function freshSignIn(claims: SessionClaims, needs: SessionNeeds): string {
  // The reader has compared it with this app's own origin, and with the base path if that is known.
  const { pathname } = new URL(claims.iss)
  const base = isBasePath(pathname) ? pathname : DEFAULT_BASE_PATH
  return `${base}/signin?${asked(needs)
    .map(([name, value]) => `${name}=${value === true ? 1 : value}`)
    .join('&')}`
}

function asked(needs: SessionNeeds) {
  return Object.entries(needs).filter(([, value]) => value !== undefined)
}

/**
 * Sends the user to sign in again, at the service that signed the session. A method that
 * changes something is never repeated after that: its client gets an answer that says so, as in RFC
 * 9470, and a client that reads JSON does too.
 */
function signInAfresh(
  request: HostRequest,
  claims: SessionClaims,
  { needs, now, prefix }: { needs: SessionNeeds; now: number; prefix: string },
): Response {
  const page = freshSignIn(claims, needs)
  if (wantsPage(request)) return redirect(withCallback(page, targetOf(request, prefix)))
  // The client did not ask for a page that a person could return to.
  const { origin } = new URL(claims.iss)
  const from = pageBefore(request, origin)
  const url = origin + (from === undefined ? page : withCallback(page, from))
  // A step-up may bind the session too, so that is asked first.
  if (lackOf(claims, now, needs) === 'BoundSessionRequired') {
    return refusal({ error: 'BoundSessionRequired', bound: true, url })
  }
  const answer = refusal({ error: 'FreshSignInRequired', ...Object.fromEntries(asked(needs)), url })
  const isOld = !isEnough(claims, now, { maxAge: needs.maxAge })
  answer.headers.set('www-authenticate', challenge(needs, isOld))
  return answer
}

/** RFC 9470, section 3; its descriptions. */
function challenge({ maxAge, acr }: SessionNeeds, isOld: boolean): string {
  const description = isOld
    ? 'More recent authentication is required'
    : 'A different authentication level is required'
  return [
    'Bearer error="insufficient_user_authentication"',
    ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
    ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
    `error_description="${description}"`,
  ].join(', ')
}

function redirect(location: string): Response {
  const headers = { location, 'cache-control': 'private, no-store' }
  return new Response(null, { status: 302, headers })
}

function refusal(body: object): Response {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-store',
  }
  return new Response(JSON.stringify(body), { status: 401, headers })
}

/**
 * The destinations that a browser shows. It sends `empty` for a script's `fetch` (W3C, Fetch
 * Metadata).
 */
const PAGES = ['document', 'iframe', 'frame', 'fencedframe']

const PREFERS_JSON = /^\s*application\/(?:[^,;]+\+)?json/i
const ACCEPTS_PAGE = /\*\/\*|text\/(?:html|\*)|application\/xhtml\+xml/i

/** Does a browser ask for a page? Then it can follow a redirect, and a person sees the result. */
function wantsPage(request: HostRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false
  if (/^xmlhttprequest$/i.test(request.header('x-requested-with') ?? '')) return false
  const destination = request.header('sec-fetch-dest')
  if (typeof destination === 'string' && !PAGES.includes(destination)) return false
  const accept = request.header('accept') ?? '*/*'
  return !PREFERS_JSON.test(accept) && ACCEPTS_PAGE.test(accept)
}

/**
 * Path and query of this request, if they are a path of this app; otherwise its root.
 *
 * @param prefix the part that a proxy has taken off
 */
export function targetOf({ target }: Pick<HostRequest, 'target'>, prefix = ''): string {
  return withPrefix(prefix, isOwnPath(target) ? target : '/')
}

/** Path and query of the app's own page that sent the request. */
function pageBefore(request: HostRequest, origin: string): string | undefined {
  const url = ownReferer(request.header('referer'), origin)
  const page = url && url.pathname + url.search
  return page && isOwnPath(page) ? page : undefined
}

/**
 * Two slashes at the beginning, a backslash or a whole URL would lead a browser to another site (OWASP,
 * unvalidated redirects). So would two slashes with a tab or a new line between them, which browsers leave
 * out of a URL, and two slashes that come about when dots are resolved, as in `/..//host`.
 */
function isOwnPath(path: string): boolean {
  return /^\/(?!\/)[^\\\t\r\n]*$/.test(path) && !new URL(path, HERE).pathname.startsWith('//')
}

/** To resolve a path. */
const HERE = 'http://localhost'

/**
 * A path of this app or a whole URL. A text that only looks like a path leads to another site, at once or when a framework
 * has resolved it. One without a path leads back to the page that may not be seen, over and over.
 */
function isPage(text: string): boolean {
  if (/^(?:[\s?#]|$)/.test(text)) return false
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return URL.canParse(text)
  if (!URL.canParse(text, HERE)) return false
  const { origin, pathname } = new URL(text, HERE)
  return origin === HERE && !pathname.startsWith('//')
}

function withCallback(redirectTo: string, target: string): string {
  const [page = '', fragment] = redirectTo.split('#', 2)
  const query = `${page.includes('?') ? '&' : '?'}callbackUrl=${encodeURIComponent(target)}`
  return page + query + (fragment === undefined ? '' : `#${fragment}`)
}
