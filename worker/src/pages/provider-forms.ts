import { fill, nameIn } from '../languages/fill.js'
import type { Words } from '../languages/texts.js'
import { alertId, type Sayings } from './alert.js'
import { HiddenFields } from './layout.js'
import { attributes, html, type Markup } from './markup.js'
import { buttonColors, contrast } from './palette.js'
import { initial } from './signed-in-as.js'
import { imageUrl } from './theme.js'

/** A field of a credentials form, in the shape that Auth.js users declare. */
interface CredentialField {
  /** Defaults to the field's name. */
  label?: string | undefined
  /** The input's type, `text` by default. */
  type?: string | undefined
  placeholder?: string | undefined
  value?: string | undefined
  /** Guessed for passwords, user names and email addresses, so that password managers work. */
  autocomplete?: string | undefined
  required?: boolean | undefined
}

/** How a provider's button looks. */
interface ButtonStyle {
  /** `#rgb` or `#rrggbb`: the tile behind the initial, if there is no logo. */
  brandColor?: string | undefined
  /** An https URL or an inline `data:image/…`. */
  logo?: string | undefined
  /** `#rgb` or `#rrggbb`: the initial on that tile. */
  text?: string | undefined
  /** The provider's rules want "Sign in with …". */
  words?: 'continue' | 'sign-in' | undefined
}

/** Values of the page for every form on it. */
export interface FormProps {
  words: Words
  base: string
  csrfToken: string
  callbackUrl: string
  /** How fresh a sign-in was asked for. Seconds. */
  maxAge?: number | undefined
  /** How strong a sign-in was asked for. */
  acr?: string | undefined
  /** Does it add a way to sign in, for a signed-in user? */
  isAdding?: boolean
  /** The name of the signed-in user. */
  name?: string
  /** What shows that a person sends the form, if it needs one. */
  human?: Markup | undefined
  /** Are there further ways to sign in, on a page of their own? */
  hasOthers?: boolean
  /** Begins the ids of the form's fields. */
  idPrefix: string
  /** Is it the only way to sign in? */
  isOnly: boolean
  /** Has its button room for the provider's name alone? Screen readers read out the rest. */
  isShort?: boolean
  /** Does another form have the same button? */
  hasDouble: boolean
  /**
   * The credentials that a browser may offer in a field for an address or a name: {@link
   * FormByScript.offered}.
   */
  offered?: string | undefined
  /** Is a user signed in? They may sign in with another account. */
  isOther?: boolean
  /** Has this browser signed in by it last? */
  isLastUsed?: boolean
  /** The texts that the user has typed into its fields before, by the names of the fields. */
  typed?: Readonly<Record<string, string>> | undefined
  /** A public error word. */
  error: string | undefined
  code?: string | undefined
  /** The message about a mistake in the texts that the user has typed into this form. */
  said?: Markup | undefined
}

/** One way to sign in, as its kind shows it on the sign-in page. */
export interface ProviderForm {
  /** Buttons come first, in one stack; each form after them stands by itself. */
  place: 'button' | 'form'
  /** The text of the form's button, by its name. */
  submit?: 'submit' | 'sendLink'
  /** Opens the form, if it is folded since another one has more room. */
  unfold?: (words: Words) => string
  /** Opens the form on the page of an account, if it has fields. */
  adds?: (words: Words) => string
  /** The fields where a person types who they are. Left out: it has none. */
  names?: readonly string[]
  /** The texts that the user has typed there before, by the names of the fields. */
  typed?: Readonly<Record<string, string>> | undefined
  /** Left out: it works without. */
  script?: FormByScript
  /** Left out: a plain one. */
  mark?: () => Markup
  /** Says the browser that it has signed in by it last? */
  isLastUsed?: boolean
  /** Has the person an account of it among their ways to sign in? */
  isThere?: boolean
  markup: (props: FormProps) => Markup
  /**
   * The form for a new user, after all other forms.
   *
   * @param isAsked has the page a field where people type who they are?
   */
  signUp?: (props: FormProps, isAsked: boolean) => Markup
}

/**
 * The texts of a form that works by the page's script alone. It is hidden until the script shows
 * it.
 */
interface FormByScript {
  /** The texts of the script, by the names that it knows. */
  says(words: Words): Sayings
  /** The text that the page has until the script runs, if there is no other form. */
  missing(words: Words): string
  /** The token of `autocomplete` by which browsers offer it where a person types who they are. */
  readonly offered: string
}

export interface NamedProvider {
  readonly id: string
  readonly name: string
}

/** Is it hidden until the page's script shows it? */
export function byScript({ script }: ProviderForm): boolean {
  return script !== undefined
}

/** Hidden until the page's script shows it. The style sheet keeps its place, so that nothing moves then. */
export function ByScript(content: Markup): Markup {
  return html`<div hidden="" data-script="">${content}</div>`
}

