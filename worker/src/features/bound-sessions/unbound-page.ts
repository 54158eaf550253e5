import type { SessionClaims } from '@latchkey/session'
import { AccessDenied } from '../../errors.js'
import { type Outcome, showPage } from '../../http/outcome.js'
import { pageHead } from '../../http/page-head.js'
import type { Aim } from '../../http/purpose.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { homeOf, retryQuery } from '../../http/targets.js'
import { ErrorPage } from '../../pages/error-page.js'
import { errorPageText } from '../../pages/error-texts.js'
import { BackLink, Card } from '../../pages/layout.js'
import { html } from '../../pages/markup.js'

/** Browsers register beside the redirect after a sign-in, and take a moment. Seconds. */
const REGISTERING = 30

/** A browser that has not registered by then cannot. Later a new sign-in is a new try. Seconds. */
const GIVEN_UP = 300

/** GET /signin?bound=1 of a person whose session is not bound. */
export async function unboundPage(
  request: AuthRequest,
  claims: SessionClaims,
  { target, maxAge, acr }: Aim,
): Promise<Outcome | undefined> {
  const age = nowInSeconds(request) - claims.auth_time
  if (age > GIVEN_UP) return undefined
  const head = await pageHead(request)
  const { words, theme } = head
  const home = homeOf(request, target)
  if (age <= REGISTERING) {
    request.setHeaders.set('refresh', '1')
    const { waiting: title } = words.texts.boundSessions
    const content = html`${BackLink({ ...head, home })}`
    return showPage(words, title, Card({ theme, title, content }))
  }
  const error = new AccessDenied('A page asks for a bound session, and this browser binds none.')
  error.code = 'unbound'
  const needs = { maxAge, acr }
  const refusal = { kind: 'refusal', error, callbackUrl: target, needs } as const
  // The app has a page of its own for errors.
  if (request.config.pages.error !== undefined) return refusal
  const { title } = errorPageText(words, 'AccessDenied', error.code)
  const page = ErrorPage({
    ...head,
    error: 'AccessDenied',
    code: error.code,
    retryQuery: retryQuery(request, target, needs),
    home,
  })
  return { ...refusal, shown: showPage(words, title, page) }
}
