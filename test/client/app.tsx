/** @jsxImportSource react */
import { SessionProvider, useSession } from '@latchkey/client/react'
import { useEffect } from 'react'

type Provided = Parameters<typeof SessionProvider>[0]

/** What a page of the tests shows. */
export interface AppProps extends Pick<Provided, 'session'> {
  readonly hasProvider?: boolean
  /** How many components use the session. */
  readonly uses?: number
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

export function App({ hasProvider, uses = 1, required, session }: AppProps) {
  const shown = (
    <ul>
      {Array.from({ length: uses }, (_, index) => `use-${index}`).map((key) => (
        <Use key={key} />
      ))}
      {required && <Members required={required} />}
    </ul>
  )
  return hasProvider ? <SessionProvider session={session}>{shown}</SessionProvider> : shown
}
