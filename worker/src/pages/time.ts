import type { Words } from '../languages/texts.js'
import type { PageScript } from './layout.js'
import { html, type Markup } from './markup.js'
import { TIMES_SCRIPT } from './times-script.js'

/** Says the times of a page as its reader counts them. */
export const timesScript: PageScript = { code: TIMES_SCRIPT, isSilent: true }

/** Does a page have a time? Texts are escaped, so that none can look like one. */
export function hasTimes(page: Markup): boolean {
  return page.includes('<time ')
}

/** A moment, to the minute. All are in ISO 8601. */
export function Moment(time: string): Markup {
  return html`<time datetime="${time}">${minuteOf(time)}</time>`
}

/** A day, of a moment that is known no better. */
export function Day(time: string): Markup {
  return html`<time datetime="${time}" data-day="">${dayOf(time)}</time>`
}

/** A day that is noted as one: it begins at midnight in UTC. */
export function DayInUtc(time: string): Markup {
  return html`<time datetime="${dayOf(time)}">${dayOf(time)}</time>`
}

/** Once for all times of a page. The script takes it away. */
export function InUtc({ texts }: Words): Markup {
  return html`<p class="dim" data-utc="">${texts.account.utc}</p>`
}

/** A moment where there is no markup. The script puts the reader's time in its place. */
export function inWords(time: string): string {
  return `${minuteOf(time)} UTC`
}

/** `2026-11-21 14:05` */
function minuteOf(time: string): string {
  return time.slice(0, 16).replace('T', ' ')
}

function dayOf(time: string): string {
  return time.slice(0, 10)
}
