import { fill, fillList, fillParts } from '../../languages/fill.js'
import type { Words } from '../../languages/texts.js'
import { AskFirst } from '../../pages/ask-first.js'
import { HiddenFields } from '../../pages/layout.js'
import { attributes, html, type Markup } from '../../pages/markup.js'
import { ByScript, byScript, PlainMark, type ProviderForm } from '../../pages/provider-forms.js'
import { DayInUtc, Moment } from '../../pages/time.js'
import { Waits } from '../../pages/waits.js'
import type { PersonWay } from '../../person/person.js'
import type { WayKind } from '../../service/account-hooks.js'
import type { ProviderType } from '../../types.js'

/** A way to sign in as the account page shows it. Times are ISO 8601. */
export interface PageWay {
  id: string
  current: boolean
  /** Name of its provider. */
  provider: string
  /** The person's name at the provider, or the address with most of it hidden. */
  name: string | null
  added: string | null
  lastUsed: string | null
  /** That of its provider; left out: a plain one. */
  mark?: Markup | undefined
  /** For a way that its person may name, with what the person's document says of it. */
  kind?: WayKind | undefined
  entry?: PersonWay
  /**
   * For a way that does not count yet: the time from which it does; `null`: when it is confirmed.
   * ISO 8601.
   */
  waits?: string | null | undefined
}

/** The form that adds a way. */
export interface WayForm extends ProviderForm {
  /** That of its provider. */
  type?: ProviderType
}

/** The contents of a list of ways. Every string may be hostile. */
export interface WaysProps {
  words: Words
  base: string
  csrfToken: string
  /** The address of the page. */
  callbackUrl: string
  /** The page after a form. Default: the account page. */
  back?: string | undefined
  /** The person's own name. */
  name: string
  /** The check that a person, and not a program, sends a form that needs it. */
  human?: Markup | undefined
  ways: readonly PageWay[]
  /** Are all of one kind, which the title of the page names? */
  isOfKind?: boolean
  /** Has the person exactly one way to sign in, and is it here? */
  isOnly: boolean
  /** The ways that can be added. */
  addable: readonly WayForm[]
  /** The mistake in the typed text, as a code. */
  code?: string | undefined
  /** Begins the ids of the fields. */
  idPrefix: string
}

/** Ways to sign in, with forms to remove each and to add another. */
export function Ways(props: WaysProps): Markup {
  const { ways, addable, isOnly, words } = props
  const { account } = words.texts
  const forms = addable.map((form, index) => [form, AddForm(form, index, props)] as const)
  const added = (isMore: boolean) =>
    forms.flatMap(([form, markup]) => (isAnother(form) === isMore ? markup : []))
  const buttons = html`
      <div class="adding">
        ${added(false)}
        ${addable.some(isAnother) && Folded(PlainMark(), account.addSame, html`<div class="adding">${added(true)}</div>`)}
      </div>`
  const list = props.isOfKind
    ? buttons
    : html`
    <section class="part" aria-labelledby="${props.idPrefix}">
      <h2 id="${props.idPrefix}">${account.addWay}</h2>
      ${buttons}
    </section>`
  return html`
    ${
      ways.length > 0 &&
      html`<div class="rows">
        ${ways.map((way, index) => Way(way, index, props))}
      </div>`
    }
    ${isOnly && ways.map((way) => OnlyWay(way, words))}
    ${forms.length > 0 && (addable.every(byScript) ? ByScript(list) : list)}`
}

/** For a summary: the ways, each with its mark and what it is called. */
export function WaysAtAGlance(ways: readonly PageWay[], words: Words): Markup {
  const [only, ...others] = ways
  return html`
    <ul class="rows marks" role="list">
      ${ways.map(
        ({ mark, kind, name, provider, waits }) => html`
        <li>${mark ?? PlainMark()}<span>${(kind && name) || provider}</span>${waits !== undefined && Waits(waits, words)}</li>`,
      )}
    </ul>
    ${others.length === 0 && only?.kind && OnlyWay(only, words)}`
}

/** A button like the others, behind which something else is. */
function Folded(mark: Markup, text: string, content: Markup, open = false): Markup {
  return html`
    <details${attributes({ open })}>
      <summary class="button">${mark}<span>${text}</span></summary>
      ${content}
    </details>`
}

