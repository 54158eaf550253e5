import { toSession } from '@latchkey/session/issue'
import type { ResolvedProvider } from '../config/providers.js'
import type { SafeRedirect } from '../config/safe-redirect.js'
import { csrfToken } from '../http/csrf.js'
import { leadingTo, type Outcome, redirect, showPage } from '../http/outcome.js'
import type { AuthRequest } from '../http/request.js'
import { ownPage, resolveCallbackUrl } from '../http/targets.js'
import { type PageProvider, SignInPage } from '../pages/sign-in-page.js'
import { readSession } from '../session/read.js'

/** GET /signin: the sign-in page, or the app's own. */
export async function signInPage(request: AuthRequest): Promise<Outcome> {
  const { query } = request
  const target = await resolveCallbackUrl(request, query.get('callbackUrl') ?? undefined)
  const [error, code] = [query.get('error') ?? undefined, query.get('code') ?? undefined]
  return leadingTo(target, () => showSignIn(request, target, { error, code }))
}

/** What a sign-in page is told after too many attempts. */
export const LIMITED = { error: 'CredentialsSignin', code: 'rate_limited' } as const

/** The sign-in page, or the way to the app's own. Both lead to `callbackUrl`. */
export async function showSignIn(
  request: AuthRequest,
  callbackUrl: SafeRedirect,
  said: { readonly error: string | undefined; readonly code: string | undefined },
): Promise<Outcome> {
  const { config } = request
  if (config.pages.signIn !== undefined) {
    const page = new URL(ownPage(request, config.pages.signIn))
    for (const [name, value] of Object.entries({ ...said, callbackUrl })) {
      if (value !== undefined) page.searchParams.set(name, value)
    }
    return redirect(ownPage(request, page.href))
  }
  const found = await readSession(request)
  const page = SignInPage({
    ...said,
    callbackUrl,
    theme: config.theme,
    base: config.basePath,
    csrfToken: await csrfToken(request),
    providers: [...config.usable.values()].map(pageProvider),
    user: found?.state === 'live' ? (toSession(found.claims).user ?? null) : null,
  })
  return showPage('Sign in', page)
}

function pageProvider(provider: ResolvedProvider): PageProvider {
  const { id, name, type } = provider
  if (provider.type === 'credentials') return { id, name, type, fields: provider.credentials }
  const style = 'style' in provider ? provider.style : undefined
  return { id, name, type, ...(style ? { style } : {}) }
}
