import { Card } from './layout.js'
import { html, type Markup } from './markup.js'
import type { Theme } from './theme.js'

/** The contents of the page with recovery codes. `target` must be a safe redirect. */
export interface RecoveryCodesPageProps {
  theme: Theme
  codes: readonly string[]
  /** Where it goes on. */
  target: string
}

/** Shows recovery codes, once: afterwards nobody knows them. */
export function RecoveryCodesPage({ theme, codes, target }: RecoveryCodesPageProps): Markup {
  return Card({
    theme,
    title: 'Your recovery codes',
    content: html`
      <p class="mid">
        Each of them takes the place of a code of your app, once. Without the app and without them
        you cannot sign in.
      </p>
      <p class="mid dim">
        They are shown this one time. Print this page or write them down, and keep them where your
        phone is not.
      </p>
      <ol class="codes" role="list">
        ${codes.map((code) => html`<li><code>${code}</code></li>`)}
      </ol>
      <a class="button main" href="${target}"><span>I have kept them: go on</span></a>`,
  })
}
