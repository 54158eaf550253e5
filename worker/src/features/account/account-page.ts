import type { Words } from '../../languages/texts.js'
import { Alert, QuietAlert } from '../../pages/alert.js'
import { BackLink } from '../../pages/back-link.js'
import { signInText } from '../../pages/error-texts.js'
import { Card } from '../../pages/layout.js'
import { attributes, html, type Markup } from '../../pages/markup.js'
import { byScript, type ProviderForm } from '../../pages/provider-forms.js'
import { SignOutForm } from '../../pages/sign-out-page.js'
import { type PageUser, SignedInAs } from '../../pages/signed-in-as.js'
import type { Theme } from '../../pages/theme.js'
import { hasTimes, InUtc } from '../../pages/time.js'
import type { SectionPlace } from '../../service/request-hooks.js'
import { type PageSession, Sessions } from './account-sessions.js'
import { type PageWay, Ways } from './account-ways.js'

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
  /** The only section that is shown; left out: all are. Data for the others may be left empty. */
  section?: AccountSection | undefined
  /** Sections of other features, which have addresses of their own. */
  further?: readonly { readonly name: string; readonly title: string }[]
  /** The one of them that is shown. */
  shown?: { readonly name: string; readonly content: Markup }
  /** The current one first. */
  sessions: readonly PageSession[]
  ways: readonly PageWay[]
  /** What shows that a person sends a form that needs one. */
  human?: Markup | undefined
  /** The form of each provider that can be added. */
  addable: readonly ProviderForm[]
  /** What features say in the section about security. Left out: nothing. */
  protections?: ((place: SectionPlace) => readonly Markup[]) | undefined
  /** The error of a failed addition: a public error word, and its code. */
  error?: string | undefined
  code?: string | undefined
  /** The address of this page. */
  callbackUrl: string
  /**
   * For each user handle of the person's passkeys, the ids of the passkeys that still sign in: for
   * password managers (WebAuthn Level 3, section 5.1.10.2).
   */
  accepted?: readonly AcceptedPasskeys[]
  /** The page after the deletion of the account; absent if people cannot delete theirs. */
  home?: string | undefined
  /** The app's own page. */
  app?: string | undefined
}

/** The signed-in person with a summary of what is theirs, or one section of it whole. */
export function AccountPage(props: AccountPageProps): Markup {
  const { words, base, csrfToken, user, section, further = [], shown } = props
  const sections = sectionsOf(props)
  const isOverview = !section && !shown
  const content = shown?.content ?? (section ? Section(section, props) : Overview(props))
  const title = further.find(({ name }) => name === shown?.name)?.title
  return Card({
    theme: props.theme,
    isWide: true,
    title: title ?? accountTitle(words, section),
    content: html`
      ${SignedInAs({
        words,
        user,
        isLarge: isOverview,
        action: SignOutForm({ words, base, csrfToken, callbackUrl: `${base}/signin` }),
      })}
      <nav class="tabs" aria-label="${words.texts.account.sections}">
        ${Tab(words.texts.account.overview, `${base}/account`, isOverview)}
        ${sections.map((one) => Tab(tabOf(words, one), `${base}/account/${one}`, one === section))}
        ${further.map((one) => Tab(one.title, `${base}/account/${one.name}`, one.name === shown?.name))}
      </nav>
      ${content}${hasTimes(content) && InUtc(words)}
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
function sectionsOf({ addable, protections, home }: AccountPageProps): readonly AccountSection[] {
  const passkeys = addable.some(byScript) ? (['passkeys'] as const) : []
  const security = protections || home ? (['security'] as const) : []
  return ['sessions', 'ways', ...passkeys, ...security]
}

function Tab(text: string, href: string, isHere: boolean): Markup {
  return html`<a href="${href}"${attributes({ 'aria-current': isHere && 'page' })}>${text}</a> `
}

function Section(section: AccountSection, props: AccountPageProps): Markup {
  // It has headings of its own.
  if (section === 'security') return Security(props)
  const content = section === 'sessions' ? Sessions(withBack(props)) : SectionOfWays(section, props)
  return html`<div class="part">${content}</div>`
}

/** What there is, in a line each; the rest is on the pages to which the headings lead. */
function Overview(props: AccountPageProps): Markup {
  const { words, base } = props
  const Part = (section: 'sessions' | 'ways', content: Markup) => html`
    <section class="part" aria-labelledby="${section}">
      <h2 id="${section}"><a href="${base}/account/${section}">${accountTitle(words, section)}</a></h2>
      ${content}
    </section>`
  const ways = Ways({
    ...props,
    name: nameOfUser(props),
    isOnly: props.ways.length === 1,
    idPrefix: 'add',
    isBrief: true,
  })
  return html`
    ${Part('sessions', Sessions({ ...props, isBrief: true }))}
    ${Part('ways', props.addable.some(byScript) ? WithPasskeys(props, ways) : html`${Said(props)}${ways}`)}
    ${Security(props, `${base}/account/security`)}`
}

function nameOfUser({ user: { name } }: AccountPageProps): string {
  return typeof name === 'string' ? name : ''
}

/** The forms of a section lead back to it, those of the whole page to that. */
function withBack<Props extends AccountPageProps>(props: Props) {
  return { ...props, back: props.section && props.callbackUrl }
}

function SectionOfWays(section: 'ways' | 'passkeys', props: AccountPageProps): Markup {
  const { words } = props
  const isApart = sectionsOf(props).includes('passkeys')
  const isHere = (isPasskey: boolean) => !isApart || isPasskey === (section === 'passkeys')
  const ways = props.ways.filter(({ passkey }) => isHere(passkey !== undefined))
  const content = html`
    ${section === 'passkeys' && ways.length === 0 && html`<p class="dim">${words.texts.account.noPasskeys}</p>`}
    ${Ways({
      ...withBack(props),
      name: nameOfUser(props),
      ways,
      isOnly: props.ways.length === 1 && ways.length === 1,
      addable: props.addable.filter((form) => isHere(byScript(form))),
      idPrefix: `add-${section}`,
    })}`
  return section === 'ways' ? html`${Said(props)}${content}` : WithPasskeys(props, content)
}

/** The error of a passkey stands where the button is, since the page may be long. */
function WithPasskeys(props: AccountPageProps, content: Markup): Markup {
  const { words, accepted } = props
  return html`<div class="part"${attributes({ 'data-accepted': accepted && JSON.stringify(accepted) })}>${Said(props, words) || QuietAlert(words)}${content}</div>`
}

/** @param script the words of a page whose script may say something in its place */
function Said({ words, error, code }: AccountPageProps, script?: Words): Markup | false {
  return error !== undefined && Alert(signInText(words, error, code), script)
}

/** @param href the page of its own, on any other one */
function Security(props: AccountPageProps, href?: string): Markup {
  const { words, base, csrfToken, home } = props
  const { back } = withBack(props)
  const parts = props.protections?.({ words, base, csrfToken, back, href })
  return html`${parts}${home && DeleteForm({ words, base, csrfToken, home })}`
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
