import type { Words } from '../../languages/texts.js'
import { Alert } from '../../pages/alert.js'
import { CopyButton } from '../../pages/copy-buttons.js'
import { Card, WithOwnLine } from '../../pages/layout.js'
import { html, type Markup } from '../../pages/markup.js'
import type { Theme } from '../../pages/theme.js'
import { CodeField } from './factor-page.js'
import { factorText } from './factor-text.js'

/** The contents of the page that sets a second factor up. Every string may be hostile. */
export interface FactorSetupPageProps {
  theme: Theme
  words: Words
  /** The base path, such as `/auth`. */
  base: string
  csrfToken: string
  /** The sign-in that waits, or that it is a session. */
  flow: string
  /** The key that waits. */
  keyFlow: string
  /** The name of the account. */
  name: string
  /** In base32, in groups. */
  key: string
  /** The same for a camera: modules on a side, and the dark ones as the data of a path. */
  qr: { readonly size: number; readonly path: string }
  /** Is it set up before a session begins? */
  isDemanded: boolean
  /** A public error word. */
  error?: string | undefined
  code?: string | undefined
}

/** Shows a key for an authenticator app, and takes a code that the app makes of it. */
export function FactorSetupPage(props: FactorSetupPageProps): Markup {
  const { theme, words, base, error, name } = props
  const { factorSetup } = words.texts
  return Card({
    theme,
    title: factorSetup.title,
    content: html`
      ${error && Alert(factorText(words, error, props.code))}
      ${props.isDemanded && html`<p class="mid">${factorSetup.demanded}</p>`}
      ${name && html`<p class="mid">${WithOwnLine(factorSetup.who, name)}</p>`}
      <p class="mid dim">${factorSetup.how}</p>
      ${Picture(props.qr, factorSetup.picture)}
      <p class="mid"><code class="key">${props.key}</code></p>
      <div class="pair">${CopyButton(words)}</div>
      <form class="fields" method="post" action="${base}/factor/setup">
        <input type="hidden" name="csrfToken" value="${props.csrfToken}"/>
        <input type="hidden" name="flow" value="${props.flow}"/>
        <input type="hidden" name="key" value="${props.keyFlow}"/>
        ${CodeField(factorSetup.code, 'app', error)}
        <button class="button main" type="submit"><span>${factorSetup.submit}</span></button>
      </form>
      <a class="button" href="${base}/${props.isDemanded ? 'signin' : 'account'}"><span>${factorSetup.notNow}</span></a>`,
  })
}

/** Light modules around a code, without which no camera finds it (ISO/IEC 18004, 6.3.8). */
const QUIET = 4

/** Dark on white in every color scheme: many readers know no other. */
function Picture({ size, path }: FactorSetupPageProps['qr'], label: string): Markup {
  const side = size + 2 * QUIET
  return html`
    <svg class="qr" viewBox="${-QUIET} ${-QUIET} ${side} ${side}" role="img" aria-label="${label}" shape-rendering="crispEdges">
      <path d="M-4-4h${side}v${side}h-${side}z" fill="#fff"/><path d="${path}" fill="#000"/>
    </svg>`
}
