import type { Words } from '../../languages/texts.js'
import type { PageScript } from '../../pages/layout.js'
import { html, type Markup } from '../../pages/markup.js'
import { COPY_SCRIPT } from './copy-script.js'

/** Copies and saves the texts that a page has in `<code>`. */
export const copyTexts: PageScript = { code: COPY_SCRIPT, isSilent: true }

/**
 * Has a page a button that needs this script? Texts are escaped, so that no text can look like a
 * button.
 */
export function hasCopyButtons(page: Markup): boolean {
  return page.includes(' data-copied="')
}

/** Copies every `<code>` of the page. The script shows the button. */
export function CopyButton({ texts }: Words): Markup {
  const { copy, copied } = texts.parts
  return html`<button class="button" type="button" data-copied="${copied}" hidden=""><span aria-live="polite">${copy}</span></button>`
}

/** Saves every `<code>` of the page. The script shows the button. @param file its name */
export function DownloadButton({ texts }: Words, file: string): Markup {
  return html`<button class="button" type="button" data-file="${file}" hidden=""><span>${texts.recoveryCodes.download}</span></button>`
}
