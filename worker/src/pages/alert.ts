import { html, type Markup } from './markup.js'

/** Of the alert, for `aria-describedby`. */
export const alertId = 'problem'

/** Focus starts here, since a screen reader says nothing about an alert that is there from the start. */
export function Alert(text: string): Markup {
  return html`
    <p class="alert" role="alert" id="${alertId}" tabindex="-1" autofocus="">${text}</p>`
}
