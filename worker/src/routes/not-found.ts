import { type Outcome, showPage } from '../http/outcome.js'
import { pageHead } from '../http/page-head.js'
import type { AuthRequest } from '../http/request.js'
import { homeOf } from '../http/targets.js'
import { NotFoundPage } from '../pages/not-found-page.js'
import { readSession } from '../session/read.js'

/** Does a person look at the answer, so that it is to lead them on? */
export function isLookedAt({ method, original }: AuthRequest): boolean {
  return method === 'GET' && /\btext\/html\b/i.test(original.headers.get('accept') ?? '')
}

/**
 * The answer for an address without a page: a link that leads on, if a person looks at it.
 *
 * @param status 404: nothing is there; 405: the route takes forms
 */
export async function showNotFound(request: AuthRequest, status: 404 | 405): Promise<Outcome> {
  const { original } = request
  const head = await pageHead(request)
  const { words } = head
  const home = homeOf(request)
  // The app may be elsewhere, so that this is its root's answer.
  const isHome = new URL(original.url).pathname === '/'
  const page = NotFoundPage({
    ...head,
    isForm: status === 405,
    isSignedIn: await isSignedIn(request),
    home: isHome ? undefined : home,
  })
  const { missingTitle, formTitle } = words.texts.errorPages
  return showPage(words, status === 405 ? formTitle : missingTitle, page, status)
}

/** By the token alone. If that is unknown, signing in leads on. */
async function isSignedIn(request: AuthRequest): Promise<boolean> {
  const current = await readSession(request).catch(() => undefined)
  return current !== undefined
}
