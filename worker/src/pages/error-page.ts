import { fillParts } from '../languages/fill.js'
import type { Words } from '../languages/texts.js'
import { errorPageText } from './error-texts.js'
import { BackLink, Card } from './layout.js'
import { html, type Markup } from './markup.js'
import { linkUrl, type Theme } from './theme.js'

/** The contents of the error page: a public error word, never a cause. */
export interface ErrorPageProps {
  theme: Theme
  words: Words
  /** The base path, such as `/auth`. */
  base: string
  error: string
  /** A public code. */
  code?: string | undefined
  /** The query of the sign-in page, with the needs of the sign-in. */
  retryQuery?: string
  /** The reference of the log line. */
  reference?: string | undefined
  /** The app's own page. */
  home?: string
}

/** Explains an error as far as a person may know it, and links to where one goes on. */
export function ErrorPage(props: ErrorPageProps): Markup {
  const { texts } = props.words
  const { title, text, link } = errorPageText(props.words, props.error, props.code)
  const isBlocked = props.error === 'AccessDenied' && props.code === 'blocked'
  const { toAccount, toSignIn, reference: quote } = texts.errorPages
  const reference = props.reference && html`<code>${props.reference}</code>`
  return Card({
    theme: props.theme,
    title,
    content: html`
      <p class="mid">${text}</p>
      ${reference && html`<p class="mid dim">${fillParts(quote, { reference })}</p>`}
      ${isBlocked ? Help(props) : html`<a class="button main" href="${props.base}/${link}${link === 'signin' && props.retryQuery}"><span>${link === 'account' ? toAccount : toSignIn}</span></a>`}
      ${BackLink(props)}`,
  })
}

/** For a blocked person: a new sign-in would lead back to this page. */
function Help({ theme, words }: ErrorPageProps): Markup | undefined {
  const url = linkUrl(theme.links?.help)
  return url === undefined
    ? undefined
    : html`<a class="button main" href="${url}"><span>${words.texts.site.help}</span></a>`
}
