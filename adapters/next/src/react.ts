'use client'

import type {
  getSession as GetSession,
  signIn as SignIn,
  signOut as SignOut,
} from '@latchkey/client/react'
import {
  clientOfPage,
  ProviderOfSession,
  type SessionProviderProps,
  type UseSession,
  type UseSessionOptions,
  useSessionOfPage,
} from '@latchkey/client/react-internal'
import type { ReactNode } from 'react'

export type {
  AuthResult,
  Session,
  SessionProviderProps,
  SessionUse,
  SignInOptions,
  SignOutOptions,
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
export const signIn = ((...all: Parameters<typeof SignIn>) =>
  clientOfPage(HOME).signIn(...all)) as typeof SignIn

/** Signs out by the page's client. @throws {AuthError} */
export const signOut = ((options) =>
  clientOfPage(HOME).signOut(options as object)) as typeof SignOut

/** Asks for the session by the page's client. @throws {AuthError} */
export const getSession: typeof GetSession = () => clientOfPage(HOME).getSession()
