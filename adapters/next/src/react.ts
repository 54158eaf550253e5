'use client'

import type {
  getSession as GetSession,
  signIn as SignInCall,
  signOut as SignOut,
} from '@latchkey/client/react'
import {
  clientOfPage,
  ProviderOfSession,
  type SessionProviderProps,
  type ShownIfProps,
  SignInOfPage,
  type SignInProps,
  UserButtonOfPage,
  type UserButtonProps,
  type UseSession,
  type UseSessionOptions,
  useSessionOfPage,
  useShownIf,
} from '@latchkey/client/react-internal'
import type { ReactNode } from 'react'

export type {
  AuthResult,
  ListedProvider,
  Session,
  SessionProviderProps,
  SessionUse,
  ShownIfProps,
  SignInLabels,
  SignInOptions,
  SignInProps,
  SignOutOptions,
  UserButtonProps,
  UseSession,
  UseSessionOptions,
} from '@latchkey/client/react'
export { AuthError } from '@latchkey/client/react'

/** Next's own `basePath`; its compiler puts the value here. */
const ROOT = process.env.__NEXT_ROUTER_BASEPATH ?? ''
const HOME = `${ROOT}/api/auth`

/**
 * Hands the session that the server has read to the components below it, or names another base path.
 * Nothing else needs it.
 *
 * @example <SessionProvider session={await auth()}>{children}</SessionProvider>
 */
export function SessionProvider({ basePath = HOME, ...props }: SessionProviderProps): ReactNode {
  const isWhole = `${basePath}/`.startsWith(`${ROOT}/`)
  return ProviderOfSession({ ...props, basePath: isWhole ? basePath : ROOT + basePath })
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

/** Signs in by the page's client. @throws {AuthError} */
export const signIn = ((...all: Parameters<typeof SignInCall>) =>
  clientOfPage(HOME).signIn(...all)) as typeof SignInCall

/** Signs out by the page's client. @throws {AuthError} */
export const signOut = ((options) =>
  clientOfPage(HOME).signOut(options as object)) as typeof SignOut

/** Asks for the session by the page's client. @throws {AuthError} */
export const getSession: typeof GetSession = () => clientOfPage(HOME).getSession()

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
