import { WorkerUnavailable } from '@latchkey/session'
import { getSession } from './get-session.js'
import type { AuthMiddleware, ExpressRequest, MiddlewareAuthConfig } from './types.js'

/** Where those go who are not signed in. */
export interface RequireSessionOptions {
  /** A path, or a URL of your own. Default `/login`. */
  readonly redirectTo?: string
}

/**
 * Lets a request pass when somebody is signed in, with the session in `res.locals.session`. A browser
 * that asks for a page is sent to `redirectTo`, with the page's path as `callbackUrl`; whoever else
 * asks gets 401 and JSON. The page at `redirectTo` itself is let through.
 *
 * What is behind it is answered with `Cache-Control: private, no-store`, unless a route says
 * otherwise. When it cannot be known whether somebody is signed in, `next` is given an error with
 * `status` 503.
 *
 * @param config see {@link getSession}
 * @example
 * app.use('/members', requireSession({ redirectTo: '/auth/signin' }))
 */
export function requireSession(
  { redirectTo = '/login' }: RequireSessionOptions = {},
  config?: MiddlewareAuthConfig,
): AuthMiddleware {
  const loginPath = redirectTo.split(/[?#]/, 1)[0]
  return async (req, res, next) => {
    try {
      const session = await getSession(req, config)
      ;(res.locals as Express.Locals).session = session
      res.setHeader('Cache-Control', 'private, no-store')
      if (!session?.user && pathOf(req) !== loginPath) {
        if (wantsPage(req)) {
          res.statusCode = 302
          res.setHeader('Location', withCallback(redirectTo, targetOf(req)))
          return void res.end()
        }
        res.statusCode = 401
        res.setHeader('Content-Type', 'application/json; charset=utf-8')
        return void res.end('{"error":"SessionRequired"}')
      }
    } catch (error) {
      if (error instanceof WorkerUnavailable) res.setHeader('Retry-After', '5')
      return next(error)
    }
    next()
  }
}

/** What a browser fetches to show it. It sends `empty` for a script's `fetch` (W3C, Fetch Metadata). */
const PAGES = ['document', 'iframe', 'frame', 'fencedframe']

/** Does a browser ask for something to show? Then it can follow a redirect, and a person sees it. */
function wantsPage({ method, headers }: ExpressRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false
  if (/^xmlhttprequest$/i.test(String(headers['x-requested-with']))) return false
  const destination = headers['sec-fetch-dest']
  if (destination !== undefined && !PAGES.includes(String(destination))) return false
  const { accept = '*/*' } = headers
  return !PREFERS_JSON.test(accept) && ACCEPTS_PAGE.test(accept)
}

const PREFERS_JSON = /^\s*application\/(?:[^,;]+\+)?json/i
const ACCEPTS_PAGE = /\*\/\*|text\/(?:html|\*)|application\/xhtml\+xml/i

/** The path as it was sent: what only looks like the login page is not let through. */
function pathOf({ originalUrl }: ExpressRequest): string | undefined {
  return originalUrl.split('?', 1)[0]
}

/**
 * Path and query of this request. Two slashes at the beginning, a backslash or a whole URL would lead
 * a browser to another site (OWASP, unvalidated redirects).
 */
function targetOf({ originalUrl }: ExpressRequest): string {
  const isPath = /^\/(?![/\\])/.test(originalUrl) && !originalUrl.includes('\\')
  return isPath ? originalUrl : '/'
}

function withCallback(redirectTo: string, target: string): string {
  const [page = '', fragment] = redirectTo.split('#', 2)
  const query = `${page.includes('?') ? '&' : '?'}callbackUrl=${encodeURIComponent(target)}`
  return page + query + (fragment === undefined ? '' : `#${fragment}`)
}
