import { Alert } from './alert.js'
import { factorText } from './error-texts.js'
import { CodeField } from './factor-page.js'
import { Card } from './layout.js'
import { html, type Markup } from './markup.js'
import type { Theme } from './theme.js'

/** The contents of the page that sets a second factor up. Every string may be hostile. */
export interface FactorSetupPageProps {
  theme: Theme
  /** The base path, such as `/auth`. */
  base: string
  csrfToken: string
  /** The sign-in that waits, or that it is a session. */
  flow: string
  /** The key that waits. */
  keyFlow: string
  /** Whose it is. */
  name: string
  /** In base32, in groups. */
  key: string
  /** The same for a camera: modules on a side, and the dark ones as the data of a path. */
  qr: { readonly size: number; readonly path: string }
  /** Is nobody signed in before it is set up? */
  isDemanded: boolean
  /** A public error word. */
  error?: string | undefined
  code?: string | undefined
}

/** Shows a key for an authenticator app, and takes a code that the app makes of it. */
export function FactorSetupPage(props: FactorSetupPageProps): Markup {
  const { theme, base, error, name } = props
  return Card({
    theme,
    title: 'Set up a second factor',
    content: html`
      ${error && Alert(factorText(error, props.code))}
      ${props.isDemanded && html`<p class="mid">To sign in here you need one.</p>`}
      ${name && html`<p class="mid">It is for<br/><strong>${name}</strong></p>`}
      <p class="mid dim">Scan this with an authenticator app, or type the key into it.</p>
      ${Picture(props.qr)}
      <p class="mid"><code class="key">${props.key}</code></p>
      <form class="fields" method="post" action="${base}/factor/setup">
        <input type="hidden" name="csrfToken" value="${props.csrfToken}"/>
        <input type="hidden" name="flow" value="${props.flow}"/>
        <input type="hidden" name="key" value="${props.keyFlow}"/>
        ${CodeField('Six-digit code of the app', 9, error)}
        <button class="button main" type="submit"><span>Switch it on</span></button>
      </form>
      <a class="button" href="${base}/${props.isDemanded ? 'signin' : 'account'}"><span>Not now</span></a>`,
  })
}

/** Light modules around a code, without which no camera finds it (ISO/IEC 18004, 6.3.8). */
const QUIET = 4

/** Dark on white in every colour scheme: many readers know no other. */
function Picture({ size, path }: FactorSetupPageProps['qr']): Markup {
  const side = size + 2 * QUIET
  return html`
    <svg class="qr" viewBox="${-QUIET} ${-QUIET} ${side} ${side}" role="img" aria-label="QR code of the key" shape-rendering="crispEdges">
      <path d="M-4-4h${side}v${side}h-${side}z" fill="#fff"/><path d="${path}" fill="#000"/>
    </svg>`
}
