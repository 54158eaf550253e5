import type { Words } from '../../../languages/texts.js'
import { Alert, alertId } from '../../../pages/alert.js'
import { signInText } from '../../../pages/error-texts.js'
import { Card } from '../../../pages/layout.js'
import { attributes, html, type Markup } from '../../../pages/markup.js'
import type { Theme } from '../../../pages/theme.js'

export type DeviceError = 'wrong_code' | 'rate_limited'

export interface DevicePageProps {
  theme: Theme
  words: Words
  /** The base path, such as `/auth`. */
  base: string
  csrfToken: string
  /** The code of the link, as a device shows it; empty: there is none. */
  code: string
  error: DeviceError | undefined
}

/** Takes the code that a device shows. */
export function DevicePage({
  theme,
  words,
  base,
  csrfToken,
  code,
  error,
}: DevicePageProps): Markup {
  const { device } = words.texts
  const input = attributes({
    id: 'user_code',
    name: 'user_code',
    class: 'mono',
    dir: 'ltr',
    value: code,
    required: true,
    autocomplete: 'off',
    autocapitalize: 'characters',
    spellcheck: 'false',
    maxlength: '64',
    autofocus: error === undefined,
    'aria-describedby': error ? alertId : undefined,
    'aria-invalid': error === 'wrong_code' ? 'true' : undefined,
  })
  const said =
    error === 'wrong_code' ? device.wrong : error && signInText(words, 'CredentialsSignin', error)
  return Card({
    theme,
    title: device.title,
    content: html`
      ${said && Alert(said)}
      <p class="mid dim">${device.how}</p>
      <form class="fields" method="post" action="${base}/device">
        <input type="hidden" name="csrfToken" value="${csrfToken}"/>
        <div><label for="user_code">${device.code}</label><input${input}/></div>
        <button class="button main" type="submit"><span>${device.goOn}</span></button>
      </form>`,
  })
}

/** Says that a person has decided, and that the device goes on by itself. */
export function DecidedPage({
  theme,
  words,
  isAllowed,
}: {
  theme: Theme
  words: Words
  isAllowed: boolean
}): Markup {
  const { device } = words.texts
  const title = isAllowed ? device.allowed : device.denied
  return Card({
    theme,
    title,
    content: html`<p class="mid">${isAllowed ? device.allowedNext : device.deniedNext}</p>`,
  })
}
