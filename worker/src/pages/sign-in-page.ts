import { Alert, QuietAlert } from './alert.js'
import { signInText } from './error-texts.js'
import { Card } from './layout.js'
import { html, type Markup } from './markup.js'
import { byScript, type FormProps, type ProviderForm } from './provider-forms.js'
import { SignOutForm } from './sign-out-page.js'
import { type PageUser, SignedInAs } from './signed-in-as.js'
import type { Theme } from './theme.js'

/**
 * The contents of the sign-in page. Every string may be hostile; `callbackUrl` must already be a
 * safe redirect.
 */
export interface SignInPageProps {
  theme: Theme
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
  /** A public error word. */
  error?: string | undefined
  code?: string | undefined
  /** Given when someone is signed in already. */
  user?: PageUser | null | undefined
  /** Given when they have to sign in once more, to go on: was their sign-in too long ago? */
  again?: { readonly isStale: boolean } | undefined
}

const WHY = {
  stale: 'You signed in a while ago. To go on, sign in once more.',
  weak: 'This needs a stronger sign-in: a passkey, or a second step. To go on, sign in once more.',
}

/** The page with every way to sign in. It has plain forms, of which all but those for passkeys work without JavaScript. */
export function SignInPage(props: SignInPageProps): Markup {
  const { theme, providers, error, user, again } = props
  const isOther = user && !again
  return Card({
    theme,
    title: again ? 'Sign in again' : 'Sign in',
    content: html`
      ${error ? Alert(signInText(error, props.code)) : providers.some(byScript) && QuietAlert()}
      ${user && SignedInAs({ user, action: SignOutForm(props) })}
      ${again && html`<p class="mid">${WHY[again.isStale ? 'stale' : 'weak']}</p>`}
      ${isOther && html`<a class="button" href="${props.base}/account"><span>Your account</span></a>`}
      ${isOther && providers.length > 0 && html`<h2>Use another account</h2>`}
      ${providers.length > 0 ? Providers(props) : NoProviders()}`,
  })
}

function Providers(props: SignInPageProps): Markup {
  const { base, csrfToken, callbackUrl, maxAge, acr, human, providers, error, again } = props
  const buttons = providers.filter(({ place }) => place === 'button')
  const forms = providers.filter(({ place }) => place === 'form')
  const counts = new Map<string | undefined, number>()
  for (const { submit } of forms) counts.set(submit, (counts.get(submit) ?? 0) + 1)
  const shown = ({ submit }: ProviderForm, index: number): FormProps => ({
    base,
    csrfToken,
    callbackUrl,
    maxAge,
    acr,
    human,
    error,
    idPrefix: `form-${index}`,
    isOnly: providers.length === 1,
    hasDouble: (counts.get(submit) ?? 0) > 1,
    hasPasskeys: providers.some(byScript),
  })
  const markup = (form: ProviderForm, index: number) => form.markup(shown(form, index))
  const stack = html`
    <div class="stack">
      ${buttons.map(markup)}
    </div>`
  const first = buttons.every(byScript) ? ByScript : (content: Markup) => content
  const others = forms.map((form, index) => [
    index > 0 ? Between('or') : buttons.length > 0 && first(Between('or')),
    markup(form, index),
  ])
  const isAsked = forms.some(({ hasName }) => hasName)
  const signUps = buttons.map(({ signUp, ...form }, index) => [
    signUp && ByScript(Between('new here?')),
    signUp?.(shown(form, forms.length + index), isAsked),
  ])
  const isAllHidden = providers.every(byScript)
  return html`${buttons.length > 0 && first(stack)}${others}${!again && signUps}${isAllHidden && NotHere()}`
}

function Between(text: string): Markup {
  return html`<p class="or">${text}</p>`
}

/** Hidden until the page's script shows it. */
function ByScript(content: Markup): Markup {
  return html`<div hidden="" data-passkey="">${content}</div>`
}

/** Shown until the page's script hides it. */
function NotHere(): Markup {
  return html`
    <p class="mid" data-passkey="">
      Here you sign in with a passkey. That takes JavaScript, and a browser that knows passkeys.
    </p>`
}

function NoProviders(): Markup {
  return html`
    <div class="stack mid">
      <p>No way to sign in is configured yet.</p>
      <p class="dim">
        If you run this service: the log names what a configured provider lacks. Where there is none,
        set the id and secret of one, such as <code>AUTH_VIDEO_ID</code> and
        <code>AUTH_VIDEO_SECRET</code>.
      </p>
    </div>`
}
