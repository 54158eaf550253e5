import type { SessionClaims } from '@latchkey/session'
import { type AuthRequest, nowInSeconds } from '../../../http/request.js'
import { fill, fillParts } from '../../../languages/fill.js'
import type { Words } from '../../../languages/texts.js'
import { AskFirst } from '../../../pages/ask-first.js'
import { html, type Markup } from '../../../pages/markup.js'
import { DayInUtc } from '../../../pages/time.js'
import type { SectionPlace } from '../../../service/account-hooks.js'
import { type Resource, serverOf } from '../settings.js'
import type { ListedKey } from '../types.js'
import { listedKeys } from './operations.js'
import { dayOf, SOON } from './own-keys.js'
import { NAME_IN_HTML } from './wanted-key.js'

/** The API keys of a person, with a form that makes one for each resource. */
export async function showKeys(
  request: AuthRequest,
  claims: SessionClaims,
  place: SectionPlace,
): Promise<Markup> {
  const { resources } = serverOf(request)
  const own = await listedKeys(request, claims.sub)
  return KeysSection({ ...place, resources, own, now: nowInSeconds(request) })
}

export interface KeysSectionProps extends SectionPlace {
  /** By URI. */
  readonly resources: ReadonlyMap<string, Resource>
  /** Every string may be hostile. */
  readonly own: readonly ListedKey[]
  /** Seconds since the epoch. */
  readonly now: number
}

/** A list with a button for each key that ends it, and a form for each resource. */
export function KeysSection({ resources, own, now, ...place }: KeysSectionProps): Markup {
  const { keys } = place.words.texts
  // A resource without scopes has nothing that a key could be for.
  const offered = [...resources.values()].filter(({ scopes }) => scopes.size > 0)
  return html`
    <div class="part">
      ${
        own.length === 0
          ? html`<p class="dim">${keys.none}</p>`
          : html`<ul class="rows" role="list">${own.map((key, at) => Key(key, `key-${at}`, resources, { ...place, now }))}</ul>`
      }
    </div>
    ${offered.map((resource, at) => NewKey(resource, `new-key-${at}`, place))}`
}

function Key(
  key: ListedKey,
  id: string,
  resources: ReadonlyMap<string, Resource>,
  { words, base, csrfToken, back, now }: SectionPlace & Pick<KeysSectionProps, 'now'>,
): Markup {
  const { keys, account } = words.texts
  const resource = resources.get(key.resource)
  const may = key.scopes.map((scope) => resource?.scopes.get(scope) ?? scope)
  return html`
    <li class="session">
      <div>
        <strong>${key.name}</strong> <span class="dim">${key.start}${'…'}</span>
        <p class="dim">${resource?.name ?? key.resource} ${'·'} ${may.join(' · ')}</p>
        <p class="dim">
          ${fillParts(keys.until, { time: EndsOn(key.expires, now, words) })} ${'·'}
          ${key.lastUsed === null ? keys.unused : fillParts(account.lastUsed, { time: DayInUtc(key.lastUsed) })}
        </p>
      </div>
      ${AskFirst({
        words,
        id,
        text: keys.end,
        label: fill(keys.endOf, { name: key.name }),
        warning: keys.endWarning,
        action: `${base}/keys/remove`,
        fields: html`
          <input type="hidden" name="csrfToken" value="${csrfToken}"/>
          ${back && html`<input type="hidden" name="callbackUrl" value="${back}"/>`}
          <input type="hidden" name="key" value="${key.id}"/>`,
      })}
    </li>`
}

/** A day to come, which the script of times would count as today. If it comes soon, the page counts the days to it. */
function EndsOn(time: string, now: number, { language }: Words): Markup {
  const day = html`<span dir="ltr">${time.slice(0, 10)}</span>`
  const left = dayOf(Date.parse(time) / 1000) - dayOf(now)
  if (left > SOON) return day
  const counted = new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(left, 'day')
  return html`${day} (<strong>${counted}</strong>)`
}

function NewKey({ uri, name, scopes }: Resource, id: string, place: SectionPlace): Markup {
  const { words, base, csrfToken, back } = place
  const { keys } = words.texts
  const isOnly = scopes.size === 1
  return html`
    <section class="part" aria-labelledby="${id}">
      <h2 id="${id}">${fill(keys.make, { name })}</h2>
      <form class="stack" method="post" action="${base}/keys/create">
        <input type="hidden" name="csrfToken" value="${csrfToken}"/>
        ${back && html`<input type="hidden" name="callbackUrl" value="${back}"/>`}
        <input type="hidden" name="resource" value="${uri}"/>
        <div>
          <label for="${id}-name">${keys.name}</label>
          <input id="${id}-name" name="name" type="text" required="" maxlength="64" pattern="${NAME_IN_HTML}" autocomplete="off"/>
        </div>
        <fieldset class="may">
          <legend>${keys.may}</legend>
          ${[...scopes].map(
            ([scope, text]) =>
              html`<label><input type="checkbox" name="scope.${scope}" value="on"${isOnly && html` checked="" required=""`}/> ${text}</label>`,
          )}
        </fieldset>
        <div>
          <label for="${id}-days">${keys.days}</label>
          <input id="${id}-days" name="days" type="number" min="1" max="365" value="90" required=""/>
        </div>
        <button class="button main" type="submit"><span>${keys.makeIt}</span></button>
      </form>
    </section>`
}
