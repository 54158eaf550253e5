import type { SessionClaims } from '@latchkey/session'
import type { AuthRequest } from '../../http/request.js'
import { fillList, fillParts } from '../../languages/fill.js'
import type { Words } from '../../languages/texts.js'
import { AskFirst } from '../../pages/ask-first.js'
import { html, type Markup } from '../../pages/markup.js'
import { Day, Moment } from '../../pages/time.js'
import type { SectionPlace } from '../../service/account-hooks.js'
import { scopeTexts } from './consent.js'
import { listApps } from './list-apps.js'
import { serverOf } from './settings.js'
import type { ListedApp } from './types.js'

/** An app on the page. Every string may be hostile. */
export interface PageApp extends Pick<ListedApp, 'app' | 'name' | 'host' | 'added' | 'lastUsed'> {
  /** What it may do, in the words that people read. */
  readonly may: readonly string[]
}

/** The section of the account page with the apps that one has let in. */
export async function showApps(
  request: AuthRequest,
  { sub }: SessionClaims,
  place: SectionPlace,
): Promise<Markup> {
  const server = serverOf(request)
  const all = await listApps(request, sub)
  const apps = all.map(({ resource, scopes, ...app }) => ({
    ...app,
    may: scopeTexts(server, place.words, resource, scopes),
  }))
  return AppsSection({ ...place, apps })
}

/** A list with a button for each app that ends it everywhere. */
export function AppsSection(props: SectionPlace & { readonly apps: readonly PageApp[] }): Markup {
  const { words, apps } = props
  const { account } = words.texts
  if (apps.length === 0) return html`<div class="part"><p class="dim">${account.noApps}</p></div>`
  return html`
    <div class="part">
      <ul class="rows" role="list">${apps.map((app, at) => App(app, at, props))}</ul>
    </div>`
}

function App(app: PageApp, at: number, { words, base, csrfToken, back }: SectionPlace): Markup {
  const { account, consent } = words.texts
  const { name, host, may } = app
  return html`
    <li class="session">
      <div>
        <strong>${name}</strong>${host !== null && host !== name && html` <span class="dim" dir="ltr">${host}</span>`}
        <ul class="may dim" role="list">${(may.length > 0 ? may : [consent.openid]).map((one) => html`<li>${one}</li>`)}</ul>
        <p class="dim">
          ${fillParts(account.added, { time: Moment(app.added) })} ${'·'}
          ${fillParts(account.lastUsed, { time: Day(app.lastUsed) })}
        </p>
      </div>
      ${AskFirst({
        words,
        id: `app-${at}`,
        text: account.endAccess,
        label: labelOf(words, name),
        warning: account.endAccessWarning,
        action: `${base}/apps/remove`,
        fields: html`
          <input type="hidden" name="csrfToken" value="${csrfToken}"/>
          ${back && html`<input type="hidden" name="callbackUrl" value="${back}"/>`}
          <input type="hidden" name="app" value="${app.app}"/>`,
      })}
    </li>`
}

function labelOf(words: Words, name: string): string {
  return fillList(words, words.texts.account.endAccess, name)
}
