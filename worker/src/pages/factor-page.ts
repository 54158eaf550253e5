import type { Words } from '../languages/words.js'
import { Alert, alertId } from './alert.js'
import { BackLink } from './back-link.js'
import { factorText } from './error-texts.js'
import { Card, HiddenFields, WithOwnLine } from './layout.js'
import { attributes, html, type Markup } from './markup.js'
import type { Theme } from './theme.js'

/** The contents of the page that asks for a second factor. Every string may be hostile. */
export interface FactorPageProps {
  theme: Theme
  words: Words
  /** The base path, such as `/auth`. */
  base: string
  csrfToken: string
  callbackUrl: string
  /** How fresh a sign-in was asked for. Seconds. */
  maxAge?: number | undefined
  /** How strong a sign-in was asked for. */
  acr?: string | undefined
  /** What shows that a person sends a form that needs one. */
  human?: Markup | undefined
  /** The sign-in that waits. */
  flow: string
  /** Who signs in. */
  name: string
  /** A public error word. */
  error?: string | undefined
  code?: string | undefined
  /** The app's own page. */
  home?: string
}

/** Asks for a code of the person's app, or for a recovery code: one field takes both. */
export function FactorPage(props: FactorPageProps): Markup {
  const { theme, words, base, error, name } = props
  const { factorCode } = words.texts
  const goesTo = new URLSearchParams({ callbackUrl: props.callbackUrl }).toString()
  return Card({
    theme,
    title: factorCode.title,
    content: html`
      ${error && Alert(factorText(words.texts, error, props.code))}
      ${name && html`<p class="mid">${WithOwnLine(factorCode.who, name)}</p>`}
      <p class="mid dim">${factorCode.how}</p>
      <form class="fields" method="post" action="${base}/factor">
        ${HiddenFields(props)}
        <input type="hidden" name="flow" value="${props.flow}"/>
        ${CodeField(factorCode.code, 64, error)}${props.human}
        <button class="button main" type="submit"><span>${factorCode.submit}</span></button>
      </form>
      <a class="button" href="${base}/signin?${goesTo}"><span>${factorCode.startAgain}</span></a>
      ${BackLink(props)}`,
  })
}

/** A recovery code is longer than six digits, and what people type between them. */
const LONG = 30

/** @param length the most characters */
export function CodeField(label: string, length: number, error: string | undefined): Markup {
  const input = attributes({
    id: 'code',
    name: 'code',
    // Six digits are shown large.
    class: length < LONG ? 'code' : undefined,
    dir: 'ltr',
    required: true,
    // A recovery code has letters.
    inputmode: length < LONG ? 'numeric' : undefined,
    autocomplete: 'one-time-code',
    autocapitalize: 'none',
    spellcheck: 'false',
    maxlength: String(length),
    // An alert has the focus where there is one.
    autofocus: error === undefined,
    'aria-describedby': error ? alertId : undefined,
    'aria-invalid': error === 'CredentialsSignin' ? 'true' : undefined,
  })
  return html`<div${length < LONG && html` class="mid"`}><label for="code">${label}</label><input${input}/></div>`
}
