import { csrfToken } from '../http/csrf.js'
import { type Outcome, redirect, showPage } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { ownPage, toSignIn } from '../http/targets.js'
import { AccountPage } from '../pages/account-page.js'
import { listSessions } from '../session/list.js'
import { signedIn } from '../session/read.js'

/** GET /account: the page of the signed-in person and their sessions. */
export async function account(request: AuthRequest): Promise<Outcome> {
  const { config, issuer, providers } = request
  const claims = await signedIn(request)
  if (!claims) return redirect(toSignIn(request, ownPage(request, `${issuer}/account`)))
  const names = new Map([...providers.usable].map(([id, { name }]) => [id, name]))
  const sessions = await listSessions(request, claims)
  const page = AccountPage({
    theme: config.theme,
    base: config.basePath,
    csrfToken: await csrfToken(request),
    user: (claims.session.user ?? {}) as object,
    sessions: sessions.map((session) => ({
      ...session,
      provider: names.get(session.provider) ?? session.provider,
    })),
  })
  return showPage('Your account', page)
}
