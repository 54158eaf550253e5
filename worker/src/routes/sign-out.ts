import { readPost } from '../http/body.js'
import { csrfToken, renewCsrfToken } from '../http/csrf.js'
import { ownPage, redirect, resolveCallbackUrl, showPage, targetOf } from '../http/reply.js'
import type { AuthContext } from '../http/scope.js'
import { SignOutPage } from '../pages/sign-out-page.js'
import { providerRevocation } from '../provider-tokens/revocation.js'
import { emit } from '../session/callbacks.js'
import { clearSessionCookie } from '../session/issue.js'
import { readSession } from '../session/read.js'
import { revokeSession } from '../session/revoke.js'

/** GET /signout: asks for confirmation, since a link must not sign anyone out. */
export async function signOutPage(c: AuthContext): Promise<Response> {
  const { config } = c.env
  if (config.pages.signOut !== undefined) {
    return redirect(c, ownPage(c.env, config.pages.signOut))
  }
  const found = await readSession(c.env)
  const asked = c.env.query.get('callbackUrl') ?? undefined
  const page = SignOutPage({
    theme: config.theme,
    base: config.basePath,
    csrfToken: await csrfToken(c.env),
    callbackUrl: await resolveCallbackUrl(c.env, asked),
    user: found?.session.user ?? null,
  })
  return showPage(c.env, 'Sign out', page)
}

/** POST /signout: ends the session everywhere and removes its cookie. */
export async function signOut(c: AuthContext): Promise<Response> {
  await readPost(c)
  const target = await targetOf(c)
  const found = await readSession(c.env)
  if (found) {
    const revokeAtProvider = await providerRevocation(c.env, found.claims)
    await revokeSession(c.env, found.claims)
    c.env.waitUntil(revokeAtProvider())
    await emit(c.env, 'signOut', { session: found.session })
  }
  clearSessionCookie(c.env)
  await renewCsrfToken(c.env)
  return redirect(c, target)
}
