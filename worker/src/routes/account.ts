import { csrfToken } from '../http/csrf.js'
import { type Outcome, redirect, showPage } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { ownPage, toSignIn } from '../http/targets.js'
import { AccountPage } from '../pages/account-page.js'
import { listSessions } from '../session/list.js'
import { signedIn } from '../session/read.js'
import { ownWays } from '../ways/list.js'

/** GET /account: the page of the signed-in person and their sessions. */
export async function account(request: AuthRequest): Promise<Outcome> {
  const { config, issuer, providers } = request
  const claims = await signedIn(request)
  if (!claims) return redirect(toSignIn(request, ownPage(request, `${issuer}/account`)))
  const names = new Map([...providers.usable].map(([id, { name }]) => [id, name]))
  const nameOf = (id: string) => names.get(id) ?? id
  const [sessions, ways] = await Promise.all([
    listSessions(request, claims),
    ownWays(request, claims),
  ])
  const addable = [...providers.usable.values()].filter(({ kind }) => kind.isAddable)
  const page = AccountPage({
    theme: config.theme,
    base: config.basePath,
    csrfToken: await csrfToken(request),
    user: (claims.session.user ?? {}) as object,
    sessions: sessions.map((one) => ({ ...one, provider: nameOf(one.provider) })),
    ways: ways.map((one) => ({ ...one, provider: nameOf(one.provider) })),
    addable: addable.map((provider) => provider.kind.form(provider)),
    callbackUrl: `${issuer}/account`,
  })
  return showPage('Your account', page)
}
