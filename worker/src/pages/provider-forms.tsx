import type { JSX } from 'hono/jsx/jsx-runtime'
import { HiddenFields } from './layout.js'
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
export function OAuthForm(props: FormProps & { main: boolean }): JSX.Element {
  const { provider } = props
  return (
    <form method="post" action={`${props.base}/signin/${encodeURIComponent(provider.id)}`}>
      <HiddenFields csrfToken={props.csrfToken} callbackUrl={props.callbackUrl} />
      <button class={props.main ? 'button main' : 'button'} type="submit">
        <Logo provider={provider} />
        <span>Continue with {provider.name}</span>
      </button>
    </form>
  )
}

/** The declared fields of a credentials provider. `describedBy` is the id of the message about a failed attempt. */
export function CredentialsForm(
  props: FormProps & { idPrefix: string; describedBy: string | undefined; submit: string },
): JSX.Element {
  const { provider, describedBy } = props
  return (
    <form
      class="fields"
      method="post"
      action={`${props.base}/callback/${encodeURIComponent(provider.id)}`}
      aria-label={provider.name}
    >
      <HiddenFields csrfToken={props.csrfToken} callbackUrl={props.callbackUrl} />
      {Object.entries(provider.fields ?? {}).map(([name, field], index) => (
        <Field
          name={name}
          field={field}
          id={`${props.idPrefix}-${index}`}
          describedBy={describedBy}
        />
      ))}
      <button class="button main" type="submit">
        <span>{props.submit}</span>
      </button>
    </form>
  )
}

/** The one field of an e-mail provider. */
export function EmailForm(props: FormProps & { idPrefix: string }): JSX.Element {
  const { provider, idPrefix } = props
  return (
    <form
      class="fields"
      method="post"
      action={`${props.base}/signin/${encodeURIComponent(provider.id)}`}
      aria-label={provider.name}
    >
      <HiddenFields csrfToken={props.csrfToken} callbackUrl={props.callbackUrl} />
      <Field
        name="email"
        id={`${idPrefix}-0`}
        field={{ label: 'E-mail address', type: 'email', autocomplete: 'email', required: true }}
      />
      <button class="button main" type="submit">
        <span>Send me a sign-in link</span>
      </button>
    </form>
  )
}

function Field(props: {
  name: string
  field: CredentialField
  id: string
  describedBy?: string | undefined
}): JSX.Element {
  const { name, field, id } = props
  const type = field.type ?? 'text'
  if (type === 'hidden') return <input type="hidden" name={name} value={field.value} />
  const autocomplete = field.autocomplete ?? usualAutocomplete(name, type)
  return (
    <div>
      <label for={id}>{field.label ?? name}</label>
      <input
        id={id}
        name={name}
        type={type}
        value={field.value}
        placeholder={field.placeholder}
        required={field.required === true}
        autocomplete={autocomplete}
        // A phone's keyboard would otherwise capitalise a user name.
        autocapitalize={autocomplete === 'username' ? 'none' : undefined}
        aria-describedby={props.describedBy}
      />
    </div>
  )
}

function usualAutocomplete(name: string, type: string): string | undefined {
  if (type === 'password') return 'current-password'
  return type === 'email' || /^(?:user(?:[-_ ]?name)?|e-?mail|login)$/i.test(name)
    ? 'username'
    : undefined
}

/** A logo lies on a white tile, since most are drawn for white and the button may be dark. */
function Logo({ provider }: { provider: PageProvider }): JSX.Element {
  const logo = imageUrl(provider.style?.logo, true)
  if (logo) return <img class="logo" src={logo} alt="" width="28" height="28" />
  const colors = buttonColors(provider.style?.brandColor, provider.style?.text)
  return (
    <svg class="logo" viewBox="0 0 28 28" aria-hidden="true">
      {colors ? (
        <>
          <rect width="28" height="28" fill={colors.fill} />
          <text
            x="14"
            y="19"
            text-anchor="middle"
            font-size="15"
            font-weight="650"
            fill={colors.text}
          >
            {initial(provider.name)}
          </text>
        </>
      ) : (
        <path
          d="M15 7h5a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2h-5M6 14h10m-4-4 4 4-4 4"
          fill="none"
          stroke="currentColor"
          stroke-width="1.75"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      )}
    </svg>
  )
}
