import { csrfToken } from '../http/csrf.js'
import { ownPage, redirect, toSignIn } from '../http/reply.js'
import type { AuthContext } from '../http/scope.js'
import { AccountPage } from '../pages/account-page.js'
import { htmlResponse } from '../pages/html-response.js'
import { listSessions } from '../session/list.js'
import { signedIn } from '../session/read.js'

/** GET /account: who is signed in, and where. */
export async function account(c: AuthContext): Promise<Response> {
  const { config, issuer, secure } = c.env
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
  return htmlResponse(page, { title: 'Your account', theme: config.theme, status: 200, secure })
}
