import { HiddenFields } from './layout.js'
import { attributes, html, type Markup } from './markup.js'
import { initial } from './signed-in-as.js'
import { buttonColors, imageUrl } from './theme.js'

/** A field of a credentials form, in the shape that Auth.js users declare. */
interface CredentialField {
  /** Defaults to the field's name. */
  label?: string | undefined
  /** The input's type, `text` by default. */
  type?: string | undefined
  placeholder?: string | undefined
  value?: string | undefined
  /** Guessed for passwords, user names and e-mail addresses, so that password managers work. */
  autocomplete?: string | undefined
  required?: boolean | undefined
}

/** A provider as the sign-in page shows it. */
export interface PageProvider {
  id: string
  name: string
  type: 'oauth' | 'oidc' | 'email' | 'credentials'
  style?:
    | {
        /** `#rgb` or `#rrggbb`: the tile behind the initial, where there is no logo. */
        brandColor?: string | undefined
        /** An https URL or an inline `data:image/…`. */
        logo?: string | undefined
        /** `#rgb` or `#rrggbb`: the initial on that tile. */
        text?: string | undefined
      }
    | undefined
  /** Credentials only. */
  fields?: Record<string, CredentialField> | undefined
}

/** What each provider's form needs beside the provider. */
export interface FormProps {
  provider: PageProvider
  base: string
  csrfToken: string
  callbackUrl: string
}

/** One button that starts a sign-in at an OAuth or OpenID provider. */
export function OAuthForm(props: FormProps & { main: boolean }): Markup {
  const { provider } = props
  return html`
    <form method="post" action="${props.base}/signin/${encodeURIComponent(provider.id)}">
      ${HiddenFields(props)}
      <button class="${props.main ? 'button main' : 'button'}" type="submit">
        ${Logo(provider)}
        <span>Continue with ${provider.name}</span>
      </button>
    </form>`
}

/** The declared fields of a credentials provider. `describedBy` is the id of the message about a failed attempt. */
export function CredentialsForm(
  props: FormProps & { idPrefix: string; describedBy: string | undefined; submit: string },
): Markup {
  const { provider, idPrefix, describedBy } = props
  const fields = Object.entries(provider.fields ?? {})
  return FieldsForm({
    ...props,
    route: 'callback',
    fields: fields.map(([name, field], index) =>
      Field({ name, field, id: `${idPrefix}-${index}`, describedBy }),
    ),
  })
}

/** The one field of an e-mail provider. */
export function EmailForm(props: FormProps & { idPrefix: string }): Markup {
  const field = { label: 'E-mail address', type: 'email', autocomplete: 'email', required: true }
  return FieldsForm({
    ...props,
    route: 'signin',
    fields: [Field({ name: 'email', field, id: `${props.idPrefix}-0` })],
    submit: 'Send me a sign-in link',
  })
}

function FieldsForm(
  props: FormProps & { route: 'callback' | 'signin'; fields: Markup[]; submit: string },
): Markup {
  const { provider, base, route } = props
  const action = `${base}/${route}/${encodeURIComponent(provider.id)}`
  return html`
    <form class="fields" method="post" action="${action}" aria-label="${provider.name}">
      ${HiddenFields(props)}
      ${props.fields}
      <button class="button main" type="submit">
        <span>${props.submit}</span>
      </button>
    </form>`
}

function Field(props: {
  name: string
  field: CredentialField
  id: string
  describedBy?: string | undefined
}): Markup {
  const { name, field, id } = props
  const type = field.type ?? 'text'
  const { value } = field
  if (type === 'hidden') return html`<input${attributes({ type, name, value })}/>`
  const autocomplete = field.autocomplete ?? usualAutocomplete(name, type)
  const input = attributes({
    id,
    name,
    type,
    value,
    placeholder: field.placeholder,
    required: field.required === true,
    autocomplete,
    // A phone's keyboard would otherwise capitalise a user name.
    autocapitalize: autocomplete === 'username' ? 'none' : undefined,
    'aria-describedby': props.describedBy,
  })
  return html`
    <div>
      <label for="${id}">${field.label ?? name}</label>
      <input${input}/>
    </div>`
}

function usualAutocomplete(name: string, type: string): string | undefined {
  if (type === 'password') return 'current-password'
  return type === 'email' || /^(?:user(?:[-_ ]?name)?|e-?mail|login)$/i.test(name)
    ? 'username'
    : undefined
}

/** A logo lies on a white tile, since most are drawn for white and the button may be dark. */
function Logo({ name, style }: PageProvider): Markup {
  const logo = imageUrl(style?.logo, true)
  if (logo) return html`<img class="logo" src="${logo}" alt="" width="28" height="28"/>`
  const colors = buttonColors(style?.brandColor, style?.text)
  return html`
    <svg class="logo" viewBox="0 0 28 28" aria-hidden="true">
      ${colors ? Tile({ ...colors, letter: initial(name) }) : Door()}
    </svg>`
}

function Tile({ fill, text, letter }: { fill: string; text: string; letter: string }): Markup {
  return html`
    <rect width="28" height="28" fill="${fill}"/>
    <text x="14" y="19" text-anchor="middle" font-size="15" font-weight="650"
      fill="${text}">${letter}</text>`
}

function Door(): Markup {
  return html`
    <path d="M15 7h5a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2h-5M6 14h10m-4-4 4 4-4 4" fill="none"
      stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"/>`
}
