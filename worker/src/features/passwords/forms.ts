import { html } from '../../pages/markup.js'
import type { NamedProvider, ProviderForm } from '../../pages/provider-forms.js'
import { passwordForm as fieldsForm } from '../../pages/provider-forms.js'

/** The fields of the sign-in page, and the link to the page for those who have no password, or have forgotten it. */
export function passwordForm(provider: NamedProvider): ProviderForm {
  const withLabels = (email?: string, password?: string) =>
    fieldsForm({
      ...provider,
      credentials: {
        email: { label: email, type: 'email', autocomplete: 'username', required: true },
        password: { label: password, type: 'password', required: true },
        // The page's script says here that the browser can make passkeys.
        offer: { type: 'hidden', value: '' },
      },
    })
  return {
    ...withLabels(),
    markup(props) {
      const { ways, names, password } = props.words.texts
      const query = new URLSearchParams({ callbackUrl: props.callbackUrl }).toString()
      return html`
        ${withLabels(ways.address, names.credentials).markup(props)}
        <p class="mid back"><a href="${props.base}/password?${query}">${password.link}</a></p>`
    },
  }
}
