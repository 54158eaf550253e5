import { fillCount } from '../../languages/fill.js'
import type { Plural, Words } from '../../languages/texts.js'
import type { PageScript } from '../../pages/layout.js'
import { html, type Markup } from '../../pages/markup.js'
import { COUNTDOWN_SCRIPT } from './countdown-script.js'

/** Counts the seconds of a page. */
export const countdownScript: PageScript = { code: COUNTDOWN_SCRIPT, isSilent: true }

/** Does a page count? Texts are escaped, so that none can look like a countdown. */
export function hasCountdown(page: Markup): boolean {
  return page.includes(' data-seconds="')
}

/** A sentence in the place of a button. The script counts in it, and without script it stays as it is. */
export function Countdown(words: Words, text: Plural, seconds: number): Markup {
  return html`<p class="button" data-seconds="${seconds}" data-forms="${JSON.stringify(text)}"><span>${fillCount(words, text, seconds)}</span></p>`
}
