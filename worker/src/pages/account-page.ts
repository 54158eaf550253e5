import type { Words } from '../languages/words.js'
import { type PageSession, Sessions } from './account-sessions.js'
import { type PageWay, Ways } from './account-ways.js'
import { QuietAlert } from './alert.js'
import { BackLink } from './back-link.js'
import { FactorSection } from './factor-section.js'
import { Card } from './layout.js'
import { attributes, html, type Markup } from './markup.js'
import { byScript, type ProviderForm } from './provider-forms.js'
import { SignOutForm } from './sign-out-page.js'
import { type PageUser, SignedInAs } from './signed-in-as.js'
import type { Theme } from './theme.js'
import { hasTimes, InUtc } from './time.js'

/** A part of the account page that has an address of its own below it. */
export type AccountSection = 'sessions' | 'ways' | 'passkeys' | 'security'

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
  /** The only one that is shown; left out: all are. What others would show may be left empty. */
  section?: AccountSection | undefined
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
  /** The app's own page. */
  app?: string | undefined
}

/** The signed-in person, and all that is theirs, or one section of it. */
export function AccountPage(props: AccountPageProps): Markup {
  const { words, base, csrfToken, user, section } = props
  const sections = sectionsOf(props)
  const shown = section ? [section] : sections
  const parts = shown.map((one) => Section(one, props))
  return Card({
    theme: props.theme,
    isWide: true,
    title: accountTitle(words, section),
    content: html`
      ${SignedInAs({
        words,
        user,
        action: SignOutForm({ words, base, csrfToken, callbackUrl: `${base}/signin` }),
      })}
      <nav class="tabs" aria-label="${words.texts.account.sections}">
        ${Tab(words.texts.account.overview, `${base}/account`, !section)}
        ${sections.map((one) => Tab(tabOf(words, one), `${base}/account/${one}`, one === section))}
      </nav>
      ${parts}${parts.some(hasTimes) && InUtc(words)}
      ${BackLink({ theme: props.theme, words, home: props.app })}`,
  })
}

/** What the page of an account, or of a section of it, is called. */
export function accountTitle(words: Words, section: AccountSection | undefined): string {
  const { account } = words.texts
  if (section === undefined) return account.title
  return section === 'sessions' ? account.sessions : tabOf(words, section)
}

function tabOf({ texts: { account } }: Words, section: AccountSection): string {
  return section === 'sessions' ? account.devices : account[section]
}

/** Without the provider there are none to add, and those that there are stand among the other ways. */
function sectionsOf({ addable }: AccountPageProps): readonly AccountSection[] {
  const passkeys = addable.some(byScript) ? (['passkeys'] as const) : []
  return ['sessions', 'ways', ...passkeys, 'security']
}

function Tab(text: string, href: string, isHere: boolean): Markup {
  return html`<a href="${href}"${attributes({ 'aria-current': isHere && 'page' })}>${text}</a> `
}

function Section(section: AccountSection, props: AccountPageProps): Markup {
  const { words } = props
  // It has headings of its own.
  if (section === 'security') return Security(props)
  const content = section === 'sessions' ? Sessions(withBack(props)) : SectionOfWays(section, props)
  if (props.section) return html`<div class="part">${content}</div>`
  return html`
    <section class="part" aria-labelledby="${section}">
      <h2 id="${section}">${accountTitle(words, section)}</h2>
      ${content}
    </section>`
}

/** The forms of a section lead back to it, those of the whole page to that. */
function withBack<Props extends AccountPageProps>(props: Props) {
  return { ...props, back: props.section && props.callbackUrl }
}

function SectionOfWays(section: 'ways' | 'passkeys', props: AccountPageProps): Markup {
  const { words, user, accepted } = props
  const isApart = sectionsOf(props).includes('passkeys')
  const isHere = (isPasskey: boolean) => !isApart || isPasskey === (section === 'passkeys')
  const ways = props.ways.filter(({ passkey }) => isHere(passkey !== undefined))
  const content = html`
    ${section === 'passkeys' && ways.length === 0 && html`<p class="dim">${words.texts.account.noPasskeys}</p>`}
    ${Ways({
      ...withBack(props),
      name: typeof user.name === 'string' ? user.name : '',
      ways,
      isOnly: props.ways.length === 1 && ways.length === 1,
      addable: props.addable.filter((form) => isHere(byScript(form))),
      idPrefix: `add-${section}`,
    })}`
  if (section === 'ways') return content
  // What goes wrong is said where the button is, since the page may be long.
  return html`<div class="part"${attributes({ 'data-accepted': accepted && JSON.stringify(accepted) })}>${QuietAlert(words)}${content}</div>`
}

function Security(props: AccountPageProps): Markup {
  const { words, base, csrfToken, home } = props
  return html`${FactorSection(withBack(props))}${home && DeleteForm({ words, base, csrfToken, home })}`
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
    <section class="part" aria-labelledby="delete">
      <h2 id="delete">${account.delete}</h2>
      <details>
        <summary class="button bad"><span>${account.deleteOpen}</span></summary>
        <form class="sure" method="post" action="${props.base}/account/delete">
          <p>${account.deleteWarning}</p>
          <input type="hidden" name="csrfToken" value="${props.csrfToken}"/>
          <input type="hidden" name="callbackUrl" value="${props.home}"/>
          <button class="button bad" type="submit"><span>${account.deleteSubmit}</span></button>
        </form>
      </details>
    </section>`
}
