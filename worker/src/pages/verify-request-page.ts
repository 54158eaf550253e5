import type { Words } from '../languages/words.js'
import { Alert, alertId } from './alert.js'
import { verifyRequestText } from './error-texts.js'
import { Card, HiddenFields, WithOwnLine } from './layout.js'
import { attributes, html, type Markup } from './markup.js'
import type { Theme } from './theme.js'

/** The contents of the page after a request for a mail. Every string may be hostile. */
export interface VerifyRequestPageProps {
  theme: Theme
  words: Words
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
  const { theme, words, base, asked, error } = props
  const { title, useAnother } = words.texts.code
  return Card({
    theme,
    title,
    content: html`
      ${error && Alert(verifyRequestText(words.texts, error, props.code))}
      ${asked ? CodeForm({ ...props, asked }) : NotHere(words)}
      <a class="button" href="${base}/${asked?.isAdding ? 'account' : `signin?${queryOf(props)}`}">
        <span>${useAnother}</span>
      </a>`,
  })
}

function CodeForm(props: VerifyRequestPageProps & { asked: Asked }): Markup {
  const { asked, base } = props
  const { isAdding } = asked
  const { code } = props.words.texts
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
      ${WithOwnLine(isAdding ? code.sentToAdd : code.sent, asked.address)}
    </p>
    <p class="mid dim">${code.how}</p>
    <form class="fields" method="post" action="${base}/callback/${provider}">
      ${HiddenFields(props)}
      <input type="hidden" name="flow" value="${asked.flow}"/>
      <div><label for="code">${code.label}</label><input class="code"${input}/></div>${props.human}
      <button class="button main" type="submit"><span>${isAdding ? code.submitToAdd : code.submit}</span></button>
    </form>
    <form${props.human && html` class="stack"`} method="post" action="${base}/${isAdding ? 'ways/add' : `signin/${provider}`}">
      ${HiddenFields(props)}
      ${isAdding && html`<input type="hidden" name="provider" value="${asked.provider}"/>`}
      <input type="hidden" name="email" value="${asked.address}"/>${props.human}
      <button class="button" type="submit"><span>${code.again}</span></button>
    </form>`
}

function NotHere({ texts }: Words): Markup {
  return html`
    <p class="mid">${texts.code.notHere}</p>`
}

function queryOf({ callbackUrl, maxAge, acr }: VerifyRequestPageProps): string {
  const asked = maxAge === undefined ? {} : { maxAge: String(maxAge) }
  return new URLSearchParams({ callbackUrl, ...asked, ...(acr ? { acr } : {}) }).toString()
}