/** Most people have one account at a provider. People have several addresses and passkeys. */
function isAnother({ isThere = false, place, script }: WayForm): boolean {
  return isThere && place === 'button' && !script
}

/** The id of the sentence that calls a way the only one. */
const ONLY = 'only-way'

function OnlyWay({ kind }: PageWay, { texts: { account } }: Words): Markup {
  return kind
    ? html`
      <p role="note" id="${ONLY}">
        <strong>${account[kind.labels.only]}</strong> ${account[kind.labels.onlyAdvice]}
      </p>`
    : html`<p class="dim" role="note" id="${ONLY}">${account.onlyWay}</p>`
}

function Way(way: PageWay, index: number, props: WaysProps): Markup {
  const { words } = props
  const { account } = words.texts
  const { id, provider, name, current, kind, entry, waits } = way
  const below = kind && entry ? account[kind.about(entry)] : name
  // Many ways have no other name than that of their provider.
  const about = fillList(words, provider, name === provider ? null : name)
  return html`
    <div class="session" role="group" aria-label="${about}">
      ${way.mark ?? PlainMark()}
      <div>
        <strong>${(kind && name) || provider}</strong> ${current && html`<span class="here">${account.usedNow}</span>`}
        ${below && html`<p class="dim">${below}</p>`}
        ${(way.added || way.lastUsed) && html`<p class="dim">${Times(way, words)}</p>`}
        ${waits !== undefined && Waits(waits, words)}
      </div>
      ${waits !== undefined && ConfirmForm(id, about, props)}
      ${kind && RenameForm(way, kind, props)}
      ${AskFirst({
        words,
        id: `remove-${props.idPrefix}-${index}`,
        text: account.remove,
        label: fill(account.removeWay, { way: about }),
        warning: account.removeWarning,
        action: `${props.base}/ways/remove`,
        fields: html`${Fields(props)}<input type="hidden" name="way" value="${id}"/>`,
        disabledBy: props.isOnly ? ONLY : undefined,
      })}
    </div>`
}

function Fields({ csrfToken, back }: WaysProps): Markup {
  return html`
    <input type="hidden" name="csrfToken" value="${csrfToken}"/>
    ${back && html`<input type="hidden" name="callbackUrl" value="${back}"/>`}`
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

function RenameForm({ id, name }: PageWay, kind: WayKind, props: WaysProps): Markup {
  const { account } = props.words.texts
  return html`
    <details>
      <summary class="button"><span>${account.renameOpen}</span></summary>
      <form class="stack" method="post" action="${props.base}/ways/rename">
        ${HiddenFields(props)}
        <input type="hidden" name="way" value="${id}"/>
        <input name="name" value="${name}" aria-label="${account[kind.labels.nameLabel]}" maxlength="64" required="" pattern=".*\\S.*" autocomplete="off"/>
        <button class="button" type="submit"><span>${account.rename}</span></button>
      </form>
    </details>`
}

/** The form by which a user confirms a way that a session of one factor has added. */
function ConfirmForm(id: string, about: string, props: WaysProps): Markup {
  const { account } = props.words.texts
  return html`
    <form method="post" action="${props.base}/ways/confirm">
      ${Fields(props)}
      <input type="hidden" name="way" value="${id}"/>
      <button class="button" type="submit" aria-label="${fill(account.confirmWay, { way: about })}"><span>${account.confirm}</span></button>
    </form>`
}

function AddForm(form: ProviderForm, index: number, props: WaysProps): Markup {
  const { markup, typed, mark, adds } = form
  const { words, base, csrfToken, callbackUrl, human, name } = props
  const idPrefix = `${props.idPrefix}-${index}`
  const shown = {
    isAdding: true,
    isOnly: false,
    hasDouble: false,
    error: undefined,
    typed,
    code: typed && props.code,
  }
  const content = markup({ words, base, csrfToken, callbackUrl, human, idPrefix, name, ...shown })
  // A form with fields is folded behind a button like the others, unless there is a mistake in it.
  return adds ? Folded(mark?.() ?? PlainMark(), adds(words), content, Boolean(typed)) : content
}
