import type { Words } from '../languages/texts.js'
import { attributes, html, type Markup } from './markup.js'

/** The id of the alert, for `aria-describedby`. */
export const alertId = 'problem'

/**
 * The alert gets the focus, since a screen reader does not read out an alert that a page is loaded
 * with.
 *
 * @param words of a page whose script says there what goes wrong later
 * @param isNote it is what the person did themselves, and no alarm
 */
export function Alert(text: string, words?: Words | false, isNote?: boolean): Markup {
  return html`
    <p class="${isNote ? 'note' : 'alert'}" role="${isNote ? 'status' : 'alert'}" id="${alertId}" tabindex="-1" autofocus=""${words && Sayings(words)}>${text}</p>`
}

/** The place where the page's script says what went wrong. */
export function QuietAlert(words: Words): Markup {
  return html`<p class="alert" role="alert" id="${alertId}" tabindex="-1"${Sayings(words)} hidden=""></p>`
}

/** What the script may say, which is the same text in every language: see `worker/browser/passkeys.ts`. */
function Sayings({ texts }: Words) {
  const { noneCreated, noneUsed, isThere, failed } = texts.passkeys
  const unknown = texts.errors.unknownPasskey
  const says = JSON.stringify({ unknown, noneCreated, noneUsed, isThere, failed })
  return attributes({ 'data-says': says })
}
