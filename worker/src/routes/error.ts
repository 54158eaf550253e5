import { rootOf, type SafeRedirect } from '../config/safe-redirect.js'
import { type Outcome, redirect, showPage } from '../http/outcome.js'
import { pageHead } from '../http/page-head.js'
import type { AuthRequest } from '../http/request.js'
import { homeOf, needsIn, ownPage, resolveCallbackUrl, retryQuery } from '../http/targets.js'
import { isReference } from '../lib/reference.js'
import { ErrorPage } from '../pages/error-page.js'
import { errorPageText } from '../pages/error-texts.js'

const STATUS: Readonly<Record<string, number>> = Object.assign(Object.create(null), {
  Configuration: 500,
  AccessDenied: 403,
  Verification: 403,
})

/** GET /error: explains an error word in plain language. Unknown words get the general text. */
export async function errorPage(request: AuthRequest): Promise<Outcome> {
  const { config, issuer } = request
  const error = request.query.get('error') ?? ''
  const code = request.query.get('code') ?? undefined
  const given = request.query.get('reference') ?? ''
  const reference = isReference(given) ? given : undefined
  const target = await targetOf(request)
  if (config.pages.error !== undefined) {
    const own = new URL(ownPage(request, config.pages.error))
    own.searchParams.set('error', error)
    if (reference) own.searchParams.set('reference', reference)
    if (target) own.searchParams.set('callbackUrl', target)
    // An app that names this very page would cause a redirect loop.
    if (!own.href.startsWith(`${issuer}/error?`)) return redirect(ownPage(request, own.href))
  }
  // A guarded form shows the error itself.
  const isGuarded = code !== undefined && request.features.ports.guard?.codes.includes(code)
  const { query } = request
  const needs = needsIn((name) => query.get(name))
  const retry = isGuarded ? `?${query}` : retryQuery(request, target, needs)
  const head = await pageHead(request)
  const { words } = head
  const home = homeOf(request, target)
  const page = ErrorPage({ ...head, error, code, retryQuery: retry, reference, home })
  const { title } = errorPageText(words, error, code)
  return showPage(words, title, page, STATUS[error])
}

/** The target of the person, if it is safe: anyone may write the address of this page. */
async function targetOf(request: AuthRequest): Promise<SafeRedirect | undefined> {
  const { query } = request
  const asked = query.get('callbackUrl')
  if (!asked) return undefined
  // The page shows one error already, and leads on without the address.
  const target = await resolveCallbackUrl(request, asked).catch(() => undefined)
  return target === rootOf(request.origin) ? undefined : target
}
