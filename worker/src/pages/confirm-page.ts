import { Card, HiddenFields } from './layout.js'
import { html, type Markup } from './markup.js'
import type { Theme } from './theme.js'

/** The contents of the confirmation page. Every string may be hostile. */
export interface ConfirmPageProps {
  theme: Theme
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
  const from = [props.device, props.place].filter(Boolean).join(', ')
  return Card({
    theme: props.theme,
    title: 'Sign in on this device?',
    content: html`
      <p class="mid">This link signs you in as<br/><strong>${props.address}</strong></p>
      <p class="mid dim">
        It was asked for from ${from}. If that was not you, or this is not your address, close
        this page: nothing has happened.
      </p>
      <form${props.human && html` class="stack"`} method="post" action="${action}">
        ${HiddenFields(props)}
        <input type="hidden" name="token" value="${props.token}"/>${props.human}
        <button class="button main" type="submit"><span>Sign in</span></button>
      </form>`,
  })
}
