import { toSession } from '@latchkey/session/issue'
import type { ResolvedProvider } from '../config/providers.js'
import { csrfToken } from '../http/csrf.js'
import { ownPage, redirect, resolveCallbackUrl, showPage } from '../http/reply.js'
import type { AuthContext } from '../http/scope.js'
import { type PageProvider, SignInPage } from '../pages/sign-in-page.js'
import { readSession } from '../session/read.js'

/** GET /signin: the sign-in page, or the app's own. */
export async function signInPage(c: AuthContext): Promise<Response> {
  const { query } = c.env
  c.set('callbackUrl', await resolveCallbackUrl(c.env, query.get('callbackUrl') ?? undefined))
  const [error, code] = [query.get('error') ?? undefined, query.get('code') ?? undefined]
  return showSignIn(c, { error, code })
}

/** What a sign-in page is told after too many attempts. */
export const LIMITED = { error: 'CredentialsSignin', code: 'rate_limited' } as const

/** The sign-in page, or the way to the app's own. Both lead to the context's `callbackUrl`. */
export async function showSignIn(
  c: AuthContext,
  said: { readonly error: string | undefined; readonly code: string | undefined },
): Promise<Response> {
  const { config, origin } = c.env
  const callbackUrl = c.get('callbackUrl') ?? `${origin}/`
  if (config.pages.signIn !== undefined) {
    const page = new URL(ownPage(c.env, config.pages.signIn))
    for (const [name, value] of Object.entries({ ...said, callbackUrl })) {
      if (value !== undefined) page.searchParams.set(name, value)
    }
    return redirect(c, ownPage(c.env, page.href))
  }
  const found = await readSession(c.env)
  const page = SignInPage({
    ...said,
    callbackUrl,
    theme: config.theme,
    base: config.basePath,
    csrfToken: await csrfToken(c.env),
    providers: [...config.usable.values()].map(pageProvider),
    user: found?.state === 'live' ? (toSession(found.claims).user ?? null) : null,
  })
  return showPage(c.env, 'Sign in', page)
}

function pageProvider(provider: ResolvedProvider): PageProvider {
  const { id, name, type } = provider
  if (provider.type === 'credentials') return { id, name, type, fields: provider.credentials }
  const style = 'style' in provider ? provider.style : undefined
  return { id, name, type, ...(style ? { style } : {}) }
}
