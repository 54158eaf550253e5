import { type Outcome, redirect, showPage } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { homeOf, ownPage } from '../http/targets.js'
import { wordsFor } from '../http/words.js'
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
  if (config.pages.error !== undefined) {
    const own = new URL(ownPage(request, config.pages.error))
    own.searchParams.set('error', error)
    if (reference) own.searchParams.set('reference', reference)
    // An app that names this very page would cause a redirect loop.
    if (!own.href.startsWith(`${issuer}/error?`)) return redirect(ownPage(request, own.href))
  }
  // The sign-in page says it too, and checks where the person wanted to go.
  const { query } = request
  const isKept = ['callbackUrl', 'maxAge', 'acr'].some((name) => query.has(name))
  const again = isKept || code === 'turnstile' ? `?${query}` : ''
  const words = await wordsFor(request)
  const { theme, basePath: base } = config
  const home = homeOf(request)
  const page = ErrorPage({ theme, words, base, error, code, again, reference, home })
  const { title } = errorPageText(words.texts, error, code)
  return showPage(words, title, page, STATUS[error])
}
