import type { Words } from '../../languages/texts.js'
import type { Sayings } from '../../pages/alert.js'
import { HiddenFields } from '../../pages/layout.js'
import { html, type Markup } from '../../pages/markup.js'
import {
  type FormProps,
  LineMark,
  Marked,
  type NamedProvider,
  type ProviderForm,
} from '../../pages/provider-forms.js'

/**
 * The buttons of the ceremonies with passkeys: signing in, signing up and adding one. Each is hidden until the page's
 * script shows it, which is `worker/browser/passkeys.ts`.
 */
export function passkeyForm(provider: NamedProvider): ProviderForm {
  const form = (props: FormProps, ceremony: string, content: Markup) => html`
    <form hidden="" data-script="${ceremony}" method="post" action="${props.base}/callback/${encodeURIComponent(provider.id)}">
      ${HiddenFields(props)}
      ${content}
    </form>`
  return {
    place: 'button',
    script: { says, missing: ({ texts }) => texts.signIn.passkeysOnly, offered: OFFERED },
    mark: KeyMark,
    markup: (props) => {
      const { add, signIn } = props.words.texts.passkeys
      return props.isAdding
        ? form(props, 'add', html`${Name(props)}${Button(add, props.isOnly)}`)
        : form(props, 'sign-in', Marked(props, Button(signIn, props.isOnly)))
    },
    signUp: (props, isAsked) => form(props, 'sign-up', SignUp(props, isAsked)),
  }
}

/** The token of `autocomplete` by which browsers offer passkeys. */
const OFFERED = 'webauthn'

/** In the same names in every language: see `worker/browser/passkeys.ts`. */
function says({ texts }: Words): Sayings {
  const { noneCreated, noneUsed, isThere, failed } = texts.passkeys
  return { unknown: texts.errors.unknownPasskey, noneCreated, noneUsed, isThere, failed }
}

/** A password manager shows it beside the passkey, and a session that begins with it has it. */
function Name({ name = '' }: FormProps): Markup {
  const shown = [...name].slice(0, 64).join('')
  return html`<input type="hidden" name="name" value="${shown}"/>`
}

/** @param isAsked has the page another field for an address or a name? Browsers offer passkeys there. */
function SignUp({ words, idPrefix, human }: FormProps, isAsked: boolean): Markup {
  const { name, signUp } = words.texts.passkeys
  const autocomplete = isAsked ? 'name' : `username ${OFFERED}`
  const content = html`
    <div class="fields">
      <div>
        <label for="${idPrefix}-name">${name}</label>
        <input id="${idPrefix}-name" name="name" maxlength="64" autocomplete="${autocomplete}"/>
      </div>${human}
      <button class="button" type="submit"><span>${signUp}</span></button>
    </div>`
  if (!isAsked) return content
  return html`
    <details class="others"><summary class="quiet">${signUp}</summary>${content}</details>`
}

function Button(text: string, isMain?: boolean): Markup {
  return html`
    <button class="${isMain ? 'button main' : 'button'}" type="submit">
      ${KeyMark()}
      <span>${text}</span>
    </button>`
}

function KeyMark(): Markup {
  return LineMark(
    'M11 13a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 9c0-4 3-6 7-6 1.5 0 2.8.3 4 .8M20 17.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm0 0V24m0-3h2.5',
  )
}
