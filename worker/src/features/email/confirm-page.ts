import { fill, fillList } from '../../languages/fill.js'
import type { Words } from '../../languages/texts.js'
import { BackLink, Card, HiddenFields, WithOwnLine } from '../../pages/layout.js'
import { html, type Markup } from '../../pages/markup.js'
import type { Theme } from '../../pages/theme.js'

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
  /** The app's own page. */
  home?: string
}

/**
 * Says that a link was ended by a person that it was not for, and no more: anyone may have sent the
 * form.
 */
export function RefusedPage(props: Pick<ConfirmPageProps, 'theme' | 'words' | 'home'>): Markup {
  const { theme, words, home } = props
  const { refusedTitle, refused } = words.texts.confirm
  return Card({
    theme,
    title: refusedTitle,
    content: html`
      <p class="mid">${refused}</p>
      ${BackLink({ theme, words, home })}`,
  })
}

/**
 * Asks before a sign-in link is used in a browser that did not ask for it: the link may come from
 * anyone.
 */
export function ConfirmPage(props: ConfirmPageProps): Markup {
  const action = `${props.base}/callback/${encodeURIComponent(props.provider)}`
  const { theme, words } = props
  const { confirm } = words.texts
  const device = fillList(words, props.device, props.place)
  return Card({
    theme,
    title: confirm.title,
    content: html`
      <p class="mid">${WithOwnLine(confirm.who, props.address)}</p>
      <p class="mid dim">
        ${fill(confirm.from, { device })}
      </p>
      <form${props.human && html` class="stack"`} method="post" action="${action}">
        ${HiddenFields(props)}
        <input type="hidden" name="token" value="${props.token}"/>${props.human}
        <div class="stack">
          <button class="button main" type="submit"><span>${confirm.submit}</span></button>
          <button class="button" type="submit" name="refuse" value="1"><span>${confirm.refuse}</span></button>
        </div>
      </form>
      ${BackLink(props)}`,
  })
}
