import { fill, fillList, fillParts } from '../languages/fill.js'
import type { Words } from '../languages/words.js'
import { QuietAlert } from './alert.js'
import { FactorSection } from './factor-section.js'
import { Card, HiddenFields } from './layout.js'
import { attributes, html, type Markup } from './markup.js'
import { byScript, type ProviderForm } from './provider-forms.js'
import { SignOutForm } from './sign-out-page.js'
import { type PageUser, SignedInAs } from './signed-in-as.js'
import type { Theme } from './theme.js'

/** A session as the account page shows it. Times are ISO 8601. */
interface PageSession {
  id: string
  current: boolean
  /** Name of the provider that was used. */
  provider: string
  /** Such as `Firefox on Windows`. */
  device: string
  place: string | null
  created: string
  lastUsed: string
}

/** A way to sign in as the account page shows it. */
interface PageWay {
  id: string
  current: boolean
  /** Name of its provider. */
  provider: string
  /** What the provider calls the person, or the address with most of it hidden. */
  name: string | null
  added: string | null
  lastUsed: string | null
  /** Of a passkey alone, which its person may name. */
  passkey?: { readonly isSynced: boolean } | undefined
}

/** What a browser tells a password manager. Ids are in base64url. */
interface AcceptedPasskeys {
  readonly rpId: string
  readonly userId: string
  readonly allAcceptedCredentialIds: readonly string[]
}

/** The contents of the account page. Every string may be hostile. */
export interface AccountPageProps {
  theme: Theme
  words: Words
  /** The base path, such as `/auth`. */
  base: string
  csrfToken: string
  user: PageUser
  /** The current one first. */
  sessions: readonly PageSession[]
  ways: readonly PageWay[]
  /** What shows that a person sends a form that needs one. */
  human?: Markup | undefined
  /** Of each provider that can be added. */
  addable: readonly ProviderForm[]
  /** That are left to who has a second factor. */
  recoveryCodes?: number | undefined
  /** The address of this page. */
  callbackUrl: string
  /**
   * Of each user handle that the person's passkeys have, the ids of those that still sign in: for password managers
   * (WebAuthn Level 3, section 5.1.10.2).
   */
  accepted?: readonly AcceptedPasskeys[]
  /** Where whoever has deleted their account goes; absent where nobody can. */
  home?: string | undefined
}

/** The signed-in person, and all their sessions. */
export function AccountPage(props: AccountPageProps): Markup {
  const { words, base, csrfToken, user, sessions } = props
  const { account } = words.texts
  const revoke = (session: string, text: string, label?: string) =>
    RevokeForm({ base, csrfToken, session, text, label })
  return Card({
    theme: props.theme,
    title: account.title,
    content: html`${props.addable.some(byScript) && QuietAlert(words)}
      ${SignedInAs({
        words,
        user,
        action: SignOutForm({ words, base, csrfToken, callbackUrl: `${base}/signin` }),
      })}
      <h2>${account.sessions}</h2>
      <ul class="stack sessions" role="list">
        ${sessions.map((session) => Session(session, words, revoke))}
      </ul>
      <div class="stack">
        ${sessions.length > 1 && revoke('others', account.signOutOthers)}
        ${revoke('all', account.signOutAll)}
      </div>
      <h2>${account.ways}</h2>
      <div class="stack"${attributes({ 'data-accepted': props.accepted && JSON.stringify(props.accepted) })}>
        ${props.ways.map((way) => Way(way, props))}
      </div>
      ${props.ways.length === 1 && props.ways[0]?.passkey && OnlyPasskey(words)}
      <div class="stack">
        ${passkeysFirst(props.addable).map((form, index) => AddForm(form, index, props))}
      </div>
      ${FactorSection(props)}
      ${props.home && DeleteForm({ words, base, csrfToken, home: props.home })}`,
  })
}

/** Recovery codes are no help there: they are a second factor, and this is the first. */
function OnlyPasskey({ texts }: Words): Markup {
  return html`
    <p class="mid" role="note">
      <strong>${texts.account.onlyPasskey}</strong> ${texts.account.onlyPasskeyAdvice}
    </p>`
}

function Way(way: PageWay, props: AccountPageProps): Markup {
  const { id, provider, name, current, passkey } = way
  const { words, base, csrfToken } = props
  const { account } = words.texts
  // Many passkeys are called no more than that.
  const about = fillList(words, provider, name === provider ? null : name)
  const shown = html`
      <div>
        <strong>${(passkey && name) || provider}</strong> ${current && html`<span class="here">${account.usedNow}</span>`}
        ${passkey ? Where(passkey, words) : name && html`<p class="dim">${name}</p>`}
        ${(way.added || way.lastUsed) && html`<p class="dim">${Days(way, words)}</p>`}
      </div>`
  return html`
    <div class="session" role="group" aria-label="${about}">${passkey ? html`<div class="stack">${shown}${RenameForm(way, props)}</div>` : shown}
      <form method="post" action="${base}/ways/remove">
        <input type="hidden" name="csrfToken" value="${csrfToken}"/>
        <input type="hidden" name="way" value="${id}"/>
        <button class="button" type="submit" aria-label="${fill(account.removeWay, { way: about })}"><span>${account.remove}</span></button>
      </form>
    </div>`
}

