import { mergeCookies } from '@latchkey/host'
import type { NextRequest } from 'next/server.js'
import { PATH_HEADER, type RouteRequest } from './next-request.js'

/** The headers by which `NextResponse.next` and `rewrite` tell Next what comes next. */
const NEXT = 'x-middleware-next'
const REWRITE = 'x-middleware-rewrite'
const NAMES = 'x-middleware-override-headers'
const VALUE = 'x-middleware-request-'

/** What CDNs obey instead of Cache-Control (RFC 9213, 2.2): the standard's name, and those of single ones. */
const FOR_CDN = [
  'cdn-cache-control',
  'cloudflare-cdn-cache-control',
  'netlify-cdn-cache-control',
  'vercel-cdn-cache-control',
  'surrogate-control',
  'edge-control',
  'x-accel-expires',
  'x-litespeed-cache-control',
]

/** The answer of a proxy that lets the request go on, as `NextResponse.next()` is. */
export function goOn(): Response {
  return new Response(null, { headers: { [NEXT]: '1' } })
}

/**
 * Tells the page behind the proxy the path of the browser's request, and hands the renewed cookie on, so
 * that the page does not renew it again. An answer that ends here, or leads to another host, tells nothing.
 *
 * @param lines the Set-Cookie lines of the answer
 */
export function handOn(
  { request, target }: RouteRequest,
  response: Response,
  lines: readonly string[],
): Response {
  const { headers } = response
  // Next adds the `headers` of next.config later, and only to names that this answer lacks.
  if (lines.length > 0) for (const name of FOR_CDN) headers.set(name, 'no-store')
  const rewritten = headers.get(REWRITE)
  if (rewritten === null ? !headers.has(NEXT) : isElsewhere(rewritten, request)) return response
  // The app may have changed headers itself. Next removes every header that the list does not name.
  const names = headers.get(NAMES)?.split(',')
  const sent = new Headers(
    names
      ? names.map((name) => [name, headers.get(VALUE + name) ?? ''] as [string, string])
      : [...request.headers],
  )
  sent.set(PATH_HEADER, target)
  // A page whose cookies the app has taken away is made for everybody.
  if (lines.length > 0 && (!names || sent.has('cookie'))) {
    const cookie = mergeCookies(sent.get('cookie'), lines)
    sent.delete('cookie')
    // Next hands a value that its list does not name to the browser, where scripts can read it.
    headers.delete(`${VALUE}cookie`)
    if (cookie !== '') sent.set('cookie', cookie)
  }
  for (const [name, value] of sent) headers.set(VALUE + name, value)
  headers.set(NAMES, [...sent.keys()].join(','))
  return response
}

/** Would Next send the request to another host? */
function isElsewhere(url: string, { url: own }: NextRequest): boolean {
  return new URL(url, own).origin !== new URL(own).origin
}

/** Next takes no relative address from a proxy, and makes a whole one of its own origin relative again. */
export function wholeLocation(request: NextRequest, response: Response): Response {
  const location = response.headers.get('location')
  const own = new URL(request.url)
  const url = location === null ? null : URL.parse(location, request.url)
  if (url?.origin !== own.origin) return response
  // Made relative, two slashes would name another host.
  url.pathname = url.pathname.replace(/^\/+/, '/')
  response.headers.set('location', url.href)
  return response
}
