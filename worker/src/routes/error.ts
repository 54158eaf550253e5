import { ownPage, showPage } from '../http/reply.js'
import type { AuthContext } from '../http/scope.js'
import { ErrorPage } from '../pages/error-page.js'
import { errorPageText } from '../pages/error-texts.js'

const STATUS: Readonly<Record<string, number>> = Object.assign(Object.create(null), {
  Configuration: 500,
  AccessDenied: 403,
  Verification: 403,
})

/** GET /error: says in plain words what went wrong. Unknown words get the general text. */
export async function errorPage(c: AuthContext): Promise<Response> {
  const { config, issuer } = c.env
  const error = c.env.query.get('error') ?? ''
  if (config.pages.error !== undefined) {
    const own = new URL(ownPage(c.env, config.pages.error))
    own.searchParams.set('error', error)
    // An app that names this very page would be sent round in circles.
    if (!own.href.startsWith(`${issuer}/error?`)) return c.redirect(own.href, 302)
  }
  const page = ErrorPage({ theme: config.theme, base: config.basePath, error })
  const { title } = errorPageText(error)
  return showPage(c.env, title, page, STATUS[error])
}
