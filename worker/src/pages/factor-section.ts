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
}

/** Set up; or new recovery codes, and the end. Buttons that begin with “Remove” are of ways. */
export function FactorSection(props: FactorSectionProps): Markup {
  const { words, base, csrfToken, recoveryCodes: left } = props
  const { factor } = words.texts
  const form = (route: string, label: string) => html`
    <form method="post" action="${base}/factor/${route}">
      <input type="hidden" name="csrfToken" value="${csrfToken}"/>
      <button class="button" type="submit"><span>${label}</span></button>
    </form>`
  return html`
    <h2>${factor.title}</h2>
    <div class="stack">
      ${
        left === undefined
          ? html`
            <p class="dim mid">${factor.off}</p>
            <a class="button" href="${base}/factor/setup?flow=session"><span>${factor.setUp}</span></a>`
          : html`
            <p class="mid">${factor.on} ${codesLeft(words, left)}</p>
            ${form('recovery', factor.newCodes)}${form('remove', factor.switchOff)}`
      }
    </div>`
}

function codesLeft(words: Words, left: number): string {
  const { codesLeft: enough, fewCodesLeft } = words.texts.factor
  return fillCount(words, left < 4 ? fewCodesLeft : enough, left)
}
