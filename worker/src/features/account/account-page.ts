import type { Words } from '../../languages/texts.js'
import { Alert, QuietAlert } from '../../pages/alert.js'
import { signInText } from '../../pages/error-texts.js'
import { BackLink, Card } from '../../pages/layout.js'
import { attributes, html, type Markup } from '../../pages/markup.js'
import { sayingsOf } from '../../pages/provider-forms.js'
import { SignOutForm } from '../../pages/sign-out-page.js'
import { type PageUser, SignedInAs } from '../../pages/signed-in-as.js'
import type { Theme } from '../../pages/theme.js'
import { hasTimes, InUtc } from '../../pages/time.js'
import type { SectionPlace } from '../../service/account-hooks.js'
import { type PageSession, Sessions } from './account-sessions.js'
import { type PageWay, type WayForm, Ways } from './account-ways.js'

/** A section that lists ways of a kind. */
interface KindSection {
  readonly name: string
  readonly title: string
  /** For a person who has none. */
  readonly none: string
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
  section?: string | undefined
  /** Sections of ways of a kind, if they can be added. */
  kinds?: readonly KindSection[]
  /** Sections of other features, which have addresses of their own. */
  further?: readonly { readonly name: string; readonly title: string }[]
  /** The one of them that is shown. */
  shown?: { readonly name: string; readonly content: Markup }
  /** The current one first. */
  sessions: readonly PageSession[]
  ways: readonly PageWay[]
  /** The check that a person, and not a program, sends a form that needs it. */
  human?: Markup | undefined
  /** The form of each provider that can be added. */
  addable: readonly WayForm[]
  /** The parts of features in the section about security. */
  protections?: ((place: SectionPlace) => readonly Markup[]) | undefined
  /** The error of a failed addition: a public error word, and its code. */
  error?: string | undefined
  code?: string | undefined
  /** The address of this page. */
  callbackUrl: string
  /** The passkeys that still sign in, which the page's script reports to the browser. */
  accepted?: readonly object[]
  /** The page after the deletion of the account; absent if people cannot delete theirs. */
  home?: string | undefined
  /** The app's own page. */
  app?: string | undefined
}

/** The signed-in person with a summary of their account, or one whole section of it. */
export function AccountPage(props: AccountPageProps): Markup {
  const { words, base, csrfToken, user, section, further = [], shown } = props
  const isOverview = !section && !shown
  const content = shown?.content ?? (section ? Section(section, props) : Overview(props))
  const title = further.find(({ name }) => name === shown?.name)?.title
  return Card({
    theme: props.theme,
    isWide: true,
    title: title ?? accountTitle(props),
    content: html`
      ${SignedInAs({
        words,
        user,
        isLarge: isOverview,
        action: SignOutForm({ words, base, csrfToken, callbackUrl: `${base}/signin` }),
      })}
      <nav class="tabs" aria-label="${words.texts.account.sections}">
        ${Tab(words.texts.account.overview, `${base}/account`, isOverview)}
        ${tabsOf(props).map(([name, text]) => Tab(text, `${base}/account/${name}`, name === section))}
        ${further.map((one) => Tab(one.title, `${base}/account/${one.name}`, one.name === shown?.name))}
      </nav>
      ${content}${hasTimes(content) && InUtc(words)}
      ${BackLink({ theme: props.theme, words, home: props.app })}`,
  })
}

/** The title of the account page, or of one of its sections. */
export function accountTitle(props: Pick<AccountPageProps, 'words' | 'kinds' | 'section'>): string {
  const { account } = props.words.texts
  switch (props.section) {
    case undefined:
      return account.title
    case 'sessions':
    case 'ways':
    case 'security':
      return account[props.section]
    default:
      return props.kinds?.find(({ name }) => name === props.section)?.title ?? account.title
  }
}

function tabsOf({ words, kinds = [], protections, home }: AccountPageProps): [string, string][] {
  const { account } = words.texts
  return [
    ['sessions', account.devices],
    ['ways', account.ways],
    ...kinds.map(({ name, title }): [string, string] => [name, title]),
    ...(protections || home ? ([['security', account.security]] as [string, string][]) : []),
  ]
}

function Tab(text: string, href: string, isHere: boolean): Markup {
  return html`<a href="${href}"${attributes({ 'aria-current': isHere && 'page' })}>${text}</a> `
}

function Section(section: string, props: AccountPageProps): Markup {
  // It has headings of its own.
  if (section === 'security') return Security(props)
  const content = section === 'sessions' ? Sessions(withBack(props)) : SectionOfWays(section, props)
  return html`<div class="part">${content}</div>`
}

/** A line for each session and way; the rest is on the pages to which the headings lead. */
function Overview(props: AccountPageProps): Markup {
  const { words, base } = props
  const Part = (section: 'sessions' | 'ways', content: Markup) => html`
    <section class="part" aria-labelledby="${section}">
      <h2 id="${section}"><a href="${base}/account/${section}">${accountTitle({ words, section })}</a></h2>
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
    ${Part('ways', WithWords(props, ways))}
    ${Security(props, `${base}/account/security`)}`
}

function nameOfUser({ user: { name } }: AccountPageProps): string {
  return typeof name === 'string' ? name : ''
}

/** The forms of a section lead back to it, and those of the whole page back to the page. */
function withBack<Props extends AccountPageProps>(props: Props) {
  return { ...props, back: props.section && props.callbackUrl }
}

/** @param section `ways`, or that of a kind */
function SectionOfWays(section: string, props: AccountPageProps): Markup {
  const kind = props.kinds?.find(({ name }) => name === section)
  const isHere = (one: { section?: string | undefined }) => (one.section ?? 'ways') === section
  const ways = props.ways.filter(isHere)
  const addable = props.addable.filter(isHere)
  const content = html`
    ${kind && ways.length === 0 && html`<p class="dim">${kind.none}</p>`}
    ${Ways({
      ...withBack(props),
      name: nameOfUser(props),
      ways,
      isOnly: props.ways.length === 1 && ways.length === 1,
      addable,
      idPrefix: `add-${section}`,
    })}`
  return WithWords({ ...props, addable }, content)
}

/** The error of a script's form stands beside its button, since the page may be long. */
function WithWords(props: AccountPageProps, content: Markup): Markup {
  const { words, accepted = [], error, code } = props
  const sayings = sayingsOf(props.addable, words)
  const said = error !== undefined && Alert(signInText(words, error, code), sayings)
  if (!sayings) return html`${said}${content}`
  const data = accepted.length > 0 && JSON.stringify(accepted)
  return html`<div class="part"${attributes({ 'data-accepted': data })}>${said || QuietAlert(sayings)}${content}</div>`
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
