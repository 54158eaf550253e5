import type { Words } from '../languages/texts.js'
import { COPY_SCRIPT } from './copy-script.js'
import type { PageScript } from './layout.js'
import { html, type Markup } from './markup.js'

/** Copies and saves the texts that a page has in `<code>`. */
export const copyTexts: PageScript = { code: COPY_SCRIPT, isSilent: true }

/**
 * Has a page a button that needs this script? Texts are escaped, so that no text can look like a
 * button.
 */
export function hasCopyButtons(page: Markup): boolean {
  return page.includes(' data-copied="')
}

/** Copies every `<code>` of the page. The script shows the button. @param isMain is it what the page is for? */
export function CopyButton({ texts }: Words, isMain = false): Markup {
  const { copy, copied } = texts.parts
  const look = isMain ? 'button main' : 'button'
  return html`<button class="${look}" type="button" data-copied="${copied}" hidden=""><span aria-live="polite">${copy}</span></button>`
}

/** Saves every `<code>` of the page. The script shows the button. @param file its name */
export function DownloadButton(text: string, file: string): Markup {
  return html`<button class="button" type="button" data-file="${file}" hidden=""><span>${text}</span></button>`
}
