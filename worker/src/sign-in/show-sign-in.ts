import type { SessionClaims } from '@latchkey/session'
import { isEnough, toSession } from '@latchkey/session/issue'
import type { ResolvedProvider } from '../http/kind.js'
import { type Outcome, redirect, showPage } from '../http/outcome.js'
import { formHead } from '../http/page-head.js'
import type { Aim } from '../http/purpose.js'
import type { AuthRequest } from '../http/request.js'
import { appPage, homeOf, ownPage, withNeeds } from '../http/targets.js'
import type { PageScript } from '../pages/layout.js'
import { byScript, type ProviderForm } from '../pages/provider-forms.js'
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
 * @param ways the page has all ways, though the site asks for the address first; with the text that was typed there
 * @param stepUpClaims who has to prove once more who they are: by one of their own providers that can, or else by an
 *   ordinary sign-in with one of their own; if none of them is configured, with any
 */
export async function showSignIn(
  request: AuthRequest,
  { target: callbackUrl, maxAge, acr }: Aim,
  said: { readonly error: string | undefined; readonly code: string | undefined },
  {
    stepUpClaims,
    posted,
    ways,
  }: {
    stepUpClaims?: SessionClaims | undefined
    posted?: TypedForm
    ways?: { readonly typed?: string }
  } = {},
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
  const isAsked = ways !== undefined || posted !== undefined || said.error === 'CredentialsSignin'
  const { entrance, others, isEntrance } = offerOf([...providers.usable.values()], isAsked)
  const groups = [proving, all, isEntrance ? entrance : others]
  const offered = groups.find(({ length }) => length > 0) ?? []
  // A form without them begins a session of its own, which is fresh: but no stronger for that.
  const needs =
    !stepUpClaims || proving.length > 0 ? { maxAge, acr } : all.length > 0 ? { acr } : {}
  const last = request.features.ports.lastUsed?.(request)
  const head = await formHead(request)
  const { words } = head
  const name = ways?.typed || undefined
  const typed = said.error && (await request.features.ports.typed?.names(request, posted))
  const page = SignInPage({
    ...head,
    ...said,
    callbackUrl,
    home: homeOf(request, callbackUrl),
    ...needs,
    providers: offered.map((provider) => ({
      ...formOf(provider, isEntrance),
      isLastUsed: provider.id === last,
      typed: typed && provider.id === typed.of ? typed.names : namesFor(provider, name),
    })),
    hasOthers: isEntrance && others.length > 0,
    user: claims && (toSession(claims).user ?? null),
    stepUp: stepUpClaims && {
      isStale: !isEnough(stepUpClaims, config.now(), { maxAge }),
      isWaiting: acr === '2' && isWaiting,
    },
  })
  return showPage(words, words.texts.signIn.title, page, 200, scriptsOf(offered))
}

/**
 * What the page offers: the form that asks for the address, with what only a script shows beside it, or all other ways. If there are no
 * others, it is that form.
 */
function offerOf(usable: readonly ResolvedProvider[], isAsked: boolean) {
  const others = usable.filter(({ kind }) => !kind.isEntrance)
  const first = usable.filter(({ kind }) => kind.isEntrance)
  const scripted = others.filter((one) => byScript(one.kind.form(one)))
  const isEntrance = first.length > 0 && !(isAsked && others.length > 0)
  return { entrance: [...first, ...scripted], others, isEntrance }
}

/** Beside the form for an address there is no form for a new account: the other ways have it. */
function formOf(provider: ResolvedProvider, isEntrance: boolean): ProviderForm {
  const form = provider.kind.form(provider)
  if (!isEntrance) return form
  const { signUp: _, ...rest } = form
  return rest
}

/** The text of another form, for the field of this one that asks for an address or a name. */
function namesFor(
  provider: ResolvedProvider,
  typed: string | undefined,
): Readonly<Record<string, string>> | undefined {
  const [name] = provider.kind.form(provider).names ?? []
  return name === undefined || typed === undefined ? undefined : { [name]: typed }
}

/** The scripts of a page that offers these providers. */
export function scriptsOf(offered: readonly ResolvedProvider[]): PageScript[] {
  const codes = new Set(offered.flatMap(({ kind }) => kind.script?.() ?? []))
  return [...codes].map((code) => ({ code }))
}
