import type { Words } from '../../languages/texts.js'
import { Alert, alertId } from '../../pages/alert.js'
import { BackLink, Card, HiddenFields, WithOwnLine } from '../../pages/layout.js'
import { attributes, html, type Markup } from '../../pages/markup.js'
import type { Theme } from '../../pages/theme.js'
import { factorText } from './factor-text.js'

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
  /** The check that a person, and not a program, sends a form that needs it. */
  human?: Markup | undefined
  /** The app of the person does not count yet, and a code may be left out. */
  isOptional?: boolean | undefined
  /** The sign-in that waits. */
  flow: string
  /** The name of the person who signs in. */
  name: string
  /** Is the field for a recovery code? */
  byRecovery?: boolean
  /** A public error word. */
  error?: string | undefined
  code?: string | undefined
  /** The app's own page. */
  home?: string
}

/** Asks for a code of the person's app, or for a recovery code. The field of either takes the other, too. */
export function FactorPage(props: FactorPageProps): Markup {
  const { theme, words, base, error, name, byRecovery = false } = props
  const { factorCode } = words.texts
  const goesTo = new URLSearchParams({ callbackUrl: props.callbackUrl }).toString()
  const here = `${base}/factor`
  const other = `${here}?by=recovery`
  return Card({
    theme,
    title: byRecovery ? factorCode.useRecovery : factorCode.title,
    content: html`
      ${error && Alert(factorText(words, error, props.code))}
      ${name && html`<p class="mid">${WithOwnLine(factorCode.who, name)}</p>`}
      ${props.isOptional && html`<p class="mid" role="note">${factorCode.optional}</p>`}
      <form class="fields" method="post" action="${byRecovery ? other : here}">
        ${HiddenFields(props)}
        <input type="hidden" name="flow" value="${props.flow}"/>
        ${byRecovery ? CodeField(factorCode.recoveryCode, 'recovery', error) : CodeField(factorCode.code, 'app', error)}${props.human}
        <button class="button main" type="submit"><span>${factorCode.submit}</span></button>
        ${props.isOptional && html`<button class="button" type="submit" name="without" value="code" formnovalidate=""><span>${factorCode.without}</span></button>`}
      </form>
      <a class="button" href="${byRecovery ? here : other}"><span>${byRecovery ? factorCode.useApp : factorCode.useRecovery}</span></a>
      <p class="mid back"><a href="${base}/signin?${goesTo}">${factorCode.startAgain}</a></p>
      ${BackLink(props)}`,
  })
}

/** @param of six digits have places, and a recovery code has letters */
export function CodeField(
  label: string,
  of: 'app' | 'recovery',
  error: string | undefined,
): Markup {
  const isApp = of === 'app'
  const input = attributes({
    id: 'code',
    name: 'code',
    class: isApp ? 'code' : 'mono',
    dir: 'ltr',
    required: true,
    inputmode: isApp ? 'numeric' : undefined,
    autocomplete: isApp ? 'one-time-code' : 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
    // With room for characters in between, in apps and on paper.
    maxlength: '64',
    // An alert has the focus if there is one.
    autofocus: error === undefined,
    'aria-describedby': error ? alertId : undefined,
    'aria-invalid': error === 'CredentialsSignin' ? 'true' : undefined,
  })
  return html`<div${isApp && html` class="mid"`}><label for="code">${label}</label><input${input}/></div>`
}
