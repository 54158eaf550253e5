import type { Words } from '../../languages/texts.js'
import { Card } from '../../pages/layout.js'
import { html, type Markup } from '../../pages/markup.js'
import { type PageUser, SignedInAs } from '../../pages/signed-in-as.js'
import type { Theme } from '../../pages/theme.js'

interface EndSessionPageProps {
  theme: Theme
  words: Words
  base: string
  csrfToken: string
  /** The parameters of the request. */
  kept: readonly (readonly [name: string, value: string | undefined])[]
  user: PageUser | null | undefined
}

/** Asks before an app signs a person out. */
export function EndSessionPage(props: EndSessionPageProps): Markup {
  const { theme, words, base, user } = props
  const { title, question, submit, cancel } = words.texts.signOut
  const fields = [['csrfToken', props.csrfToken] as const, ...props.kept]
  return Card({
    theme,
    title,
    content: html`
      ${user && SignedInAs({ words, user })}
      <p class="mid">${question}</p>
      <form method="post" action="${base}/oauth/end-session">
        ${fields.map(([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}"/>`)}
        <button class="button main" type="submit"><span>${submit}</span></button>
      </form>
      <a class="button" href="${base}/account"><span>${cancel}</span></a>`,
  })
}
