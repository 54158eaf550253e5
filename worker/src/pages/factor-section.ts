import { fillCount } from '../languages/fill.js'
import type { Words } from '../languages/words.js'
import { html, type Markup } from './markup.js'

/** What the page of an account says of the second factor. */
export interface FactorSectionProps {
  words: Words
  base: string
  csrfToken: string
  /** Recovery codes that are left; absent: there is no second factor. */
  recoveryCodes?: number | undefined
  /** Where it goes on; left out: the page of the account. */
  back?: string | undefined
}

/** Set up; or new recovery codes, and the end. Buttons that begin with “Remove” are of ways. */
export function FactorSection(props: FactorSectionProps): Markup {
  const { words, base, csrfToken, recoveryCodes: left, back } = props
  const { factor } = words.texts
  const form = (route: string, label: string) => html`
    <form method="post" action="${base}/factor/${route}">
      <input type="hidden" name="csrfToken" value="${csrfToken}"/>
      ${back && html`<input type="hidden" name="callbackUrl" value="${back}"/>`}
      <button class="button" type="submit"><span>${label}</span></button>
    </form>`
  const query = new URLSearchParams({ flow: 'session', ...(back ? { callbackUrl: back } : {}) })
  return html`
    <section class="part" aria-labelledby="factor">
      <h2 id="factor">${factor.title}</h2>
      ${
        left === undefined
          ? html`
            <p class="dim">${factor.off}</p>
            <a class="button" href="${base}/factor/setup?${query.toString()}"><span>${factor.setUp}</span></a>`
          : html`
            <p>${factor.on} ${codesLeft(words, left)}</p>
            <div class="actions">
              ${form('recovery', factor.newCodes)}${form('remove', factor.switchOff)}
            </div>`
      }
    </section>`
}

function codesLeft(words: Words, left: number): string {
  const { codesLeft: enough, fewCodesLeft } = words.texts.factor
  return fillCount(words, left < 4 ? fewCodesLeft : enough, left)
}
