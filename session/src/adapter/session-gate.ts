import type { Session } from '../token/session.js'
import type { HostRequest } from './host-request.js'

/** The redirect for requests without a session. */
export interface RequireSessionOptions {
  /** A path, or a URL of your own. Default `/login`. */
  readonly redirectTo?: string
}

/**
 * The answer to a request that needs a session and has none; `undefined` lets it pass. A browser
 * that asks for a page is sent to `redirectTo`, with the page's path as `callbackUrl`; any other
 * client gets 401 and JSON. The page at `redirectTo` itself passes, in exactly that spelling.
 */
export function turnAway(
  request: HostRequest,
  session: Session | null,
  { redirectTo = '/login' }: RequireSessionOptions,
): Response | undefined {
  if (session?.user) return undefined
  // The raw path: another spelling of the login page does not pass.
  if (request.target.split('?', 1)[0] === redirectTo.split(/[?#]/, 1)[0]) return undefined
  const headers = new Headers({ 'cache-control': 'private, no-store' })
  if (wantsPage(request)) {
    headers.set('location', withCallback(redirectTo, targetOf(request)))
    return new Response(null, { status: 302, headers })
  }
  headers.set('content-type', 'application/json; charset=utf-8')
  return new Response('{"error":"SessionRequired"}', { status: 401, headers })
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
 * Path and query of this request. Two slashes at the beginning, a backslash or a whole URL would lead
 * a browser to another site (OWASP, unvalidated redirects).
 */
function targetOf({ target }: HostRequest): string {
  const isPath = /^\/(?![/\\])/.test(target) && !target.includes('\\')
  return isPath ? target : '/'
}

function withCallback(redirectTo: string, target: string): string {
  const [page = '', fragment] = redirectTo.split('#', 2)
  const query = `${page.includes('?') ? '&' : '?'}callbackUrl=${encodeURIComponent(target)}`
  return page + query + (fragment === undefined ? '' : `#${fragment}`)
}
