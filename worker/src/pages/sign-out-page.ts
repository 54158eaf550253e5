import type { Words } from '../languages/texts.js'
import { Card, HiddenFields, pageUrl } from './layout.js'
import { html, type Markup } from './markup.js'
import { type PageUser, SignedInAs } from './signed-in-as.js'
import type { Theme } from './theme.js'

/** The contents of the sign-out page. `callbackUrl` must already be a safe redirect. */
export interface SignOutPageProps {
  theme: Theme
  words: Words
  /** The base path, such as `/auth`. */
  base: string
  csrfToken: string
  callbackUrl: string
  user?: PageUser | null | undefined
}

/** Asks before signing out, since a GET must never sign out. */
export function SignOutPage(props: SignOutPageProps): Markup {
  const { words, user } = props
  const { title, question, cancel } = words.texts.signOut
  const back = pageUrl(props.callbackUrl)
  return Card({
    theme: props.theme,
    title,
    content: html`
      ${user && SignedInAs({ words, user })}
      <p class="mid">${question}</p>
      ${SignOutForm({ ...props, main: true })}
      ${back && html`<a class="button" href="${back}"><span>${cancel}</span></a>`}`,
  })
}

/** The button that signs out. */
export function SignOutForm(props: {
  words: Words
  base: string
  csrfToken: string
  callbackUrl: string
  main?: boolean
  /** It looks like a link, beside a button that matters more. */
  isQuiet?: boolean
}): Markup {
  const look = props.main ? 'button main' : props.isQuiet ? 'quiet' : 'button'
  return html`
    <form method="post" action="${props.base}/signout">
      ${HiddenFields(props)}
      <button class="${look}" type="submit">
        <span>${props.words.texts.signOut.submit}</span>
      </button>
    </form>`
}
