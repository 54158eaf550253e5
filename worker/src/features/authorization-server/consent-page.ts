import { fill, fillParts } from '../../languages/fill.js'
import type { Words } from '../../languages/texts.js'
import { Card, WithOwnLine } from '../../pages/layout.js'
import { html, type Markup } from '../../pages/markup.js'
import { type PageUser, SignedInAs } from '../../pages/signed-in-as.js'
import type { Theme } from '../../pages/theme.js'
import type { Destination } from './app-redirect.js'

/** What a person is asked. Every text may be hostile. */
export interface ConsentAbout {
  /** The name of the app. */
  readonly name: string
  /** The host at which an app describes itself that nobody has registered. */
  readonly host?: string | undefined
  /** Where an allowed browser goes; left out: a device asks. */
  readonly destination?: Destination | undefined
  /** The code that a device shows. */
  readonly userCode?: string | undefined
  /** What the app may do, in the words that people read. */
  readonly scopes: readonly string[]
  /** May it keep access without the session? Then `scopes` say how long (OWASP ASVS 5.0, 10.7.2). */
  readonly isOffline: boolean
}

export interface ConsentPageProps extends ConsentAbout {
  theme: Theme
  words: Words
  /** The base path, such as `/auth`. */
  base: string
  csrfToken: string
  /** The request that the person decides on, sealed. */
  request: string
  user: PageUser
}

/** Asks a person whether an app may use their account. One form, and it needs no script. */
export function ConsentPage(props: ConsentPageProps): Markup {
  const { theme, words, user, scopes, userCode } = props
  const { consent } = words.texts
  // Every app that is allowed knows the person again.
  const may = scopes.length > 0 ? scopes : [consent.openid]
  return Card({
    theme,
    title: consentTitle(props),
    content: html`
      ${SignedInAs({ words, user })}
      ${userCode !== undefined && html`<p class="note">${WithOwnLine(consent.device, userCode)}</p>`}
      <div>
        <p>${consent.may}</p>
        <ul class="may" role="list">${may.map((scope) => html`<li>${scope}</li>`)}</ul>
        ${!props.isOffline && html`<p class="dim">${consent.session}</p>`}
      </div>
      ${Whereabouts(props)}
      <form class="stack" method="post" action="${props.base}/oauth/consent">
        <input type="hidden" name="csrfToken" value="${props.csrfToken}"/>
        <input type="hidden" name="request" value="${props.request}"/>
        <button class="button main" type="submit" name="decision" value="allow"><span>${consent.allow}</span></button>
        <button class="button" type="submit" name="decision" value="deny"><span>${consent.deny}</span></button>
      </form>`,
  })
}

/** The title of the page. A name that is written the other way turns none of the words around it (UAX #9, isolates). */
export function consentTitle({ name, words }: Pick<ConsentPageProps, 'name' | 'words'>): string {
  return fill(words.texts.consent.title, { name: `\u2068${name}\u2069` })
}

/** The hosts: no app can choose them freely, as it chooses its name. */
function Whereabouts({ words, host, destination }: ConsentPageProps): Markup {
  const { leadsTo, leadsHere, unknown } = words.texts.consent
  const at = (name: string) => ({ host: html`<strong dir="ltr">${name}</strong>` })
  return html`
    ${host !== undefined && html`<p class="note">${fillParts(unknown, at(host))}</p>`}
    ${
      destination?.isHere
        ? html`<p class="note">${fillParts(leadsHere, at(destination.name))}</p>`
        : destination && html`<p class="mid">${fillParts(leadsTo, at(destination.name))}</p>`
    }`
}

/** Says that an app cannot be used, and leads nowhere: no address in the request was checked. */
export function NowherePage({ theme, words }: { theme: Theme; words: Words }): Markup {
  const { otherTitle, app } = words.texts.errorPages
  return Card({ theme, title: otherTitle, content: html`<p class="mid">${app}</p>` })
}
