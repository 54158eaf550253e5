import { Alert, alertId } from './alert.js'
import { verifyRequestText } from './error-texts.js'
import { Card, HiddenFields } from './layout.js'
import { attributes, html, type Markup } from './markup.js'
import type { Theme } from './theme.js'

/** The contents of the page after a request for a mail. Every string may be hostile. */
export interface VerifyRequestPageProps {
  theme: Theme
  /** The base path, such as `/auth`. */
  base: string
  csrfToken: string
  callbackUrl: string
  /** Set only in the browser that asked for the mail. */
  asked?: Asked | undefined
  /** What shows that a person sends a form that needs one. */
  human?: Markup | undefined
  /** How fresh a sign-in was asked for. Seconds. */
  maxAge?: number | undefined
  /** How strong a sign-in was asked for. */
  acr?: string | undefined
  /** A public error word. */
  error?: string | undefined
  code?: string | undefined
}

interface Asked {
  provider: string
  flow: string
  address: string
  /** Does the mail add the address to the account of who is signed in? */
  isAdding: boolean
}

/** Says that a mail was sent, and takes its code. The page is the same for every address. */
export function VerifyRequestPage(props: VerifyRequestPageProps): Markup {
  const { theme, base, asked, error } = props
  return Card({
    theme,
    title: 'Check your e-mail',
    content: html`
      ${error && Alert(verifyRequestText(error, props.code))}
      ${asked ? CodeForm({ ...props, asked }) : NotHere()}
      <a class="button" href="${base}/${asked?.isAdding ? 'account' : `signin?${queryOf(props)}`}">
        <span>Use another address</span>
      </a>`,
  })
}

function CodeForm(props: VerifyRequestPageProps & { asked: Asked }): Markup {
  const { asked, base } = props
  const { isAdding } = asked
  const provider = encodeURIComponent(asked.provider)
  const input = attributes({
    id: 'code',
    name: 'code',
    required: true,
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    maxlength: '9',
    // An alert has the focus where there is one.
    autofocus: props.error === undefined,
    'aria-describedby': props.error ? alertId : undefined,
  })
  return html`
    <p class="mid">
      ${isAdding ? 'A mail' : 'A sign-in mail'} is on its way to<br/><strong>${asked.address}</strong>
    </p>
    <p class="mid dim">Open the link in it with this browser, or type the code from it.</p>
    <form class="fields" method="post" action="${base}/callback/${provider}">
      ${HiddenFields(props)}
      <input type="hidden" name="flow" value="${asked.flow}"/>
      <div><label for="code">Six-digit code</label><input class="code"${input}/></div>${props.human}
      <button class="button main" type="submit"><span>${isAdding ? 'Add this address' : 'Sign in'}</span></button>
    </form>
    <form${props.human && html` class="stack"`} method="post" action="${base}/${isAdding ? 'ways/add' : `signin/${provider}`}">
      ${HiddenFields(props)}
      ${isAdding && html`<input type="hidden" name="provider" value="${asked.provider}"/>`}
      <input type="hidden" name="email" value="${asked.address}"/>${props.human}
      <button class="button" type="submit"><span>Send a new mail</span></button>
    </form>`
}

function NotHere(): Markup {
  return html`
    <p class="mid">
      If a sign-in mail is on its way to you, open the link in it. Its code works in the browser
      that asked for it.
    </p>`
}

function queryOf({ callbackUrl, maxAge, acr }: VerifyRequestPageProps): string {
  const asked = maxAge === undefined ? {} : { maxAge: String(maxAge) }
  return new URLSearchParams({ callbackUrl, ...asked, ...(acr ? { acr } : {}) }).toString()
}
