import { fill, fillCount, fillParts } from '../../languages/fill.js'
import type { Words } from '../../languages/texts.js'
import { Alert, alertId } from '../../pages/alert.js'
import { textOfCode } from '../../pages/error-texts.js'
import { BackLink, Card, HiddenFields, WithOwnLine } from '../../pages/layout.js'
import { attributes, html, type Markup } from '../../pages/markup.js'
import type { Theme } from '../../pages/theme.js'
import { Countdown } from './countdown.js'
import { mailHostOf } from './mail-hosts.js'

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
  /** The app's own page. */
  home?: string
}

interface Asked {
  provider: string
  flow: string
  address: string
  /**
   * The mark in the subject of the mail, which tells it from older ones; left out: it is unknown.
   */
  mark?: string | undefined
  /** Does the mail add the address to the account of the signed-in user? */
  isAdding: boolean
  /** How long link and code work yet. Seconds; 0: they are over. */
  works: number
  /** The pause before the next mail, which the style sheet keeps. Seconds; 0: it is over. */
  wait: 20 | 10 | 0
}

/** Says that a mail was sent, and takes its code. The page is the same for every address. */
export function VerifyRequestPage(props: VerifyRequestPageProps): Markup {
  const { theme, words, base, asked, error } = props
  const { title, useAnother } = words.texts.code
  return Card({
    theme,
    title,
    content: html`
      ${error && Alert(textOfCode(words, error, props.code) ?? words.texts.errors.code)}
      ${asked ? CodeForm({ ...props, asked }) : NotHere(words)}
      <p class="mid back"><a href="${base}/${asked?.isAdding ? 'account' : `signin?${queryOf(props)}`}">${useAnother}</a></p>
      ${BackLink(props)}`,
  })
}

function CodeForm(props: VerifyRequestPageProps & { asked: Asked }): Markup {
  const { asked, words } = props
  const { code } = words.texts
  const host = mailHostOf(asked.address)
  const isOver = asked.works <= 0
  return html`
    <p class="mid">
      ${isOver ? html`<strong>${asked.address}</strong>` : WithOwnLine(asked.isAdding ? code.sentToAdd : code.sent, asked.address)}
    </p>
    ${isOver ? html`<p class="note">${code.over}</p>` : html`${How(words, asked)}${TypeCode(props)}`}
    ${host && !isOver && html`<a class="button" href="${host.url}" target="_blank" rel="noopener noreferrer"><span>${fill(code.openMail, host)}</span></a>`}
    ${ResendForm(props)}`
}

/** What to do with the mail, by when, and which mail it is: in one paragraph. */
function How(words: Words, { works, mark }: Asked): Markup {
  const { how, which } = words.texts.code
  const named = mark && html` ${fillParts(which, { mark: html`<strong>${mark}</strong>` })}`
  return html`<p class="mid dim" id="works">${how} ${worksFor(words, works)}${named}</p>`
}

function TypeCode(props: VerifyRequestPageProps & { asked: Asked }): Markup {
  const { asked, base, words, error } = props
  const { code } = words.texts
  const action = `${base}/callback/${encodeURIComponent(asked.provider)}`
  const input = attributes({
    id: 'code',
    name: 'code',
    class: 'code',
    dir: 'ltr',
    required: true,
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    // With room for characters between the digits, in mails and on clipboards.
    maxlength: '20',
    // An alert has the focus if there is one.
    autofocus: error === undefined,
    'aria-describedby': error ? `${alertId} works` : 'works',
    'aria-invalid': error === 'Verification' ? 'true' : undefined,
  })
  return html`
    <form class="fields" method="post" action="${action}">
      ${HiddenFields(props)}
      <input type="hidden" name="flow" value="${asked.flow}"/>
      <div class="mid">
        <label for="code">${code.label}</label><input${input}/>
      </div>${props.human}
      <button class="button main" type="submit"><span>${asked.isAdding ? code.submitToAdd : code.submit}</span></button>
    </form>`
}

const HOUR = 3_600

/** Whole minutes or hours, in words. */
function worksFor(words: Words, seconds: number): string {
  const { worksMinutes, worksHours } = words.texts.code
  const isLong = seconds >= 2 * HOUR
  const count = Math.max(1, Math.round(seconds / (isLong ? HOUR : 60)))
  return fillCount(words, isLong ? worksHours : worksMinutes, count)
}

/** Asks for another mail: the button is there after a pause. */
function ResendForm(props: VerifyRequestPageProps & { asked: Asked }): Markup {
  const { asked, base, words } = props
  const { isAdding, wait } = asked
  const isOver = asked.works <= 0
  const { again, noMail, waitSeconds } = words.texts.code
  const action = `${base}/${isAdding ? 'ways/add' : `signin/${encodeURIComponent(asked.provider)}`}`
  return html`
    ${!isOver && html`<p class="mid dim">${noMail}</p>`}
    <form${props.human && html` class="stack"`} method="post" action="${action}">
      ${HiddenFields(props)}
      ${isAdding && html`<input type="hidden" name="provider" value="${asked.provider}"/>`}
      <input type="hidden" name="email" value="${asked.address}"/>${props.human}
      <div class="wait-${wait}">
        ${wait > 0 && Countdown(words, waitSeconds, wait)}
        <button class="${isOver ? 'button main' : 'button'}" type="submit"><span>${again}</span></button>
      </div>
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
