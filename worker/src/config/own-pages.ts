import { isServiceRoute } from '@latchkey/host/shared'
import { InvalidConfiguration } from '../errors.js'
import type { AuthConfig } from '../types.js'

type Pages = NonNullable<AuthConfig['pages']>

/** The routes that a page of the app takes the place of. */
const REPLACED = {
  signIn: '/signin',
  signOut: '/signout',
  verifyRequest: '/verify-request',
} as const

/**
 * Pages of the app's own. If one were a page of the service that leads to it again, a browser would
 * be redirected forever.
 *
 * @param issuer public origin and base path
 * @throws {InvalidConfiguration} which names the page
 */
export function checkPages(pages: Pages, issuer: string): void {
  for (const [name, route] of Object.entries(REPLACED)) {
    if (!comesRound(route, pages, issuer)) continue
    const page = pages[name as keyof typeof REPLACED]
    throw new InvalidConfiguration(
      `pages.${name} is "${page}", a page of the service that leads to itself forever. Name a page of the app, or leave it out.`,
    )
  }
}

function comesRound(start: string, pages: Pages, issuer: string): boolean {
  const { signIn, signOut, verifyRequest, error } = pages
  const toSignIn = `${issuer}/signin`
  const next: Readonly<Partial<Record<string, string | undefined>>> = {
    '/signin': signIn,
    '/signout': signOut,
    '/verify-request': verifyRequest,
    // Pages that need a session lead to the sign-in without one.
    '/account': toSignIn,
    '/renew': toSignIn,
    // It shows itself if it is its own page.
    '/error': routeOf(issuer, error) === '/error' ? undefined : error,
  }
  const seen = new Set<string>()
  let route: string | undefined = start
  while (route !== undefined && !seen.has(route)) {
    seen.add(route)
    // A section of the page leads where that leads.
    route = routeOf(issuer, next[route.startsWith('/account/') ? '/account' : route])
  }
  return route !== undefined
}

/** The route of the service that a page is. */
function routeOf(issuer: string, page: string | undefined): string | undefined {
  const url = page === undefined ? null : URL.parse(page, new URL('/', issuer))
  const address = url ? url.origin + url.pathname : ''
  const route = address.slice(issuer.length)
  return address.startsWith(issuer) && isServiceRoute(route) ? route : undefined
}
