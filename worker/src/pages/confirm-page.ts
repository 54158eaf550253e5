import { fill, fillList } from '../languages/fill.js'
import type { Words } from '../languages/words.js'
import { Card, HiddenFields, WithOwnLine } from './layout.js'
import { html, type Markup } from './markup.js'
import type { Theme } from './theme.js'

/** The contents of the confirmation page. Every string may be hostile. */
export interface ConfirmPageProps {
  theme: Theme
  words: Words
  /** The base path, such as `/auth`. */
  base: string
  provider: string
  csrfToken: string
  callbackUrl: string
  /** What shows that a person sends a form that needs one. */
  human?: Markup | undefined
  /** The link's secret. */
  token: string
  address: string
  /** The device and place of the request for the mail. */
  device: string
  place?: string | undefined
}

/**
 * Asks before a sign-in link is used in a browser that did not ask for it: the link could be
 * anybody's.
 */
export function ConfirmPage(props: ConfirmPageProps): Markup {
  const action = `${props.base}/callback/${encodeURIComponent(props.provider)}`
  const { confirm } = props.words.texts
  const device = fillList(props.words, props.device, props.place)
  return Card({
    theme: props.theme,
    title: confirm.title,
    content: html`
      <p class="mid">${WithOwnLine(confirm.who, props.address)}</p>
      <p class="mid dim">
        ${fill(confirm.from, { device })}
      </p>
      <form${props.human && html` class="stack"`} method="post" action="${action}">
        ${HiddenFields(props)}
        <input type="hidden" name="token" value="${props.token}"/>${props.human}
        <button class="button main" type="submit"><span>${confirm.submit}</span></button>
      </form>`,
  })
}
