import { createElement, type FocusEvent, type KeyboardEvent, type ReactNode } from 'react'
import { clientOfPage, type OfPage, useBasePath, useSessionOfPage } from '../react-hooks.js'
import { PageForm } from './page-form.js'

/** Properties of `<UserButton>`. */
export interface UserButtonProps {
  /** The page after a sign-out: a path of this app, or a URL of a trusted origin. Default: this page. */
  readonly redirectTo?: string | undefined
  /** The class of the outermost element, a `<details>`. */
  readonly className?: string | undefined
  /** The texts; default: English. */
  readonly labels?:
    | {
        readonly account?: string | undefined
        readonly signOut?: string | undefined
        readonly failed?: string | undefined
      }
    | undefined
  /** Entries of the app's own, before the sign-out. */
  readonly children?: ReactNode
}

/** Closes the menu by Escape, and gives the button the focus again. */
function closeByKey({ key, currentTarget }: KeyboardEvent<HTMLDetailsElement>): void {
  if (key !== 'Escape' || !currentTarget.open) return
  currentTarget.open = false
  currentTarget.querySelector('summary')?.focus()
}

/** Closes the menu if a person clicks or moves elsewhere. */
function closeByLeaving({ relatedTarget, currentTarget }: FocusEvent<HTMLDetailsElement>): void {
  if (!currentTarget.contains(relatedTarget)) currentTarget.open = false
}

/** The button with picture and name, and below it the account and the sign-out; nothing if nobody is signed in. */
export function UserButtonOfPage({
  home,
  redirectTo,
  className,
  labels: { account = 'Account', signOut = 'Sign out', failed } = {},
  children,
}: UserButtonProps & OfPage): ReactNode {
  const base = useBasePath(home)
  const { data } = useSessionOfPage(home)
  if (!data) return null
  const { name, email, image } = data.user ?? {}
  const shown = name || email || account
  const leave = () => clientOfPage(home).signOut({ redirectTo })
  return createElement(
    'details',
    { className, 'data-latchkey': 'user-button', onKeyDown: closeByKey, onBlur: closeByLeaving },
    createElement(
      'summary',
      null,
      // A picture elsewhere does not learn which page shows it. The name is beside it.
      image &&
        createElement('img', {
          src: image,
          alt: '',
          width: 32,
          height: 32,
          referrerPolicy: 'no-referrer',
        }),
      createElement('span', null, shown),
    ),
    // It takes the focus, so that a click on a text in it does not leave the menu.
    createElement(
      'div',
      { 'data-latchkey': 'menu', tabIndex: -1 },
      email && email !== shown && createElement('p', null, email),
      createElement('a', { href: `${base}/account` }, account),
      children,
      createElement(PageForm, {
        action: `${base}/signout`,
        redirectTo,
        label: signOut,
        act: leave,
        failed,
      }),
    ),
  )
}
