/** @jsxImportSource react */
import {
  SessionProvider,
  SignedIn,
  SignedOut,
  SignIn,
  UserButton,
  useSession,
} from '@latchkey/client/react'
import { useEffect } from 'react'

type Provided = Parameters<typeof SessionProvider>[0]

/** What a page of the tests shows. */
export interface AppProps extends Pick<Provided, 'session'> {
  readonly hasProvider?: boolean
  /** How many components use the session. */
  readonly uses?: number
  /** Shows the parts, with this page after a sign-in and a sign-out. */
  readonly parts?: string
  /** Only users see the page; anybody else is sent to sign in, or is counted by the callback. */
  readonly required?: 'sign-in' | 'callback'
}

function Use() {
  const { data, status, update } = useSession()
  useEffect(() => void Object.assign(globalThis, { update }), [update])
  return <li>{status === 'authenticated' ? `Hello ${data.user?.name}` : status}</li>
}

/** Calls of `onUnauthenticated`. */
export const calls: string[] = []

function Members({ required }: Pick<AppProps, 'required'>) {
  const { data, status } = useSession({
    required: true,
    ...(required === 'callback' && { onUnauthenticated: () => void calls.push(location.href) }),
  })
  return <main>{status === 'loading' ? 'loading' : `Members, such as ${data.user?.name}`}</main>
}

function Parts({ redirectTo }: { readonly redirectTo: string }) {
  return (
    <main>
      <SignedIn>Somebody is signed in.</SignedIn>
      <SignedOut>
        Nobody is signed in. <SignIn redirectTo={redirectTo} />
      </SignedOut>
      <UserButton redirectTo={redirectTo}>
        <a href="/settings">Settings</a>
      </UserButton>
      <p>Elsewhere</p>
    </main>
  )
}

export function App({ hasProvider, uses = 1, required, session, parts }: AppProps) {
  const shown = (
    <ul>
      {Array.from({ length: uses }, (_, index) => `use-${index}`).map((key) => (
        <Use key={key} />
      ))}
      {parts && <Parts redirectTo={parts} />}
      {required && <Members required={required} />}
    </ul>
  )
  return hasProvider ? <SessionProvider session={session}>{shown}</SessionProvider> : shown
}
