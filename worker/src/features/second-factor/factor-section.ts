import { fillCount } from '../../languages/fill.js'
import type { Words } from '../../languages/texts.js'
import { AskFirst } from '../../pages/ask-first.js'
import { html, type Markup } from '../../pages/markup.js'
import { Waits } from '../../pages/waits.js'

/** The contents of the section of the account page about the second factor. */
export interface FactorSectionProps {
  words: Words
  base: string
  csrfToken: string
  /** Recovery codes that are left; absent: there is no second factor. */
  recoveryCodes?: number | undefined
  /** If it does not count yet: the time from which it does; `null`: after a confirmation. ISO 8601. */
  waits?: string | null | undefined
  /** Names its recovery codes as they are: the form for new ones works once. */
  factor?: string | undefined
  /** The next page. Default: the account page. */
  back?: string | undefined
  /** The page of its own, if this is a summary, which changes nothing. */
  href?: string | undefined
}

/** Set up; or new recovery codes, and the end. Buttons that begin with “Remove” are of ways. */
export function FactorSection(props: FactorSectionProps): Markup {
  const { words, base, csrfToken, recoveryCodes: left, waits, back, href } = props
  const { factor } = words.texts
  const fields = html`<input type="hidden" name="csrfToken" value="${csrfToken}"/>
      ${props.factor && html`<input type="hidden" name="factor" value="${props.factor}"/>`}
      ${back && html`<input type="hidden" name="callbackUrl" value="${back}"/>`}`
  const form = (route: string, label: string) => html`
    <form method="post" action="${base}/factor/${route}">
      ${fields}
      <button class="button" type="submit"><span>${label}</span></button>
    </form>`
  const query = new URLSearchParams({ flow: 'session', ...(back ? { callbackUrl: back } : {}) })
  return html`
    <section class="part" aria-labelledby="factor">
      <h2 id="factor">${href ? html`<a href="${href}">${factor.title}</a>` : factor.title}</h2>
      ${
        left === undefined
          ? html`
            <p class="dim">${factor.off}</p>
            <a class="button" href="${base}/factor/setup?${query.toString()}"><span>${factor.setUp}</span></a>`
          : html`
            <p>${factor.on} ${codesLeft(words, left)}</p>
            ${waits !== undefined && Waits(waits, words)}
            ${
              !href &&
              html`<div class="actions">
              ${waits !== undefined && form('confirm', words.texts.account.confirm)}
              ${form('recovery', factor.newCodes)}
              ${AskFirst({
                words,
                id: 'switch-off',
                text: factor.switchOff,
                warning: factor.switchOffWarning,
                action: `${base}/factor/remove`,
                fields,
              })}
            </div>`
            }`
      }
    </section>`
}

function codesLeft(words: Words, left: number): string {
  const { codesLeft: enough, fewCodesLeft } = words.texts.factor
  return fillCount(words, left < 4 ? fewCodesLeft : enough, left)
}
