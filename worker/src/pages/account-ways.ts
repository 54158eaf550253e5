import { fill, fillList, fillParts } from '../languages/fill.js'
import type { Words } from '../languages/words.js'
import { HiddenFields } from './layout.js'
import { attributes, html, type Markup } from './markup.js'
import { PlainMark, type ProviderForm } from './provider-forms.js'
import { DayInUtc, Moment } from './time.js'

/** A way to sign in as the account page shows it. Times are ISO 8601. */
export interface PageWay {
  id: string
  current: boolean
  /** Name of its provider. */
  provider: string
  /** What the provider calls the person, or the address with most of it hidden. */
  name: string | null
  added: string | null
  lastUsed: string | null
  /** That of its provider; left out: a plain one. */
  mark?: Markup | undefined
  /** Of a passkey alone, which its person may name. */
  passkey?: { readonly isSynced: boolean } | undefined
}

/** The contents of a list of ways. Every string may be hostile. */
export interface WaysProps {
  words: Words
  base: string
  csrfToken: string
  /** The address of the page. */
  callbackUrl: string
  /** Where a form leads; left out: to the page of the account. */
  back?: string | undefined
  /** What the person calls themselves. */
  name: string
  /** What shows that a person sends a form that needs one. */
  human?: Markup | undefined
  ways: readonly PageWay[]
  /** Are they all that let the person in, and is it one? */
  isOnly: boolean
  /** What can be added. */
  addable: readonly ProviderForm[]
  /** Begins the ids of the fields. */
  idPrefix: string
}

/** Ways to sign in, with what removes each and what adds another. */
export function Ways(props: WaysProps): Markup {
  const { ways, addable, isOnly } = props
  return html`
    ${
      ways.length > 0 &&
      html`<div class="rows">
        ${ways.map((way) => Way(way, props))}
      </div>`
    }
    ${isOnly && ways.map((way) => OnlyWay(way, props.words))}
    ${
      addable.length > 0 &&
      html`<div class="adding">
        ${addable.map((form, index) => AddForm(form, index, props))}
      </div>`
    }`
}

/** The id of what says that a way is the only one. */
const ONLY = 'only-way'

/** Recovery codes are no help for a passkey: they are a second factor, and this is the first. */
function OnlyWay({ passkey }: PageWay, { texts: { account } }: Words): Markup {
  return passkey
    ? html`
      <p role="note" id="${ONLY}">
        <strong>${account.onlyPasskey}</strong> ${account.onlyPasskeyAdvice}
      </p>`
    : html`<p class="dim" role="note" id="${ONLY}">${account.onlyWay}</p>`
}

function Way(way: PageWay, props: WaysProps): Markup {
  const { words } = props
  const { account } = words.texts
  const { id, provider, name, current, passkey } = way
  // Many passkeys are called no more than that.
  const about = fillList(words, provider, name === provider ? null : name)
  return html`
    <div class="session" role="group" aria-label="${about}">
      ${way.mark ?? PlainMark()}
      <div>
        <strong>${(passkey && name) || provider}</strong> ${current && html`<span class="here">${account.usedNow}</span>`}
        ${passkey ? Where(passkey, words) : name && html`<p class="dim">${name}</p>`}
        ${(way.added || way.lastUsed) && html`<p class="dim">${Times(way, words)}</p>`}
      </div>
      ${passkey && RenameForm(way, props)}
      <form method="post" action="${props.base}/ways/remove">
        ${Fields(props)}
        <input type="hidden" name="way" value="${id}"/>
        <button class="button" type="submit" aria-label="${fill(account.removeWay, { way: about })}"${attributes({ disabled: props.isOnly, 'aria-describedby': props.isOnly && ONLY })}><span>${account.remove}</span></button>
      </form>
    </div>`
}

function Fields({ csrfToken, back }: WaysProps): Markup {
  return html`
    <input type="hidden" name="csrfToken" value="${csrfToken}"/>
    ${back && html`<input type="hidden" name="callbackUrl" value="${back}"/>`}`
}

function Where({ isSynced }: { readonly isSynced: boolean }, { texts }: Words): Markup {
  const { synced, onOneDevice } = texts.account
  return html`<p class="dim">${isSynced ? synced : onOneDevice}</p>`
}

function Times(
  { added, lastUsed }: Pick<PageWay, 'added' | 'lastUsed'>,
  { texts: { account } }: Words,
): Markup {
  return html`
    ${added && fillParts(account.added, { time: Moment(added) })}
    ${added && lastUsed && '·'}
    ${lastUsed && fillParts(account.lastUsed, { time: DayInUtc(lastUsed) })}`
}

function RenameForm({ id, name }: PageWay, props: WaysProps): Markup {
  const { account } = props.words.texts
  return html`
    <details>
      <summary class="button"><span>${account.renameOpen}</span></summary>
      <form class="stack" method="post" action="${props.base}/ways/rename">
        ${HiddenFields(props)}
        <input type="hidden" name="way" value="${id}"/>
        <input name="name" value="${name}" aria-label="${account.passkeyName}" maxlength="64" required="" autocomplete="off"/>
        <button class="button" type="submit"><span>${account.rename}</span></button>
      </form>
    </details>`
}

function AddForm({ markup }: ProviderForm, index: number, props: WaysProps): Markup {
  const { words, base, csrfToken, callbackUrl, human, name } = props
  const idPrefix = `${props.idPrefix}-${index}`
  const shown = { isAdding: true, isOnly: false, hasDouble: false, error: undefined }
  return markup({ words, base, csrfToken, callbackUrl, human, idPrefix, name, ...shown })
}
