import { html, type Markup } from './markup.js'

/** The id of the alert, for `aria-describedby`. */
export const alertId = 'problem'

/**
 * The alert gets the focus, since a screen reader does not read out an alert that a page is loaded
 * with.
 */
export function Alert(text: string): Markup {
  return html`
    <p class="alert" role="alert" id="${alertId}" tabindex="-1" autofocus="">${text}</p>`
}

/** The place where the page's script says what went wrong. */
export function QuietAlert(): Markup {
  return html`<p class="alert" role="alert" id="${alertId}" tabindex="-1" hidden=""></p>`
}
