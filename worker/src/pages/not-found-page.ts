import type { Words } from '../languages/texts.js'
import { BackLink, Card } from './layout.js'
import { html, type Markup } from './markup.js'
import type { Theme } from './theme.js'

/** The contents of the page for an address without a page. */
export interface NotFoundPageProps {
  theme: Theme
  words: Words
  /** The base path, such as `/auth`. */
  base: string
  /** Does it take forms? */
  isForm: boolean
  /** Is a person signed in? A stranger has no account to go to. */
  isSignedIn: boolean
  /** The app's own page, if it is another one than this. */
  home: string | undefined
}

/** Leads on to an existing page: the account of a signed-in user, or the sign-in. */
export function NotFoundPage({
  theme,
  words,
  base,
  isForm,
  isSignedIn,
  home,
}: NotFoundPageProps): Markup {
  const { missingTitle, missing, formTitle, form, toAccount, toSignIn } = words.texts.errorPages
  const [page, text] = isSignedIn ? ['account', toAccount] : ['signin', toSignIn]
  return Card({
    theme,
    title: isForm ? formTitle : missingTitle,
    content: html`
      <p class="mid">${isForm ? form : missing}</p>
      <a class="button main" href="${base}/${page}"><span>${text}</span></a>
      ${BackLink({ theme, words, home })}`,
  })
}