/** Whether a page has a form with a script, or something that only the script tells the browser. Texts are escaped, so that no text looks like one. */
export function isScripted(page: Markup): boolean {
  return page.includes(' data-script="') || page.includes(' data-accepted="')
}

/** The texts for the script of a page with these forms. `undefined`: the page has no script. */
export function sayingsOf(forms: readonly ProviderForm[], words: Words): Sayings | undefined {
  const scripts = forms.flatMap(({ script = [] }) => script)
  return scripts.length > 0
    ? Object.assign({}, ...scripts.map((one) => one.says(words)))
    : undefined
}

/** One button that starts a sign-in at a provider of its own pages. */
export function buttonForm(
  provider: NamedProvider & { readonly style?: ButtonStyle | undefined },
): ProviderForm {
  const markup = (props: FormProps) => {
    // The owner of the mark wants it on a plain ground.
    const isFilled = props.isOnly && !imageUrl(provider.style?.logo, true)
    const { add, continueWith, submitWith } = props.words.texts.ways
    const signIn = provider.style?.words === 'sign-in' ? submitWith : continueWith
    const name = nameIn(props.words, provider.name)
    const text = fill(props.isAdding ? add : signIn, { name })
    const label = attributes({ 'aria-label': props.isShort && text })
    return html`
    <form method="post" action="${actionOf(props, provider, 'signin')}">
      ${HiddenFields(props)}
      ${props.isAdding && WhichProvider(provider)}
      ${Marked(
        props,
        html`
      <button class="${isFilled ? 'button main' : 'button'}" type="submit"${label}>
        ${Logo(provider)}
        <span>${props.isShort ? name : text}</span>
      </button>`,
      )}
    </form>`
  }
  return { place: 'button', mark: () => Logo(provider), markup }
}

/** The fields of a provider that declares none. */
export const USUAL_FIELDS: Readonly<
  Record<string, { readonly type?: string; readonly required: boolean }>
> = {
  username: { required: true },
  password: { type: 'password', required: true },
}

/** The fields of a credentials provider: as it declares them, or a user name and a password. */
export function passwordForm(
  provider: NamedProvider & {
    readonly credentials?: Readonly<Record<string, CredentialField>> | undefined
  },
): ProviderForm {
  const declaredFields = provider.credentials ?? USUAL_FIELDS
  const declared = Object.entries(declaredFields)
  const names = declared.flatMap(([name, field]) =>
    !isSecret(field) && isName(autocompleteOf(name, field)) ? name : [],
  )
  const markup = (props: FormProps) => {
    const { username, credentials: password } = props.words.texts.names
    const labels: Readonly<Record<string, string>> =
      declaredFields === USUAL_FIELDS ? { username, password } : {}
    const isRefused = props.error === 'CredentialsSignin' && props.code !== BAD_ADDRESS
    const describedBy = isRefused ? alertId : undefined
    const fields = declared.map(([name, field], index) =>
      Field({
        ...props,
        name,
        field: { label: labels[name], ...field },
        id: `${props.idPrefix}-${index}`,
        describedBy,
        isInvalid: isRefused && props.said !== undefined,
      }),
    )
    const { submit, submitWith } = props.words.texts.ways
    const label = props.hasDouble
      ? fill(submitWith, { name: nameIn(props.words, provider.name) })
      : submit
    return FieldsForm({ ...props, provider, route: 'callback', fields, submit: label })
  }
  return { place: 'form', submit: 'submit', unfold: unfolds(provider), names, markup }
}

/** The code for an invalid address. */
export const BAD_ADDRESS = 'invalid_address'

/** The one field of an email provider. */
export function addressForm(provider: NamedProvider): ProviderForm {
  const field = { type: 'email', autocomplete: 'email', required: true }
  const markup = (props: FormProps) => {
    const { address: label, sendLink, addAddress } = props.words.texts.ways
    const isInvalid = props.code === BAD_ADDRESS
    const fields = [
      props.isAdding && WhichProvider(provider),
      Field({
        ...props,
        name: 'email',
        field: { ...field, label },
        id: `${props.idPrefix}-0`,
        isInvalid,
        describedBy: isInvalid ? alertId : undefined,
      }),
    ]
    const submit = props.isAdding ? addAddress : sendLink
    return FieldsForm({ ...props, provider, route: 'signin', fields, submit })
  }
  const unfold = unfolds(provider)
  const adds = ({ texts }: Words) => texts.ways.addAddressOpen
  const names = ['email']
  return { place: 'form', submit: 'sendLink', unfold, adds, names, mark: Envelope, markup }
}

function unfolds({ name }: NamedProvider) {
  return (words: Words) => fill(words.texts.ways.submitWith, { name: nameIn(words, name) })
}

