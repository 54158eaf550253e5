import type { Words } from '../languages/words.js'
import { BackLink } from './back-link.js'
import { Card } from './layout.js'
import { html, type Markup } from './markup.js'
import type { Theme } from './theme.js'

/** The contents of the page for an address that is none of a page. */
export interface NothingHerePageProps {
  theme: Theme
  words: Words
  /** The base path, such as `/auth`. */
  base: string
  /** Does it take forms? */
  isForm: boolean
  /** The app's own page, where it is another one than this. */
  home: string | undefined
}

/** Leads on to what there is: the account, or to signing in for it. */
export function NothingHerePage({
  theme,
  words,
  base,
  isForm,
  home,
}: NothingHerePageProps): Markup {
  const { missingTitle, missing, formTitle, form, toAccount } = words.texts.errorPages
  return Card({
    theme,
    title: isForm ? formTitle : missingTitle,
    content: html`
      <p class="mid">${isForm ? form : missing}</p>
      <a class="button main" href="${base}/account"><span>${toAccount}</span></a>
      ${BackLink({ theme, words, home })}`,
  })
}
