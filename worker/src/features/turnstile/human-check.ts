import type { Words } from '../../languages/texts.js'
import { html, type Markup } from '../../pages/markup.js'
import type { Theme } from '../../pages/theme.js'

/**
 * Turnstile's widget, which adds its response to the form that it is in.
 *
 * @see https://developers.cloudflare.com/turnstile/get-started/client-side-rendering/
 */
export function HumanCheck(siteKey: string, theme: Theme, { texts }: Words): Markup {
  return html`
    <div class="cf-turnstile" data-sitekey="${siteKey}" data-theme="${theme.colorScheme ?? 'auto'}" data-size="flexible"></div>
    <noscript><p class="dim">${texts.ways.needsScript}</p></noscript>`
}

/** Does a page have it? Texts are escaped, so that none can look like it. */
export function hasHumanCheck(page: Markup): boolean {
  return page.includes('<div class="cf-turnstile"')
}
