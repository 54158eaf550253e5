import type { Words } from '../../languages/texts.js'
import { CopyButton, DownloadButton } from '../../pages/copy-buttons.js'
import { Card } from '../../pages/layout.js'
import { html, type Markup } from '../../pages/markup.js'
import type { Theme } from '../../pages/theme.js'

/** The contents of the page with recovery codes. `target` must be a safe redirect. */
export interface RecoveryCodesPageProps {
  theme: Theme
  words: Words
  codes: readonly string[]
  /** The next page. */
  target: string
}

/** Shows recovery codes, once: afterwards the service does not know them. */
export function RecoveryCodesPage(props: RecoveryCodesPageProps): Markup {
  const { theme, words, codes, target } = props
  const { recoveryCodes } = words.texts
  return Card({
    theme,
    title: recoveryCodes.title,
    content: html`
      <p class="mid">${recoveryCodes.what}</p>
      <p class="mid dim">${recoveryCodes.keep}</p>
      <ol class="codes" role="list">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ol>
      <div class="pair">${CopyButton(words)}${DownloadButton(recoveryCodes.download, 'recovery-codes.txt')}</div>
      <a class="button main" href="${target}"><span>${recoveryCodes.goOn}</span></a>`,
  })
}
