import { csrfToken } from '../http/csrf.js'
import { ownPage, redirect, showPage, toSignIn } from '../http/reply.js'
import type { AuthContext } from '../http/scope.js'
import { AccountPage } from '../pages/account-page.js'
import { listSessions } from '../session/list.js'
import { signedIn } from '../session/read.js'

/** GET /account: who is signed in, and where. */
export async function account(c: AuthContext): Promise<Response> {
  const { config, issuer } = c.env
  const claims = await signedIn(c.env)
  if (!claims) return redirect(c, toSignIn(c.env, ownPage(c.env, `${issuer}/account`)))
  const names = new Map([...config.usable].map(([id, { name }]) => [id, name]))
  const sessions = await listSessions(c.env, claims)
  const page = AccountPage({
    theme: config.theme,
    base: config.basePath,
    csrfToken: await csrfToken(c.env),
    user: (claims.session.user ?? {}) as object,
    sessions: sessions.map((session) => ({
      ...session,
      provider: names.get(session.provider) ?? session.provider,
    })),
  })
  return showPage(c.env, 'Your account', page)
}