function FieldsForm(
  props: FormProps & {
    provider: NamedProvider
    route: 'callback' | 'signin'
    fields: (Markup | false | undefined)[]
    submit: string
  },
): Markup {
  const { provider, isAdding, isOther } = props
  const isMain = !isAdding && !isOther
  // A form called "Password" would have the name of its own field: its button names it.
  const name = props.route === 'signin' && nameIn(props.words, provider.name)
  const label = attributes({ 'aria-label': name })
  return html`
    <form class="${isAdding ? 'stack' : 'fields'}" method="post" action="${actionOf(props, provider, props.route)}"${label}>
      ${HiddenFields(props)}
      ${props.fields}${props.said}${props.human}
      ${Marked(
        props,
        html`
      <button class="${isMain ? 'button main' : 'button'}" type="submit">
        <span>${props.submit}</span>
      </button>`,
      )}
    </form>`
}

/** A button, with a mark if its way was used last. */
export function Marked({ words, isLastUsed }: FormProps, button: Markup): Markup {
  if (!isLastUsed) return button
  return html`
    <div class="marked">${button}<span class="here">${words.texts.signIn.lastUsed}</span></div>`
}

/** Every way is added at one route, whose form names the provider. */
function actionOf({ base, isAdding }: FormProps, { id }: NamedProvider, route: string): string {
  return isAdding ? `${base}/ways/add` : `${base}/${route}/${encodeURIComponent(id)}`
}

function WhichProvider({ id }: NamedProvider): Markup {
  return html`<input type="hidden" name="provider" value="${id}"/>`
}

function Field(props: {
  name: string
  field: CredentialField
  id: string
  describedBy?: string | undefined
  isInvalid?: boolean
  offered?: string | undefined
  typed?: Readonly<Record<string, string>> | undefined
}): Markup {
  const { name, field, id, typed } = props
  const type = field.type ?? 'text'
  const value = typed && Object.hasOwn(typed, name) ? typed[name] : field.value
  if (type === 'hidden') return html`<input${attributes({ type, name, value })}/>`
  const autocomplete = autocompleteOf(name, field)
  const input = attributes({
    id,
    name,
    type,
    value,
    placeholder: field.placeholder,
    required: field.required === true,
    autocomplete:
      props.offered && isName(autocomplete) ? `${autocomplete} ${props.offered}` : autocomplete,
    // A phone's keyboard would otherwise capitalise a user name.
    autocapitalize: autocomplete === 'username' ? 'none' : undefined,
    'aria-describedby': props.describedBy,
    'aria-invalid': props.isInvalid ? 'true' : undefined,
  })
  return html`
    <div>
      <label for="${id}">${field.label ?? name}</label>
      <input${input}/>
    </div>`
}

function autocompleteOf(
  name: string,
  { autocomplete, type = 'text' }: CredentialField,
): string | undefined {
  if (autocomplete !== undefined) return autocomplete
  if (type === 'password') return 'current-password'
  return type === 'email' || /^(?:user(?:[-_ ]?name)?|e-?mail|login)$/i.test(name)
    ? 'username'
    : undefined
}

function isSecret({ type }: CredentialField): boolean {
  return type === 'hidden' || type === 'password'
}

function isName(autocomplete: string | undefined): boolean {
  return autocomplete === 'username' || autocomplete === 'email'
}

/** A logo lies on a white tile, since most are drawn for white and the button may be dark. */
function Logo({ name, style }: Parameters<typeof buttonForm>[0]): Markup {
  const logo = imageUrl(style?.logo, true)
  if (logo) return html`<img class="logo" src="${logo}" alt="" width="28" height="28"/>`
  const colors = buttonColors(style?.brandColor, style?.text)
  if (!colors) return PlainMark()
  return html`
    <svg class="logo" viewBox="0 0 28 28" aria-hidden="true">
      ${Tile({ ...colors, letter: initial(name) })}
    </svg>`
}

/** About the ground of a button in the dark: a tile like it has an edge, by which it is seen. */
const DARK_CARD = '#181b21'

function Tile({ fill, text, letter }: { fill: string; text: string; letter: string }): Markup {
  const ring = contrast(fill, DARK_CARD) < 3 && html` class="ring"`
  return html`
    <rect width="28" height="28" fill="${fill}"${ring}/>
    <text x="14" y="19" text-anchor="middle" font-size="15" font-weight="650"
      fill="${text}">${letter}</text>`
}

/**
 * A picture in one line, in the color of the text; it turns with the direction of texts if it
 * points along.
 */
export function LineMark(path: string, isTurning = false): Markup {
  return html`
    <svg class="logo"${isTurning && html` data-turns=""`} viewBox="0 0 28 28" aria-hidden="true">
      <path d="${path}" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"/>
    </svg>`
}

/** A door, for a way to sign in that has no picture of its own. */
export function PlainMark(): Markup {
  return LineMark('M15 7h5a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2h-5M6 14h10m-4-4 4 4-4 4', true)
}

function Envelope(): Markup {
  return LineMark('M5 8h18v12H5zm0 .5 9 6.5 9-6.5')
}
