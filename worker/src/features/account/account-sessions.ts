import { fill, fillList, fillParts } from '../../languages/fill.js'
import type { Words } from '../../languages/texts.js'
import { attributes, html, type Markup } from '../../pages/markup.js'
import { Day, inWords, Moment } from '../../pages/time.js'
import type { DeviceKind } from '../../session/device.js'

/** A session as the account page shows it. Times are ISO 8601. */
export interface PageSession {
  id: string
  current: boolean
  /** Name of the provider that was used. */
  provider: string
  /** Such as `Firefox on Windows`. */
  device: string
  kind: DeviceKind
  place: string | null
  created: string
  lastUsed: string
  /** What says that it is bound to its device. Left out: it is not. */
  bound?: string | undefined
}

/** The contents of the section. Every string may be hostile. */
export interface SessionsProps {
  words: Words
  base: string
  csrfToken: string
  /** The current one first. */
  sessions: readonly PageSession[]
  /** The page after a form. Default: the account page. */
  back?: string | undefined
}

/** Every session of a person, with the buttons that end it, the others, and all. */
export function Sessions(props: SessionsProps): Markup {
  const { words, sessions } = props
  const { account } = words.texts
  return html`
    <ul class="rows" role="list">
      ${sessions.map((session) => Session(session, props))}
    </ul>
    <div class="actions">
      ${sessions.length > 1 && SignOutOthers(props)}
      ${RevokeForm(props, 'all', account.signOutAll, undefined, 'button bad')}
    </div>
    <p class="dim">${account.signOutAllWarning}</p>`
}

/** The devices that a summary names beside this one. */
const NAMED = 3

/** For a summary: this session, and the devices of the others. */
export function SessionsAtAGlance(sessions: readonly PageSession[], words: Words): Markup {
  const here = sessions.filter(({ current }) => current)
  const others = sessions.filter(({ current }) => !current).map(({ device }) => device)
  const more = others.length - NAMED
  const named = [...others.slice(0, NAMED), ...(more > 0 ? [`+${more}`] : [])]
  return html`
    <ul class="rows" role="list">
      ${here.map((session) => html`<li class="session">${DevicePicture(session.kind, words)}${About(session, words)}</li>`)}
      ${named.length > 0 && html`<li class="session"><p class="dim">${named.join(' · ')}</p></li>`}
    </ul>`
}

/** The button that ends all sessions but this one. */
export function SignOutOthers(
  props: Pick<SessionsProps, 'words' | 'base' | 'csrfToken' | 'back'>,
): Markup {
  return RevokeForm(props, 'others', props.words.texts.account.signOutOthers)
}

function Session(session: PageSession, props: SessionsProps): Markup {
  const { words } = props
  const { account } = words.texts
  const { id, device, kind, place, created, current } = session
  const named = fillList(words, fillList(words, device, place), inWords(created))
  return html`
    <li class="session">
      ${DevicePicture(kind, words)}
      ${About(session, words)}
      ${!current && RevokeForm(props, id, account.signOut, fill(account.signOutOf, { session: named }))}
    </li>`
}

/** The browser, the place and the times of a session, so that its person knows which one to end. */
function About(session: PageSession, { texts: { account } }: Words): Markup {
  const { device, place, provider, created, lastUsed, current, bound } = session
  return html`
      <div>
        <strong>${device}</strong> ${current && html`<span class="here">${account.thisDevice}</span>`}
        <p class="dim">${place && `${place} · `}${provider}</p>
        ${bound && html`<p class="dim">${bound}</p>`}
        <p class="dim">
          ${fillParts(account.begun, { time: Moment(created) })} ${'·'}
          ${fillParts(account.lastUsed, { time: Day(lastUsed) })}
        </p>
      </div>`
}

/**
 * @param session an id, `others` or `all`
 * @param label names the session that is signed out, for screen readers
 */
function RevokeForm(
  { base, csrfToken, back }: Pick<SessionsProps, 'base' | 'csrfToken' | 'back'>,
  session: string,
  text: string,
  label?: string,
  style = 'button',
): Markup {
  return html`
    <form method="post" action="${base}/sessions/revoke">
      <input type="hidden" name="csrfToken" value="${csrfToken}"/>
      ${back && html`<input type="hidden" name="callbackUrl" value="${back}"/>`}
      <input type="hidden" name="session" value="${session}"/>
      <button class="${style}" type="submit"${attributes({ 'aria-label': label })}>
        <span>${text}</span>
      </button>
    </form>`
}

/**
 * The kind of a device as a picture, which screen readers read out. An unknown device has only its
 * name.
 */
function DevicePicture(kind: DeviceKind, { texts }: Words): Markup {
  const said =
    kind === 'unknown'
      ? { 'aria-hidden': 'true' }
      : { role: 'img', 'aria-label': texts.devices[kind] }
  return html`<svg class="kind" viewBox="0 0 24 24"${attributes(said)}>${shapeOf(kind)}</svg>`
}

function shapeOf(kind: DeviceKind): Markup {
  switch (kind) {
    case 'phone':
      return html`<rect x="7" y="3" width="10" height="18" rx="2"/><path d="M11 18h2"/>`
    case 'tablet':
      return html`<rect x="5" y="3" width="14" height="18" rx="2"/><path d="M11 18h2"/>`
    case 'laptop':
      return html`<rect x="5" y="5" width="14" height="10" rx="1.5"/><path d="M2.5 19h19"/>`
    case 'unknown':
      return html`<circle cx="12" cy="12" r="9"/><path d="M9.6 9.5a2.5 2.5 0 1 1 3.5 2.3c-.8.3-1.1.9-1.1 1.7m0 3v.1"/>`
  }
}
