import { fill, fillParts } from '../languages/fill.js'
import type { Words } from '../languages/texts.js'
import { Alert, QuietAlert } from './alert.js'
import { isNote, signInText } from './error-texts.js'
import { BackLink, Card, pageUrl } from './layout.js'
import { attributes, html, type Markup } from './markup.js'
import {
  BAD_ADDRESS,
  ByScript,
  byScript,
  type FormProps,
  type ProviderForm,
  sayingsOf,
} from './provider-forms.js'
import { SignOutForm } from './sign-out-page.js'
import { nameOf, type PageUser, SignedInAs } from './signed-in-as.js'
import { linkUrl, siteName, type Theme } from './theme.js'

/**
 * The contents of the sign-in page. Every string may be hostile; `callbackUrl` must already be a
 * safe redirect.
 */
export interface SignInPageProps {
  theme: Theme
  words: Words
  /** The base path, such as `/auth`. */
  base: string
  csrfToken: string
  callbackUrl: string
  /** How fresh a sign-in was asked for. Seconds. */
  maxAge?: number | undefined
  /** What shows that a person sends a form that needs one. */
  human?: Markup | undefined
  /** How strong a sign-in was asked for. */
  acr?: string | undefined
  /** In the order to show them; buttons come first. */
  providers: readonly ProviderForm[]
  /** Are there further ways to sign in, on a page of their own? */
  hasOthers?: boolean
  /** A public error word. */
  error?: string | undefined
  code?: string | undefined
  /** Given when someone is signed in already. */
  user?: PageUser | null | undefined
  /** Given in a step-up: was the sign-in too long ago? */
  stepUp?: { readonly isStale: boolean; readonly isWaiting?: boolean } | undefined
  /** The app's own page, for people who do not sign in. */
  home?: string
}

/** The page with every way to sign in. It has plain forms, of which most work without JavaScript. */
export function SignInPage(props: SignInPageProps): Markup {
  const { theme, words, providers, error, user, stepUp } = props
  const { signIn } = words.texts
  const sayings = sayingsOf(providers, words)
  const said =
    error && Alert(signInText(words, error, props.code), sayings, isNote(error, props.code))
  // A form that was refused says so itself, beside its fields.
  const refused = error === 'CredentialsSignin' ? refusedForm(props) : undefined
  const isGoingOn = user && !stepUp
  const shown = { ...props, refused: refused && said ? { form: refused, said } : undefined }
  return Card({
    theme,
    title: titleOf(props),
    lead: user ? undefined : signUpText(props),
    content: html`
      ${refused ? undefined : said || (sayings && QuietAlert(sayings))}
      ${user && (!isGoingOn || nameOf(user)) && SignedInAs({ words, user, isTitled: Boolean(isGoingOn), ...(!isGoingOn && { action: SignOutForm(props) }) })}
      ${stepUp && html`<p class="mid">${stepUp.isStale ? signIn.stale : signIn.weak}</p>`}
      ${stepUp?.isWaiting && html`<p class="mid" role="note">${signIn.waits}</p>`}
      ${isGoingOn && GoOn(props, user)}
      ${providers.length === 0 ? NoProviders(words) : isGoingOn ? Others(shown) : Providers(shown)}
      ${!user && providers.length > 0 && Agree(theme, words)}
      ${isGoingOn && SignOutForm({ ...props, isQuiet: true })}
      ${BackLink(props)}`,
  })
}

function titleOf({ theme, words, stepUp, user }: SignInPageProps): string {
  const { title, titleAt, titleAgain } = words.texts.signIn
  const name = siteName(theme.name)
  if (stepUp) return titleAgain
  if (user) return words.texts.who.signedIn
  return name === undefined ? title : fill(titleAt, { name })
}

/** How a person gets an account: by every way but a password, which only the app gives. */
function signUpText({ words, providers }: SignInPageProps): string | undefined {
  const { signUp, signUpButPassword } = words.texts.signIn
  const isPassword = ({ submit }: ProviderForm) => submit === 'submit'
  const visible = providers.filter((form) => !byScript(form))
  if (visible.every(isPassword)) return undefined
  return visible.some(isPassword) ? signUpButPassword : signUp
}

/** The only form that can have been refused: an address, or a name and a password. */
function refusedForm({ providers, code }: SignInPageProps): ProviderForm | undefined {
  const kind = code === BAD_ADDRESS ? 'sendLink' : 'submit'
  const [form, ...others] = providers.filter(({ submit }) => submit === kind)
  return others.length === 0 ? form : undefined
}

interface RefusedForm {
  readonly refused?: { readonly form: ProviderForm; readonly said: Markup } | undefined
}

/** For a signed-in user: all ways are folded behind a button, unless the page has nothing else. */
function Others(props: SignInPageProps & RefusedForm): Markup {
  const { words, error, callbackUrl, maxAge, acr } = props
  const isAsked = maxAge !== undefined || acr !== undefined
  const open = error !== undefined || isAsked || !pageUrl(callbackUrl)
  return html`
    <details class="others"${attributes({ open })}>
      <summary class="button"><span>${words.texts.signIn.useAnother}</span></summary>
      <div class="fields">${Providers(props)}</div>
    </details>`
}

