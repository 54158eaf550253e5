import type { Words } from '../../../languages/texts.js'
import { CopyButton } from '../../../pages/copy-buttons.js'
import { Card } from '../../../pages/layout.js'
import { html, type Markup } from '../../../pages/markup.js'
import type { Theme } from '../../../pages/theme.js'

/** The contents of the page with a new key. `target` must be a safe redirect. */
export interface KeyPageProps {
  theme: Theme
  words: Words
  key: string
  /** What its person calls it. */
  name: string
  /** The next page. */
  target: string
}

/** Shows a key, once: afterwards the service does not know it. */
export function KeyPage({ theme, words, key, name, target }: KeyPageProps): Markup {
  const { texts } = words
  return Card({
    theme,
    title: texts.keys.made,
    content: html`
      <p class="mid">${name}</p>
      <p class="mid key"><code>${key}</code></p>
      <p class="mid dim">${texts.keys.once}</p>
      ${CopyButton(words, true)}
      <a class="button" href="${target}"><span>${texts.keys.goOn}</span></a>`,
  })
}
