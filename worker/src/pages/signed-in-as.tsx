import type { Child } from 'hono/jsx'
import type { JSX } from 'hono/jsx/jsx-runtime'
import { imageUrl } from './theme.js'

/** What a page shows of the person who is signed in. All of it may come from a provider, none of it is trusted. */
export interface PageUser {
  name?: string | null | undefined
  email?: string | null | undefined
  image?: string | null | undefined
}

/** Who is signed in: picture or initial, name and e-mail; `children` is what can be done about it. */
export function SignedInAs(props: { user: PageUser; children?: Child }): JSX.Element {
  const { name, email } = props.user
  const shown = name || email
  return (
    <section class="who" aria-label="Current account">
      <Face image={imageUrl(props.user.image)} letter={initial(shown ?? '')} />
      <div>
        <span class="dim">{shown ? 'You are signed in as' : 'You are signed in'}</span>{' '}
        {shown && <strong>{shown}</strong>} {name && email && <span class="dim">{email}</span>}
      </div>
      {props.children}
    </section>
  )
}

/** Providers' picture links expire; the style sheet then draws the letter over the broken picture. */
function Face({ image, letter }: { image: string | undefined; letter: string }): JSX.Element {
  if (image) {
    return <img class="face" src={image} alt="" width="44" height="44" data-letter={letter} />
  }
  return (
    <span class="face" aria-hidden="true">
      {letter}
    </span>
  )
}

/** The first letter of a name, whole also where it takes two UTF-16 units. */
export function initial(name: string): string {
  return [...name.trim()][0]?.toUpperCase() ?? '?'
}
