import type { Words } from '../languages/texts.js'
import { html, type Markup } from './markup.js'
import { imageUrl } from './theme.js'

/**
 * The signed-in person as a page shows them. Every value may come from a provider, and none is
 * trusted.
 */
export interface PageUser {
  name?: string | null | undefined
  email?: string | null | undefined
  image?: string | null | undefined
}

/**
 * The signed-in person: picture or initial, name and email; `action` is a link or button beside
 * them.
 */
export function SignedInAs(props: {
  words: Words
  user: PageUser
  /** Is the page about them? */
  isLarge?: boolean
  /** Says the title of the page already that they are signed in? */
  isTitled?: boolean
  action?: Markup
}): Markup {
  const { who } = props.words.texts
  // An app's own session callback may have set any value.
  const [name, email, image] = (['name', 'email', 'image'] as const).map((member) => {
    const value: unknown = props.user[member]
    return typeof value === 'string' ? value : ''
  })
  const shown = name || email
  const introduction = shown ? who.signedInAs : who.signedIn
  return html`
    <section class="${props.isLarge ? 'who large' : 'who'}" aria-label="${who.label}">
      ${Face({ image: imageUrl(image), letter: initial(shown ?? '') })}
      <div>
        ${!((props.isLarge || props.isTitled) && shown) && html`<span class="dim">${introduction}</span>`} ${shown && html`<strong>${shown}</strong>`}
        ${name && email && html`<span class="dim">${email}</span>`}
      </div>
      ${props.action}
    </section>`
}

/** The name of a person. An app's own session callback may have set any value. */
export function nameOf({ name, email }: PageUser): string {
  return [name, email].find((text: unknown) => typeof text === 'string' && text !== '') ?? ''
}

/** Providers' picture links expire; the style sheet then draws the letter over the broken picture. */
function Face({ image, letter }: { image: string | undefined; letter: string }): Markup {
  return image
    ? html`<img class="face" src="${image}" alt="" width="44" height="44" data-letter="${letter}"/>`
    : html`<span class="face" aria-hidden="true">${letter}</span>`
}

/** The first letter of a name, whole also if it takes two UTF-16 units. */
export function initial(name: string): string {
  return [...name.trim()][0]?.toUpperCase() ?? '?'
}