function Where({ isSynced }: { readonly isSynced: boolean }, { texts }: Words): Markup {
  const { synced, onOneDevice } = texts.account
  return html`<p class="dim">${isSynced ? synced : onOneDevice}</p>`
}

function RenameForm(
  { id, name }: PageWay,
  { words, base, csrfToken, callbackUrl }: AccountPageProps,
): Markup {
  const { account } = words.texts
  return html`
    <details>
      <summary class="button"><span>${account.renameOpen}</span></summary>
      <form class="stack" method="post" action="${base}/ways/rename">
        ${HiddenFields({ csrfToken, callbackUrl })}
        <input type="hidden" name="way" value="${id}"/>
        <input name="name" value="${name}" aria-label="${account.passkeyName}" maxlength="64" required="" autocomplete="off"/>
        <button class="button" type="submit"><span>${account.rename}</span></button>
      </form>
    </details>`
}

function Days(
  { added, lastUsed }: Pick<PageWay, 'added' | 'lastUsed'>,
  { texts: { account } }: Words,
): Markup {
  const day = (time: string) => ({ time: Time(time, time.slice(0, 10)) })
  return html`
    ${added && fillParts(account.since, day(added))}
    ${added && lastUsed && html`<br/>`}
    ${lastUsed && fillParts(account.lastUsed, day(lastUsed))}`
}

/** Their button would look like one of the form before it. */
function passkeysFirst(forms: readonly ProviderForm[]): readonly ProviderForm[] {
  return [...forms.filter(byScript), ...forms.filter((form) => !byScript(form))]
}

function AddForm(
  { markup }: ProviderForm,
  index: number,
  { words, base, csrfToken, callbackUrl, human, user }: AccountPageProps,
): Markup {
  const idPrefix = `add-${index}`
  const shown = { isAdding: true, isOnly: false, hasDouble: false, error: undefined }
  const name = typeof user.name === 'string' ? user.name : ''
  return markup({ words, base, csrfToken, callbackUrl, human, idPrefix, name, ...shown })
}

/** Two steps, so that no single click deletes an account. */
function DeleteForm(props: {
  words: Words
  base: string
  csrfToken: string
  home: string
}): Markup {
  const { account } = props.words.texts
  return html`
    <h2>${account.delete}</h2>
    <details>
      <summary class="button"><span>${account.deleteOpen}</span></summary>
      <form class="stack" method="post" action="${props.base}/account/delete">
        <p class="dim mid">${account.deleteWarning}</p>
        <input type="hidden" name="csrfToken" value="${props.csrfToken}"/>
        <input type="hidden" name="callbackUrl" value="${props.home}"/>
        <button class="button bad" type="submit"><span>${account.deleteSubmit}</span></button>
      </form>
    </details>`
}

function Session(
  { device, place, provider, created, lastUsed, current, id }: PageSession,
  words: Words,
  revoke: (session: string, text: string, label: string) => Markup,
): Markup {
  const { account } = words.texts
  const session = fillList(words, fillList(words, device, place), minute(created))
  return html`
    <li class="session">
      <div>
        <strong>${device}</strong> ${current && html`<span class="here">${account.thisDevice}</span>`}
        <p class="dim">${place && `${place} · `}${provider}</p>
        <p class="dim">
          ${fillParts(account.since, { time: Time(created, minute(created)) })}<br/>
          ${fillParts(account.lastUsed, { time: Time(lastUsed, lastUsed.slice(0, 10)) })}
        </p>
      </div>
      ${!current && revoke(id, account.signOut, fill(account.signOutOf, { session }))}
    </li>`
}

function RevokeForm(props: {
  base: string
  csrfToken: string
  /** An id, `others` or `all`. */
  session: string
  text: string
  /** Names the session that is signed out, for screen readers. */
  label?: string | undefined
}): Markup {
  return html`
    <form method="post" action="${props.base}/sessions/revoke">
      <input type="hidden" name="csrfToken" value="${props.csrfToken}"/>
      <input type="hidden" name="session" value="${props.session}"/>
      <button class="button" type="submit"${attributes({ 'aria-label': props.label })}>
        <span>${props.text}</span>
      </button>
    </form>`
}

function Time(time: string, text: string): Markup {
  return html`<time datetime="${time}">${text}</time>`
}

/** `2026-11-21 14:05 UTC`: the page does not know the reader's time zone. */
function minute(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}
