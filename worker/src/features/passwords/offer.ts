import type { SafeRedirect } from '../../config/safe-redirect.js'
import type { Fields } from '../../http/body.js'
import type { ResolvedProvider } from '../../http/kind.js'
import { type Outcome, redirect, showPage } from '../../http/outcome.js'
import { type FormHead, formHead } from '../../http/page-head.js'
import type { Purpose } from '../../http/purpose.js'
import type { AuthRequest } from '../../http/request.js'
import { ownPage, resolveCallbackUrl, toSignIn } from '../../http/targets.js'
import { Card } from '../../pages/layout.js'
import { html, type Markup } from '../../pages/markup.js'
import type { Person } from '../../person/person.js'
import { hasCredential } from '../../person/way-document.js'
import { readSession } from '../../session/read.js'
import { scriptsOf } from '../../sign-in/show-sign-in.js'
import { OFFER_SCRIPT } from './offer-script.js'
import { isOn } from './settings.js'

/** Are there passwords and passkeys here? */
export function canOffer(request: AuthRequest): boolean {
  return isOn(request) && passkeyIn(request) !== undefined
}

function passkeyIn({ providers }: AuthRequest): ResolvedProvider | undefined {
  return [...providers.usable.values()].find(({ type }) => type === 'webauthn')
}

/** The purpose of a sign-in by a right password: with a page that offers a passkey before its target, if the browser asks for it. */
export function offering(
  request: AuthRequest,
  purpose: Purpose,
  { offer }: Fields,
  person: Person | undefined,
): Purpose {
  const isAsked = offer === 'passkey' && purpose.stepUp === undefined && canOffer(request)
  if (!isAsked || person?.ways.some(hasCredential)) return purpose
  const page = new URL(`${request.issuer}/passkey/offer`)
  page.searchParams.set('callbackUrl', purpose.target)
  return { ...purpose, target: ownPage(request, page.href) }
}

/** GET /passkey/offer: a passkey for the next sign-in. */
export async function offerPage(request: AuthRequest): Promise<Outcome> {
  const asked = request.query.get('callbackUrl') ?? undefined
  const callbackUrl: SafeRedirect = await resolveCallbackUrl(request, asked)
  const current = await readSession(request)
  if (!current) return redirect(toSignIn(request, callbackUrl))
  const provider = passkeyIn(request)
  const head = await formHead(request)
  const { words } = head
  const { password: texts } = words.texts
  const form = provider?.kind.form(provider).markup({
    ...head,
    callbackUrl,
    isAdding: true,
    name: current.session.user?.name ?? current.session.user?.email ?? '',
    idPrefix: 'add',
    isOnly: true,
    hasDouble: false,
    error: undefined,
  })
  const page = OfferPage({ ...head, form, callbackUrl })
  const scripts = [...(provider ? scriptsOf([provider]) : []), { code: OFFER_SCRIPT }]
  return showPage(words, texts.offerTitle, page, 200, scripts)
}

/** The page with one button, and a way past it. */
export function OfferPage(
  props: Pick<FormHead, 'theme' | 'words'> & {
    readonly form: Markup | undefined
    readonly callbackUrl: string
  },
): Markup {
  const { password: texts } = props.words.texts
  return Card({
    theme: props.theme,
    title: texts.offerTitle,
    lead: texts.offerHow,
    content: html`
      <div class="stack" data-offer="">${props.form}</div>
      <p class="mid back"><a href="${props.callbackUrl}">${texts.notNow}</a></p>`,
  })
}
