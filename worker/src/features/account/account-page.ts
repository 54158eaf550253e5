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
import type { AccountSection, SectionPlace } from '../../service/account-hooks.js'
import type { ProviderType } from '../../types.js'
import { type PageSession, Sessions, SessionsAtAGlance, SignOutOthers } from './account-sessions.js'
import { type PageWay, type WayForm, Ways, WaysAtAGlance } from './account-ways.js'

/** The contents of the account page. Every string may be hostile. */
export interface AccountPageProps {
  theme: Theme
  words: Words
  /** The base path, such as `/auth`. */
  base: string
  csrfToken: string
  user: PageUser
  /** The company that manages how the person signs in. */
  managed?: Markup | undefined
  /** The only section that is shown; left out: all are. Data for the others may be left empty. */
  section?: string | undefined
  /** Sections of other features. */
  sections?: readonly AccountSection[]
  /** The contents of the shown section, if it is a feature's own. */
  content?: Markup | undefined
  /** The current one first. */
  sessions: readonly PageSession[]
  /** Is the sign-in new enough that a way or a factor may just have changed? */
  mayHaveChanged?: boolean | undefined
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
  accepted?: readonly object[] | undefined
  /** The page after the deletion of the account; absent if people cannot delete theirs. */
  home?: string | undefined
  /** The app's own page. */
  app?: string | undefined
}

/** The signed-in person with a summary of their account, or one whole section of it. */
export function AccountPage(props: AccountPageProps): Markup {
  const { words, base, csrfToken, user, section } = props
  const content = props.content ?? (section ? Section(section, props) : Overview(props))
  return Card({
    theme: props.theme,
    isWide: true,
    title: accountTitle(props),
    content: html`
      ${SignedInAs({
        words,
        user,
        isLarge: !section,
        action: SignOutForm({ words, base, csrfToken, callbackUrl: `${base}/signin` }),
      })}
      ${props.managed}
      <nav class="tabs" aria-label="${words.texts.account.sections}">
        ${Tab(words.texts.account.overview, `${base}/account`, !section)}
        ${tabsOf(props).map(([name = '', text = '']) => Tab(text, `${base}/account/${name}`, name === section))}
      </nav>
      ${content}${hasTimes(content) && InUtc(words)}
      ${BackLink({ theme: props.theme, words, home: props.app })}`,
  })
}

/** The title of the account page, or of one of its sections. */
export function accountTitle({
  words,
  section,
  sections = [],
}: Pick<AccountPageProps, 'words' | 'section' | 'sections'>): string {
  const { title, sessions, ways, security } = words.texts.account
  const own = sections.find(({ name }) => name === section)?.title(words)
  return own ?? { sessions, ways, security }[section as 'ways'] ?? title
}

function tabsOf({ words, sections = [], protections, home }: AccountPageProps): string[][] {
  const { devices, ways, security } = words.texts.account
  return [
    ['sessions', devices],
    ['ways', ways],
    ...sections.map((one) => [one.name, one.title(words)]),
    ...(protections || home ? [['security', security]] : []),
  ]
}

function Tab(text: string, href: string, isHere: boolean): Markup {
  return html`<a href="${href}"${attributes({ 'aria-current': isHere && 'page' })}>${text}</a> `
}

function Section(section: string, props: AccountPageProps): Markup {
  // It has headings of its own.
  if (section === 'security') return html`${Security(props)}${OthersAfterChange(props)}`
  if (section === 'sessions') return html`<div class="part">${Sessions(withBack(props))}</div>`
  return html`<div class="part">${SectionOfWays(section, props)}</div>${OthersAfterChange(props)}`
}

/** A page on which ways and factors change: other browsers stay signed in after that, unless their owner ends them here. */
function OthersAfterChange(props: AccountPageProps): Markup {
  return html`${props.mayHaveChanged && html`<div class="actions">${SignOutOthers(withBack(props))}</div>`}`
}

/** A few lines about the account. The headings lead to the pages with the buttons. */
function Overview(props: AccountPageProps): Markup {
  const { words, base, csrfToken } = props
  const Part = (section: 'sessions' | 'ways', content: Markup) => html`
    <section class="part" aria-labelledby="${section}">
      <h2 id="${section}"><a href="${base}/account/${section}">${accountTitle({ words, section })}</a></h2>
      ${content}
    </section>`
  const ways = html`${WaysAtAGlance(props.ways, words)}${ToAdd(props)}`
  const href = `${base}/account/security`
  return html`
    ${Part('sessions', SessionsAtAGlance(props.sessions, words))}
    ${Part('ways', WithWords(props, ways))}
    ${props.protections?.({ words, base, csrfToken, href })}`
}

/** A link to the ways that can be added, or the form with a mistake, which is mended where it was sent. */
function ToAdd(props: AccountPageProps): Markup | false {
  const { words, base, addable } = props
  const mistyped = addable.filter(({ typed }) => typed)
  if (mistyped.length > 0) {
    const shown = { ways: [], isOnly: false, addable: mistyped, idPrefix: 'add-ways' }
    return Ways({ ...props, name: nameOfUser(props), ...shown })
  }
  return (
    addable.length > 0 &&
    html`<div class="actions"><a class="button" href="${base}/account/ways"><span>${words.texts.account.addWay}</span></a></div>`
  )
}

function nameOfUser({ user: { name } }: AccountPageProps): string {
  return typeof name === 'string' ? name : ''
}

/** The forms of a section lead back to it, and those of the whole page back to the page. */
function withBack<Props extends AccountPageProps>(props: Props) {
  return { ...props, back: props.section && props.callbackUrl }
}

/** @param section `ways`, or that of a kind. Ways of a kind without a section are listed with the others */
function SectionOfWays(section: string, props: AccountPageProps): Markup {
  const { words, sections = [] } = props
  const kinds = sections.flatMap((one) => ('ways' in one ? one : []))
  const isHere = (type: ProviderType | undefined) =>
    (kinds.find((one) => one.ways.type === type)?.name ?? 'ways') === section
  const kind = kinds.find(({ name }) => name === section)?.ways
  const ways = props.ways.filter((way) => isHere(way.kind?.type))
  const addable = props.addable.filter(({ type }) => isHere(type))
  const content = html`
    ${kind && ways.length === 0 && html`<p class="dim">${words.texts.account[kind.labels.none]}</p>`}
    ${Ways({
      ...withBack(props),
      name: nameOfUser(props),
      ways,
      isOnly: props.ways.length === 1 && ways.length === 1,
      addable,
      idPrefix: `add-${section}`,
      isOfKind: kind !== undefined,
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

function Security(props: AccountPageProps): Markup {
  const { words, base, csrfToken, home } = props
  const { back } = withBack(props)
  const parts = props.protections?.({ words, base, csrfToken, back })
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
