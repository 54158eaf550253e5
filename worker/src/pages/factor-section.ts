import { html, type Markup } from './markup.js'

/** What the page of an account says of the second factor. */
export interface FactorSectionProps {
  base: string
  csrfToken: string
  /** Recovery codes that are left; absent: there is no second factor. */
  recoveryCodes?: number | undefined
}

/** Set up; or new recovery codes, and the end. Buttons that begin with “Remove” are of ways. */
export function FactorSection(props: FactorSectionProps): Markup {
  const { base, csrfToken, recoveryCodes: left } = props
  const form = (route: string, label: string) => html`
    <form method="post" action="${base}/factor/${route}">
      <input type="hidden" name="csrfToken" value="${csrfToken}"/>
      <button class="button" type="submit"><span>${label}</span></button>
    </form>`
  return html`
    <h2>Second factor</h2>
    <div class="stack">
      ${
        left === undefined
          ? html`
            <p class="dim mid">An authenticator app, asked for after every sign-in but one with a passkey.</p>
            <a class="button" href="${base}/factor/setup?flow=session"><span>Set up an authenticator app</span></a>`
          : html`
            <p class="mid">Your authenticator app is on. ${CodesLeft(left)}</p>
            ${form('recovery', 'New recovery codes')}${form('remove', 'Switch off the authenticator app')}`
      }
    </div>`
}

function CodesLeft(left: number): Markup {
  const codes = left === 1 ? 'recovery code is' : 'recovery codes are'
  return html`${left} ${codes} left${left < 4 && ': make new ones'}.`
}
