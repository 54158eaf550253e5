'use client'

import type { ReactNode } from 'react'
import {
  clientOfPage,
  ProviderOfSession,
  type SessionProviderProps,
  type UseSession,
  type UseSessionOptions,
  useSessionOfPage,
} from './react-hooks.js'
import { type ShownIfProps, useShownIf } from './react-parts/shown-if.js'
import { SignInOfPage, type SignInProps } from './react-parts/sign-in.js'
import { UserButtonOfPage, type UserButtonProps } from './react-parts/user-button.js'
import type { Client } from './store.js'

export type { Session } from '@latchkey/session'
export { AuthError } from '@latchkey/session'
export type { AuthResult, SignInOptions, SignOutOptions } from './flow.js'
export type {
  SessionProviderProps,
  SessionUse,
  UseSession,
  UseSessionOptions,
} from './react-hooks.js'
export type { ShownIfProps } from './react-parts/shown-if.js'
export type { ListedProvider, SignInLabels, SignInProps } from './react-parts/sign-in.js'
export type { UserButtonProps } from './react-parts/user-button.js'

const HOME = '/auth'

/**
 * Hands the session that the server has read to the components below it, or names another base path.
 * Nothing else needs it.
 *
 * @example <SessionProvider session={session}>{children}</SessionProvider>
 */
export function SessionProvider(props: SessionProviderProps): ReactNode {
  return ProviderOfSession(props)
}

/**
 * The session of the page. All uses in a page make one request together, and none if a
 * `SessionProvider` has the server's session.
 *
 * @example
 * const { data, status } = useSession()
 * if (status === 'authenticated') return <p>Hello {data.user?.name}</p>
 */
export const useSession = ((options?: UseSessionOptions) =>
  useSessionOfPage(HOME, options)) as UseSession

/** Signs in, as {@link Client.signIn} of the page's client does. @throws {AuthError} */
export const signIn = ((...all: Parameters<Client['signIn']>) =>
  clientOfPage(HOME).signIn(...all)) as Client['signIn']

/** Signs out, as {@link Client.signOut} of the page's client does. @throws {AuthError} */
export const signOut = ((options) =>
  clientOfPage(HOME).signOut(options as object)) as Client['signOut']

/** Asks for the session, as {@link Client.getSession} of the page's client does. @throws {AuthError} */
export const getSession: Client['getSession'] = () => clientOfPage(HOME).getSession()

/**
 * Shows its children if a user is signed in, and nothing while that is not known.
 *
 * @example <SignedIn><UserButton /></SignedIn>
 */
export function SignedIn(props: ShownIfProps): ReactNode {
  return useShownIf(HOME, 'authenticated', props)
}

/**
 * Shows its children if nobody is signed in, and nothing while that is not known.
 *
 * @example <SignedOut><SignIn /></SignedOut>
 */
export function SignedOut(props: ShownIfProps): ReactNode {
  return useShownIf(HOME, 'unauthenticated', props)
}

/**
 * A button for each provider of the service. Without script, each opens the sign-in page. It has no
 * styles.
 *
 * @example <SignIn redirectTo="/inbox" />
 */
export function SignIn(props: SignInProps): ReactNode {
  return SignInOfPage({ home: HOME, ...props })
}

/**
 * The user's picture and name, which open a menu: the account page, entries of the app, and the
 * sign-out. It shows nothing if nobody is signed in, and has no styles.
 *
 * @example <UserButton redirectTo="/" />
 */
export function UserButton(props: UserButtonProps): ReactNode {
  return UserButtonOfPage({ home: HOME, ...props })
}
