import type { SessionClaims } from '@latchkey/session'
import type { SafeRedirect } from '../../config/safe-redirect.js'
import { tooManyAttempts } from '../../http/limits.js'
import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { resolveCallbackUrl } from '../../http/targets.js'
import { fill } from '../../languages/fill.js'
import { Alert, alertId } from '../../pages/alert.js'
import { AskFirst } from '../../pages/ask-first.js'
import { signInText } from '../../pages/error-texts.js'
import { attributes, html, type Markup } from '../../pages/markup.js'
import { readPerson } from '../../person/documents.js'
import type { SectionPlace } from '../../service/account-hooks.js'
import { sectionOfFeature } from '../account/route.js'
import { passwordOf } from './kept-password.js'
import { hasProvedOtherwise } from './own-post.js'
import { askerIn } from './person-password.js'
import { passwordSettings } from './settings.js'

interface Said {
  readonly error: string
  readonly code: string | undefined
}

/** What the answer to a POST says, by its request. */
const said = new WeakMap<AuthRequest, Said>()

/** The section as the answer to a POST. */
function showSection(request: AuthRequest, what: Said): Promise<Outcome> {
  said.set(request, what)
  return sectionOfFeature(request, 'password')
}

/** The section again, to which the answer is 429. @param wait seconds */
export function tooManyTries(
  request: AuthRequest,
  page: SafeRedirect,
  wait: number,
): Promise<Outcome> {
  const show = () => showSection(request, { error: 'CredentialsSignin', code: 'rate_limited' })
  return tooManyAttempts(request, wait, page, show)
}

/** The section of the account page: set, change, remove. */
export async function passwordSection(
  request: AuthRequest,
  claims: SessionClaims,
  place: SectionPlace,
): Promise<Markup> {
  const { query } = request
  const read = await readPerson(request, claims.sub)
  const { address } = await askerIn(request, claims, read)
  const error = query.get('error')
  const what =
    said.get(request) ??
    (error === null ? undefined : { error, code: query.get('code') ?? undefined })
  const asked = query.get('callbackUrl')
  return PasswordSection({
    ...place,
    ...what,
    address,
    hasPassword: passwordOf(read.person) !== undefined,
    needsCurrent: passwordOf(read.person) !== undefined && !hasProvedOtherwise(request, claims),
    minLength: passwordSettings(request).minLength,
    target: asked === null ? undefined : await resolveCallbackUrl(request, asked),
  })
}

interface PasswordSectionProps extends SectionPlace {
  /** The address that a password manager keeps it for. `undefined`: the person can have none. */
  readonly address: string | undefined
  readonly hasPassword: boolean
  readonly needsCurrent: boolean
  readonly minLength: number
  /** The page after it, if a sign-in has led here. */
  readonly target?: string | undefined
  /** A public error word. */
  readonly error?: string | undefined
  readonly code?: string | undefined
}

export function PasswordSection(props: PasswordSectionProps): Markup {
  const { words, base, csrfToken, address, error, target, needsCurrent } = props
  const { password: texts, errors } = words.texts
  // On the sign-in page a code of this name is an app's own, which must not tell what was wrong.
  const isCurrent = props.code === 'wrong_password'
  const alert =
    error !== undefined &&
    Alert(isCurrent ? errors.wrongPassword : signInText(words, error, props.code))
  if (address === undefined)
    return html`<div class="part">${alert || html`<p class="dim">${errors.noAddress}</p>`}</div>`
  const wrong = isCurrent ? 'current' : 'password'
  const isRefused = error === 'CredentialsSignin' && (!isCurrent || needsCurrent)
  const field = (name: 'current' | 'password', label: string, more: object) => {
    const isInvalid = isRefused && name === wrong
    const input = attributes({
      id: name,
      name,
      type: 'password',
      required: true,
      ...more,
      'aria-invalid': isInvalid ? 'true' : undefined,
      'aria-describedby': isInvalid ? alertId : undefined,
    })
    return html`<div><label for="${name}">${label}</label><input${input}/></div>${isInvalid && alert}`
  }
  return html`
    <div class="part">
      ${!isRefused && alert}
      ${!props.hasPassword && html`<p class="dim">${texts.none}</p>`}
      <form class="stack" method="post" action="${base}/password/set">
        <input type="hidden" name="csrfToken" value="${csrfToken}"/>
        ${target !== undefined && html`<input type="hidden" name="callbackUrl" value="${target}"/>`}
        <div>
          <label for="email">${words.texts.ways.address}</label>
          <input id="email" name="email" type="email" value="${address}" readonly="" autocomplete="username"/>
        </div>
        ${needsCurrent && field('current', texts.current, { autocomplete: 'current-password' })}
        ${field('password', texts.new, {
          autocomplete: 'new-password',
          minlength: String(props.minLength),
          passwordrules: `minlength: ${props.minLength};`,
        })}
        <p class="dim">${fill(texts.rule, { count: props.minLength })} ${props.hasPassword && texts.others}</p>
        <button class="button main" type="submit"><span>${texts.save}</span></button>
      </form>
      ${target !== undefined && html`<p class="mid back"><a href="${target}">${texts.notNow}</a></p>`}
      ${needsCurrent && html`<p class="mid back"><a href="${base}/password">${texts.forgot}</a></p>`}
      ${props.hasPassword && Remove(props)}
    </div>`
}

function Remove({ words, base, csrfToken, needsCurrent }: PasswordSectionProps): Markup {
  const { password: texts } = words.texts
  return AskFirst({
    words,
    id: 'remove-password',
    text: texts.remove,
    warning: texts.removeWarning,
    action: `${base}/password/remove`,
    fields: html`
      <input type="hidden" name="csrfToken" value="${csrfToken}"/>
      ${
        needsCurrent &&
        html`<div><label for="current-to-remove">${texts.current}</label>
        <input id="current-to-remove" name="current" type="password" required="" autocomplete="current-password"/></div>`
      }`,
  })
}
