import type { SessionClaims } from '@latchkey/session'
import { isEnough, toSession } from '@latchkey/session/issue'
import type { ResolvedProvider } from '../http/kind.js'
import { type Outcome, redirect, showPage } from '../http/outcome.js'
import { formHead } from '../http/page-head.js'
import type { Aim } from '../http/purpose.js'
import type { AuthRequest } from '../http/request.js'
import { appPage, homeOf, ownPage, withNeeds } from '../http/targets.js'
import type { PageScript } from '../pages/layout.js'
import { SignInPage } from '../pages/sign-in-page.js'
import type { TypedForm } from '../service/sign-in-hooks.js'
import { readSession } from '../session/read.js'
import { ownProviders } from './step-up.js'

/** For a sign-in that is not a step-up. */
const NOTHING = { all: [], proving: [], isWaiting: false }

/** The error of a sign-in page after too many attempts. */
export const LIMITED = { error: 'CredentialsSignin', code: 'rate_limited' } as const

/**
 * The sign-in page, or a redirect to the app's own. Both keep `callbackUrl`, and how fresh a sign-in was
 * asked for.
 *
 * @param posted the form to which the page is the answer
 * @param stepUpClaims who has to prove once more who they are: by one of their own providers that can, or else by an
 *   ordinary sign-in with one of their own; if none of them is configured, with any
 */
export async function showSignIn(
  request: AuthRequest,
  { target: callbackUrl, maxAge, acr }: Aim,
  said: { readonly error: string | undefined; readonly code: string | undefined },
  { stepUpClaims, posted }: { stepUpClaims?: SessionClaims | undefined; posted?: TypedForm } = {},
): Promise<Outcome> {
  const { config, providers } = request
  const own = appPage(request, 'signIn')
  if (own !== undefined) {
    const page = new URL(own)
    for (const [name, value] of Object.entries({ ...said, callbackUrl })) {
      if (value !== undefined) page.searchParams.set(name, value)
    }
    return redirect(ownPage(request, withNeeds(page, { maxAge, acr }).href))
  }
  const current = stepUpClaims ? undefined : await readSession(request)
  const claims = stepUpClaims ?? (current?.state === 'live' ? current.claims : undefined)
  const { all, proving, isWaiting } = stepUpClaims
    ? await ownProviders(request, stepUpClaims)
    : NOTHING
  const groups = [proving, all, [...providers.usable.values()]]
  const offered = groups.find(({ length }) => length > 0) ?? []
  // A form without them begins a session of its own, which is fresh: but no stronger for that.
  const needs =
    !stepUpClaims || proving.length > 0 ? { maxAge, acr } : all.length > 0 ? { acr } : {}
  const last = request.features.ports.lastUsed?.(request)
  const head = await formHead(request)
  const { words } = head
  const typed = said.error && (await request.features.ports.typed?.names(request, posted))
  const page = SignInPage({
    ...head,
    ...said,
    callbackUrl,
    home: homeOf(request, callbackUrl),
    ...needs,
    providers: offered.map((provider) => ({
      ...provider.kind.form(provider),
      isLastUsed: provider.id === last,
      typed: typed && provider.id === typed.of ? typed.names : undefined,
    })),
    user: claims && (toSession(claims).user ?? null),
    stepUp: stepUpClaims && {
      isStale: !isEnough(stepUpClaims, config.now(), { maxAge }),
      isWaiting: acr === '2' && isWaiting,
    },
  })
  return showPage(words, words.texts.signIn.title, page, 200, scriptsOf(offered))
}

/** The scripts of a page that offers these providers. */
export function scriptsOf(offered: readonly ResolvedProvider[]): PageScript[] {
  const codes = new Set(offered.flatMap(({ kind }) => kind.script?.() ?? []))
  return [...codes].map((code) => ({ code }))
}
