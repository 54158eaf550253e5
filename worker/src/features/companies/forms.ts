import { alertId } from '../../pages/alert.js'
import { HiddenFields } from '../../pages/layout.js'
import { attributes, html } from '../../pages/markup.js'
import type { NamedProvider, ProviderForm } from '../../pages/provider-forms.js'

/** The form of the sign-in page that asks for the address, and the link to the other ways. It needs no script. */
export function entranceForm({ id: provider }: NamedProvider): ProviderForm {
  return {
    place: 'form',
    names: ['email'],
    markup(props) {
      const { words, base, idPrefix, typed, offered, hasOthers, isOther } = props
      const { ways, signIn, companies } = words.texts
      const isBack = typed !== undefined && !hasOthers
      const field = attributes({
        id: `${idPrefix}-0`,
        name: 'email',
        type: 'email',
        value: typed?.email,
        required: true,
        autocomplete: offered ? `username ${offered}` : 'username',
        autocapitalize: 'none',
        'aria-describedby': isBack ? alertId : undefined,
        'aria-invalid': isBack ? 'true' : undefined,
      })
      const query = new URLSearchParams({ ways: '1', callbackUrl: props.callbackUrl })
      if (props.maxAge !== undefined) query.set('maxAge', String(props.maxAge))
      if (props.acr !== undefined) query.set('acr', props.acr)
      return html`
    <form class="fields" method="post" action="${base}/signin/${provider}">
      ${HiddenFields(props)}
      <div>
        <label for="${idPrefix}-0">${ways.address}</label>
        <input${field}/>
      </div>
      ${isBack && html`<p class="alert" id="${alertId}" role="alert">${companies.unknown}</p>`}
      <button class="${isOther ? 'button' : 'button main'}" type="submit"><span>${signIn.goOn}</span></button>
    </form>
    ${hasOthers && html`<p class="mid back"><a href="${base}/signin?${query.toString()}">${companies.otherWays}</a></p>`}`
    },
  }
}
