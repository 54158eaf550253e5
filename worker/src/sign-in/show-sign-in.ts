import type { SessionClaims } from '@latchkey/session'
import { toSession } from '@latchkey/session/issue'
import type { SafeRedirect } from '../config/safe-redirect.js'
import { humanCheck } from '../http/check-human.js'
import { csrfToken } from '../http/csrf.js'
import { type Outcome, redirect, showPage } from '../http/outcome.js'
import type { AuthRequest, ResolvedProvider } from '../http/request.js'
import { appPage, ownPage } from '../http/targets.js'
import type { PageScript } from '../pages/layout.js'
import { SignInPage } from '../pages/sign-in-page.js'
import { readSession } from '../session/read.js'

/** The error of a sign-in page after too many attempts. */
export const LIMITED = { error: 'CredentialsSignin', code: 'rate_limited' } as const

/**
 * The sign-in page, or a redirect to the app's own. Both keep `callbackUrl`, and how fresh a sign-in was
 * asked for.
 *
 * @param again who has to sign in once more, and the ids of their own providers, which are offered alone; where
 *   none of them is configured, all are
 */
export async function showSignIn(
  request: AuthRequest,
  callbackUrl: SafeRedirect,
  said: { readonly error: string | undefined; readonly code: string | undefined },
  again?: { readonly claims: SessionClaims; readonly own: ReadonlySet<string> },
): Promise<Outcome> {
  const { config, providers, maxAge } = request
  const own = appPage(request, 'signIn')
  if (own !== undefined) {
    const page = new URL(own)
    for (const [name, value] of Object.entries({ ...said, callbackUrl, maxAge })) {
      if (value !== undefined) page.searchParams.set(name, String(value))
    }
    return redirect(ownPage(request, page.href))
  }
  const found = again ? undefined : await readSession(request)
  const claims = again?.claims ?? (found?.state === 'live' ? found.claims : undefined)
  const all = [...providers.usable.values()]
  const theirs = all.filter(({ id }) => again?.own.has(id))
  const offered = theirs.length > 0 ? theirs : all
  const page = SignInPage({
    ...said,
    callbackUrl,
    theme: config.theme,
    base: config.basePath,
    csrfToken: await csrfToken(request),
    maxAge,
    human: humanCheck(request),
    providers: offered.map((provider) => provider.kind.form(provider)),
    user: claims && (toSession(claims).user ?? null),
    isAgain: again !== undefined,
  })
  return showPage('Sign in', page, 200, scriptsOf(offered))
}

/** The scripts of a page that offers these providers. */
export function scriptsOf(offered: readonly ResolvedProvider[]): PageScript[] {
  const codes = new Set(offered.flatMap(({ kind }) => kind.script?.() ?? []))
  return [...codes].map((code) => ({ code }))
}
