import { Card, HiddenFields } from './layout.js'
import { html, type Markup } from './markup.js'
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

/** What the account page shows. Every string may be hostile. */
export interface AccountPageProps {
  theme: Theme
  /** The base path, such as `/auth`. */
  base: string
  csrfToken: string
  user: PageUser
  /** The current one first. */
  sessions: readonly PageSession[]
}

/** Who is signed in, and every place where they are. */
export function AccountPage(props: AccountPageProps): Markup {
  const { base, csrfToken, user, sessions } = props
  const others = sessions.filter(({ current }) => !current)
  const form = { base, csrfToken, callbackUrl: `${base}/account` }
  return Card({
    theme: props.theme,
    title: 'Your account',
    content: html`
      ${SignedInAs({
        user,
        action: SignOutForm({ base, csrfToken, callbackUrl: `${base}/signin` }),
      })}
      <h2>Where you are signed in</h2>
      <ul class="stack sessions">
        ${sessions.map((session) => Session({ ...form, session }))}
      </ul>
      ${
        others.length > 0 &&
        RevokeForm({ ...form, session: 'others', label: 'Sign out everywhere else' })
      }`,
  })
}

function Session(props: {
  base: string
  csrfToken: string
  callbackUrl: string
  session: PageSession
}): Markup {
  const { device, place, provider, created, lastUsed, current, id } = props.session
  const used = day(lastUsed) === day(created) ? '' : `, last used ${day(lastUsed)}`
  return html`
    <li class="session">
      <strong>${device}</strong> ${current && html`<span class="here">This device</span>`}
      <p class="dim">${place && `${place} · `}${provider} · since ${day(created)}${used}</p>
      ${
        !current &&
        RevokeForm({
          ...props,
          session: id,
          label: 'Sign out',
          about: `${device}, ${day(created)}`,
        })
      }
    </li>`
}

function RevokeForm(props: {
  base: string
  csrfToken: string
  callbackUrl: string
  /** An id, or `others`. */
  session: string
  label: string
  /** What is signed out, for those who hear the page and not see it. */
  about?: string
}): Markup {
  return html`
    <form method="post" action="${props.base}/sessions/revoke">
      ${HiddenFields(props)}
      <input type="hidden" name="session" value="${props.session}"/>
      <button class="button" type="submit" aria-label="${[props.label, props.about].filter(Boolean).join(': ')}">
        <span>${props.label}</span>
      </button>
    </form>`
}

/** `2026-11-21`: the same everywhere, since the page does not know the reader's time zone. */
function day(time: string): string {
  return time.slice(0, 10)
}
