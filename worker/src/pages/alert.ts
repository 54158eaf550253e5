import { attributes, html, type Markup } from './markup.js'

/** The id of the alert, for `aria-describedby`. */
export const alertId = 'problem'

/**
 * The texts that the page's script may show in the place of an alert, in the language of the page.
 */
export type Sayings = Readonly<Record<string, string>>

/**
 * The alert gets the focus, since a screen reader does not read out an alert that a page is loaded
 * with.
 *
 * @param sayings of a page whose script says there what goes wrong later
 * @param isNote it is what the person did themselves, and no alarm
 */
export function Alert(text: string, sayings?: Sayings, isNote?: boolean): Markup {
  return html`
    <p class="${isNote ? 'note' : 'alert'}" role="${isNote ? 'status' : 'alert'}" id="${alertId}" tabindex="-1" autofocus=""${sayings && Says(sayings)}>${text}</p>`
}

/** The place where the page's script says what went wrong. */
export function QuietAlert(sayings: Sayings): Markup {
  return html`<p class="alert" role="alert" id="${alertId}" tabindex="-1"${Says(sayings)} hidden=""></p>`
}

function Says(sayings: Sayings) {
  return attributes({ 'data-says': JSON.stringify(sayings) })
}