/** For a signed-in user: the page that they wanted, unless it asks for a new proof. */
function GoOn({ words, base, callbackUrl, maxAge, acr }: SignInPageProps, user: PageUser): Markup {
  const { goOn, continueAs, account } = words.texts.signIn
  const name = nameOf(user)
  const text = name ? fill(continueAs, { name }) : goOn
  const link = pageUrl(callbackUrl)
  const isAsked = maxAge !== undefined || acr !== undefined
  return html`
    <div class="stack">
      ${!isAsked && link && html`<a class="button main" href="${link}"><span>${text}</span></a>`}
      <a class="button" href="${base}/account"><span>${account}</span></a>
    </div>`
}

function Providers(props: SignInPageProps & RefusedForm): Markup {
  const { words, providers, stepUp } = props
  // For a signed-in user another button is filled, and no browser offers to fill a field.
  const isOther = Boolean(props.user && !stepUp)
  const { or } = words.texts.signIn
  const buttons = providers.filter(({ place }) => place === 'button')
  const forms = providers.filter(({ place }) => place === 'form')
  const counts = new Map<string | undefined, number>()
  for (const { submit } of forms) counts.set(submit, (counts.get(submit) ?? 0) + 1)
  const shown = (
    form: ProviderForm,
    index: number,
    { submit, typed, isLastUsed = false } = form,
  ): FormProps => ({
    ...props,
    said: props.refused?.form === form ? props.refused.said : undefined,
    error: props.error,
    idPrefix: `form-${index}`,
    isOnly: providers.length === 1 && !isOther,
    isOther,
    typed,
    isLastUsed: isLastUsed && providers.length > 1,
    hasDouble: (counts.get(submit) ?? 0) > 1,
    offered: isOther ? undefined : providers.find(byScript)?.script?.offered,
  })
  const markup = (form: ProviderForm, index: number) => form.markup(shown(form, index))
  const plain = buttons.filter((form) => !byScript(form))
  const isGrid = plain.length > MOST_IN_A_STACK
  const stack = html`
    <div class="stack">
      ${(isGrid ? buttons.filter(byScript) : buttons).map(markup)}
      ${isGrid && html`<div class="grid">${plain.map((form) => form.markup({ ...shown(form, 0), isShort: true }))}</div>`}
    </div>`
  const first = buttons.every(byScript) ? ByScript : (content: Markup) => content
  // One form is open: that of the last sign-in, or the first one.
  const main = forms.find(({ isLastUsed }) => isLastUsed) ?? forms[0]
  const fields = forms.map((form, index) => ({ form, content: markup(form, index) }))
  const folded = fields.filter(({ form }) => form !== main)
  const others = [
    main && buttons.length > 0 && first(Between(or)),
    fields.find(({ form }) => form === main)?.content,
    folded.map(({ form, content }) => Folded(props, form, content)),
  ]
  const isAsked = isOther || forms.some(({ names = [] }) => names.length > 0)
  const signUps = buttons.map((form, index) =>
    form.signUp?.(shown(form, forms.length + index), isAsked),
  )
  const missing = providers.every(byScript) && providers[0]?.script?.missing(words)
  return html`${buttons.length > 0 && first(stack)}${others}${!stepUp && signUps}${missing && NotHere(missing)}`
}

/**
 * More buttons of providers stand beside each other, so that the rest of the page stays in sight.
 */
const MOST_IN_A_STACK = 3

/** Open after a mistake there. */
function Folded(
  { words, refused }: SignInPageProps & RefusedForm,
  form: ProviderForm,
  content: Markup,
): Markup {
  const open = refused?.form === form || form.typed !== undefined
  return html`
    <details class="folded"${attributes({ open })}>
      <summary class="button"><span>${form.unfold?.(words)}</span></summary>
      ${content}
    </details>`
}

function Between(text: string): Markup {
  return html`<p class="or">${text}</p>`
}

/** Shown until the page's script hides it, which leaves no gap. */
function NotHere(text: string): Markup {
  return html`
    <p class="mid" data-script="">${text}</p>`
}

/** The sentence about the terms, for a visitor who may get an account, if the site links its terms. */
function Agree({ links }: Theme, { texts }: Words): Markup | false {
  const url = linkUrl(links?.terms)
  if (url === undefined) return false
  const terms = html`<a href="${url}">${texts.signIn.agreeTerms}</a>`
  return html`<p class="mid dim agree">${fillParts(texts.signIn.agree, { terms })}</p>`
}

function NoProviders({ texts }: Words): Markup {
  const id = html`<code>AUTH_VIDEO_ID</code>`
  const secret = html`<code>AUTH_VIDEO_SECRET</code>`
  return html`
    <div class="stack mid">
      <p>${texts.signIn.nothingConfigured}</p>
      <p class="dim">${fillParts(texts.signIn.configure, { id, secret })}</p>
    </div>`
}
