import type { ResolvedProvider } from '../../http/kind.js'
import type { FormHead } from '../../http/page-head.js'
import { fill, nameIn } from '../../languages/fill.js'
import { Alert } from '../../pages/alert.js'
import { BackLink, Card } from '../../pages/layout.js'
import { html, type Markup } from '../../pages/markup.js'

interface JoinPageProps extends FormHead {
  /** The company's. */
  readonly name: string
  readonly address: string
  /** The sign-in that waits. */
  readonly flow: string
  /** The ways by which the person may have come here before. */
  readonly providers: readonly Pick<ResolvedProvider, 'id' | 'name' | 'type'>[]
  /** Nobody has an account here by the way that was proved. */
  readonly isUnknown: boolean
  readonly home: string
}

/** Asks a person of a company whether they have an account here. Every string may be hostile. */
export function JoinPage(props: JoinPageProps): Markup {
  const { theme, words, base, name, address, providers } = props
  const { companies, ways } = words.texts
  const shown = nameIn(words, name)
  const button = (choice: string, text: string, isMain = false) => html`
        <button class="${isMain ? 'button main' : 'button'}" type="submit" name="choice" value="${choice}"><span>${text}</span></button>`
  return Card({
    theme,
    title: companies.joinTitle,
    lead: fill(companies.joinHow, { name: shown }),
    content: html`
      ${props.isUnknown && Alert(companies.joinUnknown)}
      <p class="mid"><strong><bdi>${address}</bdi></strong></p>
      <form class="stack" method="post" action="${base}/company/join">
        <input type="hidden" name="csrfToken" value="${props.csrfToken}"/>
        <input type="hidden" name="flow" value="${props.flow}"/>
        ${button('new', companies.joinNew, true)}
        ${providers.map((provider) =>
          button(
            provider.id,
            provider.type === 'email'
              ? ways.sendLink
              : fill(ways.continueWith, { name: nameIn(words, provider.name) }),
          ),
        )}
      </form>
      ${BackLink(props)}`,
  })
}
