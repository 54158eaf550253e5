import { fillParts } from '../languages/fill.js'
import type { Words } from '../languages/texts.js'
import { html, type Markup } from './markup.js'
import { Moment } from './time.js'

/**
 * Says that something which was added does not count yet.
 *
 * @param from when it does, in ISO 8601; `null`: when it is confirmed
 */
export function Waits(from: string | null, { texts: { account } }: Words): Markup {
  const text = from === null ? account.waits : fillParts(account.waitsUntil, { time: Moment(from) })
  return html`<p role="note">${text}</p>`
}
